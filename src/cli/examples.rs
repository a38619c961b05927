//! Examples at the end of each command's `--help`.

pub(super) const DEMO: &str = "Examples:
  mend demo                    the whole job, with recorded answers of a model
  mend demo --once --json      for scripts: one document, then it ends
  MEND_MODEL_API_KEY=… mend demo --wire anthropic --model NAME";
pub(super) const SERVE: &str = "Examples:
  mend serve                                     settings of /etc/mend/config.toml
  mend serve --config mend.toml
  MEND_LOG=debug mend serve --role worker        one of several, on PostgreSQL";
pub(super) const SETUP: &str = "Examples:
  mend setup                                     a page on this machine
  mend setup --no-browser --org acme --poll      questions on the terminal
  mend setup --github-url https://github.acme.example
  mend setup --app-id 12345 --private-key app.pem --webhook-secret-file secret --poll \\
      --provider anthropic --model NAME --model-key-file key     no question at all";
pub(super) const DOCTOR: &str = "Examples:
  mend doctor
  mend doctor --repo acme/shop --json | jq '.findings[] | select(.state != \"ok\")'";
pub(super) const CONFIG: &str = "Examples:
  mend config check --config mend.toml
  mend config reference | less";
pub(super) const COMPLETIONS: &str = "Examples:
  mend completions bash > ~/.local/share/bash-completion/completions/mend
  mend completions zsh > ~/.zfunc/_mend
  mend completions fish > ~/.config/fish/completions/mend.fish";
pub(super) const TASKS: &str = "Examples:
  mend tasks list --state running
  mend tasks show 12 --json
  mend tasks trace 12 --format otlp > trace.json
  mend tasks stop 12";
pub(super) const OPEN: &str = "Examples:
  mend open                    a link for a browser on this machine
  ssh -L 8081:127.0.0.1:8081 SERVER mend open      from elsewhere";
pub(super) const FIX: &str = "Examples:
  mend fix . --report bug.md --wire chat --model-url http://127.0.0.1:11434 --model NAME
  mend fix acme/shop#12 --dry-run";
pub(super) const CHECK: &str = "Examples:
  mend check detect .
  mend check run . --json
  pytest 2>&1 | mend check classify --command pytest --exit 1";
pub(super) const EDIT: &str = "Examples:
  mend edit apply --root . --dialect blocks < reply.txt";
pub(super) const SANDBOX: &str = "Examples:
  mend sandbox probe
  mend sandbox run -- python3 -m pytest
  mend sandbox run --allow pypi.org --allow files.pythonhosted.org -- pip download six";
pub(super) const BENCH: &str = "Examples:
  mend bench list tests/bench
  mend bench run tests/bench --out before --wire chat --model-url URL --model NAME --repeat 2
  mend bench compare before after --html compare.html";
pub(super) const DIAGNOSE: &str = "Examples:
  mend diagnose before --wire anthropic --model NAME";
pub(super) const GUARD: &str = "Examples:
  mend guard list
  mend guard check before";
pub(super) const REPLAY: &str = "Examples:
  mend replay recording";
