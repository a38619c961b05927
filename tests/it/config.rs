//! Server settings from real files, with variables over them.

use mend::config::{
    CommitsBy, Environment, HoldCi, IssueLink, Mistake, Permission, PublishAs, PublishSettings,
    Settings, SettingsError,
};
use mend::domain::Limits;
use secrecy::ExposeSecret;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const KEY: &str = "-----BEGIN RSA PRIVATE KEY-----\nMIIkeykeykey\n-----END RSA PRIVATE KEY-----\n";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Folder {
        let folder = Folder(tempfile::tempdir().unwrap());
        folder.file("key.pem", KEY, 0o600);
        folder
    }

    fn file(&self, name: &str, text: &str, mode: u32) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        path
    }

    /// The least settings that are right.
    fn least(&self) -> String {
        format!(
            "[github]\napp_id = 12\nprivate_key_path = \"{}\"\nwebhook_secret = \"correct horse battery\"\n\
             [model]\nwire = \"anthropic\"\nmodel = \"m\"\n",
            self.0.path().join("key.pem").display()
        )
    }

    fn load(&self, text: &str, variables: &[(&str, &str)]) -> Result<Settings, SettingsError> {
        let path = self.file("config.toml", text, 0o600);
        Settings::load(Some(&path), &Environment::of(variables.iter().copied()))
    }

    fn mistakes(&self, text: &str, variables: &[(&str, &str)]) -> Vec<Mistake> {
        match self.load(text, variables) {
            Err(SettingsError::Mistakes(mistakes)) => mistakes,
            other => panic!("{other:?}"),
        }
    }
}

fn message<'a>(mistakes: &'a [Mistake], key: &str) -> &'a str {
    let found: Vec<_> = mistakes.iter().filter(|m| m.key == key).collect();
    assert_eq!(found.len(), 1, "{key} in {mistakes:?}");
    &found[0].message
}

#[test]
fn the_least_settings_have_every_default() {
    let folder = Folder::new();
    let s = folder.load(&folder.least(), &[]).unwrap();
    assert_eq!(s.server.listen, "127.0.0.1:8080".parse().unwrap());
    assert_eq!(s.server.body_limit_bytes, 5 * 1024 * 1024);
    assert_eq!(s.server.state_dir, Path::new("/var/lib/mend"));
    assert_eq!((s.server.trace_days, s.server.trace_mb), (30, 1024));
    assert_eq!(s.github.app_id, 12);
    assert_eq!(s.github.private_key.expose_secret(), KEY);
    assert_eq!(s.github.base_url, "https://api.github.com");
    assert_eq!(s.github.web_url, "https://github.com");
    assert_eq!(
        (s.github.label.as_str(), s.github.branch_prefix.as_str()),
        ("mend", "mend/")
    );
    assert_eq!(s.github.permission, Permission::Write);
    assert_eq!(s.github.poll_s, None);
    assert_eq!(s.github.reconcile_s, 6 * 3600);
    assert!(s.github.ca_file.is_none() && s.github.proxy.is_none());
    assert_eq!(
        s.database.url.expose_secret(),
        "sqlite:/var/lib/mend/mend.db"
    );
    assert_eq!(s.limits, Limits::default());
    assert!(s.repos.allows(&"any/repo".parse().unwrap()));
    let r = &s.repos;
    assert_eq!(
        (
            r.running,
            r.person_per_hour,
            r.repo_per_hour,
            r.installation_per_hour
        ),
        (1, 20, 60, 200)
    );
    assert!(s.model.stream.is_none() && s.model.price.is_none());
}

#[test]
fn variables_win_over_the_file_and_suffice_alone() {
    let folder = Folder::new();
    let variables = [
        ("MEND_GITHUB_APP_ID", "77"),
        ("MEND_SERVER_LISTEN", "[::1]:9000"),
        ("MEND_SERVER_WORKERS", ""),
        ("MEND_LIMITS_DOLLARS", "2.5"),
        ("MEND_REPOS_ALLOW", "Acme/*, other/one"),
        ("MEND_SANDBOX_READ_ONLY", "[\"/opt/a,b\"]"),
        ("MEND_MODEL_HEADERS", "{\"x-team\": \"mend\"}"),
        ("MEND_MODEL_EXTRA_BODY", "{ thinking = { budget = 5 } }"),
        ("MEND_MODEL_PRICE_INPUT_PER_MILLION", "3"),
        ("MEND_MODEL_PRICE_OUTPUT_PER_MILLION", "15"),
        ("MEND_DATABASE_URL", "postgres://mend:pass@db/mend"),
    ];
    let s = folder.load(&folder.least(), &variables).unwrap();
    assert_eq!(s.github.app_id, 77);
    assert_eq!(s.server.listen.port(), 9000);
    assert_eq!(s.server.workers, 2, "an empty variable is none");
    assert_eq!(s.limits.dollars, Some(2.5));
    for (repo, allowed) in [("acme/x", true), ("other/ONE", true), ("other/two", false)] {
        assert_eq!(s.repos.allows(&repo.parse().unwrap()), allowed, "{repo}");
    }
    assert_eq!(s.sandbox.read_only, [PathBuf::from("/opt/a,b")]);
    assert_eq!(s.model.headers["x-team"].expose_secret(), "mend");
    assert_eq!(s.model.extra_body["thinking"]["budget"], 5);
    assert_eq!(s.model.price.unwrap().output_per_million, 15.0);

    let one_line = KEY.replace('\n', "\\n");
    let file = folder.file("empty.toml", "", 0o644);
    let variables = [
        ("MEND_CONFIG", file.to_str().unwrap()),
        ("MEND_GITHUB_APP_ID", "1"),
        ("MEND_GITHUB_PRIVATE_KEY", &one_line),
        ("MEND_GITHUB_WEBHOOK_SECRET", "correct horse battery"),
        ("MEND_MODEL_REPLAY", "/recordings/a"),
    ];
    let s = Settings::load(None, &Environment::of(variables)).unwrap();
    assert_eq!(s.github.private_key.expose_secret(), KEY);
}

#[test]
fn all_mistakes_are_named_at_once() {
    let folder = Folder::new();
    let text = "listen = 1\n[server]\nlisten = \"here\"\nbody_limit_bytes = 99_000_000\nstate_dir = \"state\"\n\
        [github]\nbase_url = \"ftp://x\"\npermission = \"wirte\"\nlabel = \"\"\nbranch_prefix = \"mend\"\nwebhook_secret = \"short\"\n\
        webhok_secret_old = \"x\"\n[model]\nwire = \"gemini\"\n[limits]\nturns = 0\n[repos]\nallow = [\"acme\"]\n\
        [sandbox]\nread_only = \"/opt\"\n[githb]\napp_id = 3\n";
    let m = folder.mistakes(text, &[("MEND_GITHUB_LABLE", "x"), ("MEND_OTHER", "fine")]);
    for (key, expected) in [
        ("listen", "did you mean `server.listen`?"),
        (
            "server.listen",
            "is `here`: it must be an address and a port",
        ),
        ("server.body_limit_bytes", "from 1024 to 26214400"),
        ("server.state_dir", "absolute path"),
        ("github.app_id", "is missing: the number of the GitHub App"),
        ("github.private_key_path", "MEND_GITHUB_PRIVATE_KEY_PATH"),
        ("github.base_url", "http or https"),
        ("github.permission", "triage, write, maintain or admin"),
        ("github.label", "1 to 50"),
        ("github.branch_prefix", "end in a slash"),
        ("github.webhook_secret", "too short"),
        (
            "github.webhok_secret_old",
            "did you mean `github.webhook_secret_old`?",
        ),
        ("model.wire", "anthropic, chat or responses"),
        ("model.model", "is missing"),
        ("limits.turns", "is 0"),
        ("repos.allow", "owner/name or owner/*"),
        ("sandbox.read_only", "must be a list of texts"),
        ("githb.app_id", "did you mean `github.app_id`?"),
        ("MEND_GITHUB_LABLE", "did you mean MEND_GITHUB_LABEL?"),
    ] {
        assert!(
            message(&m, key).contains(expected),
            "{key}: {}",
            message(&m, key)
        );
    }
    assert_eq!(m.len(), 19, "{m:#?}");
    let all = SettingsError::Mistakes(m).to_string();
    assert_eq!(all.lines().count(), 19);
    assert!(all.contains("`github.app_id` is missing"));
}

#[test]
fn secrets_are_kept_from_others_and_out_of_messages() {
    let folder = Folder::new();
    let least = folder.least();
    // The key's file: 0644 refuses, 0640 does not.
    folder.file("key.pem", KEY, 0o644);
    let m = folder.mistakes(&least, &[]);
    assert!(
        message(&m, "github.private_key_path").contains("chmod 0640"),
        "{m:?}"
    );
    folder.file("key.pem", KEY, 0o640);
    let settings = folder.load(&least, &[]).unwrap();
    folder.file("key.pem", "not a key", 0o600);
    let m = folder.mistakes(&least, &[]);
    assert!(message(&m, "github.private_key_path").contains("no PEM"));
    folder.file("key.pem", KEY, 0o600);

    // A settings file that holds a secret is one, too.
    let open = folder.file("open.toml", &least, 0o644);
    let none = Environment::default();
    let error = Settings::load(Some(&open), &none).unwrap_err().to_string();
    assert!(
        error.contains("holds secrets") && error.contains("chmod"),
        "{error}"
    );
    let without = least.replace("webhook_secret = \"correct horse battery\"\n", "");
    let open = folder.file("open.toml", &without, 0o644);
    let secret = [("MEND_GITHUB_WEBHOOK_SECRET", "correct horse battery")];
    assert!(Settings::load(Some(&open), &Environment::of(secret)).is_ok());

    let mut shown = format!("{settings:?} {:?}", Environment::of(secret));
    let syntax = folder.load("webhook_secret = \"correct horse battery\" x", &[]);
    shown += &syntax.unwrap_err().to_string();
    let both = format!("{least}\n[database]\nurl = \"mysql://u:correct horse battery@h\"");
    let both = both.replace("app_id", "private_key = \"correct horse battery\"\napp_id");
    shown += &format!("{:?}", folder.mistakes(&both, &[]));
    for secret in ["correct horse", "MIIkey"] {
        assert!(!shown.contains(secret), "{shown}");
    }
}

#[test]
fn an_old_webhook_secret_ends_at_its_time() {
    let folder = Folder::new();
    let old = "webhook_secret_old = \"battery horse correct\"\nwebhook_secret_old_until = 2027-01-31T12:00:00Z\n";
    let text = folder.least().replace("app_id", &format!("{old}app_id"));
    let github = folder.load(&text, &[]).unwrap().github;
    assert_eq!(github.webhook_secrets(1_801_396_799).len(), 2);
    assert_eq!(github.webhook_secrets(1_801_396_800).len(), 1);
    let m = folder.mistakes(&text.replace("T12:00:00Z", ""), &[]);
    assert!(message(&m, "github.webhook_secret_old_until").contains("a date and a time"));
}

#[test]
fn a_named_file_must_exist_and_the_default_need_not() {
    let none = Environment::default();
    let missing = Path::new("/nonexistent/mend.toml");
    let error = Settings::load(Some(missing), &none).unwrap_err();
    assert!(
        error.to_string().contains("/nonexistent/mend.toml"),
        "{error}"
    );
    assert!(matches!(
        Settings::load(None, &Environment::of([("MEND_CONFIG", "/nonexistent/x")])),
        Err(SettingsError::Unreadable { .. })
    ));
    let folder = Folder::new();
    let error = folder
        .load("[server]\nlisten = \n", &[])
        .unwrap_err()
        .to_string();
    assert!(error.contains("line 2"), "{error}");
}

#[test]
fn a_proxy_may_hold_a_password_which_is_kept_from_others() {
    let folder = Folder::new();
    let with = |proxy: &str| format!("[github]\nproxy = \"{proxy}\"\n");
    let least = folder.least().replacen("[github]\n", "", 1);
    let text = |proxy: &str| with(proxy) + &least;
    let s = folder
        .load(&text("http://me:s3%2Fcret@proxy:3128"), &[])
        .unwrap();
    let proxy = s.github.proxy.unwrap();
    assert_eq!(proxy.expose_secret(), "http://me:s3%2Fcret@proxy:3128");
    let passwords = mend::config::password_of(proxy.expose_secret());
    assert_eq!(passwords, ["s3%2Fcret", "s3/cret"]);
    for bad in [
        "proxy:3128",
        "socks5://proxy",
        "http://me:secret@proxy/?a=1",
    ] {
        let mistakes = folder.mistakes(&text(bad), &[]);
        assert!(!message(&mistakes, "github.proxy").contains("secret"));
    }
    let no_secrets = format!(
        "[github]\napp_id = 12\nprivate_key_path = \"{}\"\n{}[model]\nreplay = [\"/x\"]\n",
        folder.0.path().join("key.pem").display(),
        with("http://me:secret@proxy").replacen("[github]\n", "", 1),
    );
    let open = folder.file("open.toml", &no_secrets, 0o644);
    let variables = [("MEND_GITHUB_WEBHOOK_SECRET", "correct horse battery")];
    let error = Settings::load(Some(&open), &Environment::of(variables)).unwrap_err();
    assert!(error.to_string().contains("chmod 0640"), "{error}");
    let plain = no_secrets.replace("me:secret@", "");
    let open = folder.file("open.toml", &plain, 0o644);
    Settings::load(Some(&open), &Environment::of(variables)).unwrap();
}

#[test]
fn the_example_of_deploy_is_right() {
    let folder = Folder::new();
    let text = std::fs::read_to_string("deploy/config.toml").unwrap();
    let text = text.replace(
        "/etc/mend/app.pem",
        folder.0.path().join("key.pem").to_str().unwrap(),
    );
    let settings = folder
        .load(
            &text,
            &[("MEND_GITHUB_WEBHOOK_SECRET", "a secret of some length")],
        )
        .unwrap();
    let plain = Limits::default();
    assert_eq!(settings.limits, plain, "the example shows the defaults");
    assert_eq!(settings.server.workers, 2);
    assert_eq!(settings.publish, PublishSettings::default());
}

#[test]
fn the_house_says_how_pull_requests_look() {
    let folder = Folder::new();
    let text = format!(
        "{}[publish]\ntitle = \"fix: {{title}}\"\nbase = \"next\"\nissue_link = \"relates to\"\nlabels = [\"bot\"]\nco_author = false\n\
         as = \"comment\"\nhold_ci = \"always\"\ncommits = \"api\"\nbranch = \"fix/{{number}}\"\nreviewers = [\"ada\", \"acme/core\"]\ntemplate = \"bot.md\"\n",
        folder.least()
    );
    let s = folder
        .load(&text, &[("MEND_PUBLISH_MAX_FILES", "7")])
        .unwrap();
    let wanted = PublishSettings {
        title: "fix: {title}".into(),
        base: Some("next".into()),
        issue_link: IssueLink::RelatesTo,
        labels: vec!["bot".into()],
        co_author: false,
        max_files: 7,
        as_what: PublishAs::Comment,
        commits: CommitsBy::Api,
        hold_ci: HoldCi::Always,
        branch: "fix/{number}".into(),
        reviewers: vec!["ada".into(), "acme/core".into()],
        template: Some("bot.md".into()),
        ..PublishSettings::default()
    };
    assert_eq!(s.publish, wanted);
    let text = format!(
        "{}[publish]\ntitle = \"fix\"\nbase = \"a b\"\nissue_link = \"fixes\"\nas = \"mail\"\nhold_ci = \"yes\"\n\
         commits = \"x\"\nbranch = \"fix\"\nreviewers = [\"a b\"]\n",
        folder.least()
    );
    let mistakes = folder.mistakes(&text, &[]);
    assert!(message(&mistakes, "publish.title").contains("{title}"));
    assert!(message(&mistakes, "publish.base").contains("branch"));
    assert!(message(&mistakes, "publish.issue_link").contains("relates to"));
    assert!(message(&mistakes, "publish.as").contains("pull request"));
    assert!(message(&mistakes, "publish.commits").contains("api"));
    assert!(message(&mistakes, "publish.hold_ci").contains("always"));
    assert!(message(&mistakes, "publish.branch").contains("{number}"));
    assert!(message(&mistakes, "publish.reviewers").contains("org/team"));
}

#[test]
fn a_role_has_a_model_of_its_own_or_is_off() {
    let folder = Folder::new();
    let s = folder.load(&folder.least(), &[]).unwrap();
    assert!(s.roles.reviewer.is_none() && s.roles.diagnoser.is_none());
    let text = format!(
        "{}park_s = 60\nbusy_wait_s = 5\nreply_bytes = 65536\n\
         [models.reviewer]\nwire = \"responses\"\nmodel = \"r\"\nbase_url = \"https://other\"\n\
         [models.reviewer.price]\ninput_per_million = 1\noutput_per_million = 2\n",
        folder.least()
    );
    let variables = [
        ("MEND_MODELS_REVIEWER_API_KEY", "another-key"),
        ("MEND_MODELS_DIAGNOSER_WIRE", "chat"),
        ("MEND_MODELS_DIAGNOSER_MODEL", "d"),
    ];
    let s = folder.load(&text, &variables).unwrap();
    assert_eq!((s.model.park_s, s.model.busy_wait_s), (Some(60), Some(5)));
    assert_eq!(s.model.reply_bytes, Some(65_536));
    let reviewer = s.roles.reviewer.unwrap();
    assert_eq!(
        (reviewer.wire.as_str(), reviewer.model.as_str()),
        ("responses", "r")
    );
    assert_eq!(reviewer.base_url.as_deref(), Some("https://other"));
    assert_eq!(reviewer.api_key.unwrap().expose_secret(), "another-key");
    assert_eq!(reviewer.price.unwrap().output_per_million, 2.0);
    assert_eq!(s.roles.diagnoser.unwrap().model, "d");
    assert!(s.model.api_key.is_none(), "no key goes to another endpoint");

    let text = format!(
        "{}[models.reviewer]\nwire = \"telegraph\"\nmodle = \"r\"\n[models.reviwer]\nwire = \"chat\"\n",
        folder.least()
    );
    let mistakes = folder.mistakes(&text, &[]);
    assert!(message(&mistakes, "models.reviewer.wire").contains("anthropic, chat or responses"));
    assert!(message(&mistakes, "models.reviewer.model").contains("MEND_MODELS_REVIEWER_MODEL"));
    assert!(message(&mistakes, "models.reviewer.modle").contains("models.reviewer.model"));
    assert!(message(&mistakes, "models.reviwer.wire").contains("models.reviewer.wire"));
}

#[test]
fn the_agent_has_settings_and_an_operators_prompts() {
    let folder = Folder::new();
    let s = folder.load(&folder.least(), &[]).unwrap();
    assert!(!s.agent.run_command && s.agent.prompts.is_empty());
    assert!(s.model.dialect.is_none() && s.model.context_tokens.is_none());
    let prompts = folder.0.path().join("prompts");
    std::fs::create_dir(&prompts).unwrap();
    std::fs::write(prompts.join("limits.md"), "Mind the limits.").unwrap();
    std::fs::write(prompts.join("README"), "no prompt").unwrap();
    let own = prompts.to_str().unwrap();
    let text = format!(
        "{}dialect = \"text\"\ncontext_tokens = 32000\n[agent]\nrun_command = true\npage_lines = 400\n",
        folder.least()
    );
    for variable in ["MEND_AGENT_PROMPTS_DIR", "MEND_PROMPTS"] {
        let s = folder.load(&text, &[(variable, own)]).unwrap();
        assert_eq!(s.model.dialect.as_deref(), Some("text"));
        assert_eq!(s.model.context_tokens, Some(32_000));
        assert!(s.agent.run_command);
        assert_eq!(s.agent.page_lines, Some(400));
        let [(name, text)] = &s.agent.prompts[..] else {
            panic!("{:?}", s.agent.prompts)
        };
        assert_eq!(
            (name.as_str(), text.as_str()),
            ("limits.md", "Mind the limits.")
        );
    }
    let text = format!("{}dialect = \"morse\"\n", folder.least());
    let mistakes = folder.mistakes(&text, &[("MEND_PROMPTS", "/nowhere")]);
    assert!(message(&mistakes, "model.dialect").contains("tools, text or auto"));
    assert!(message(&mistakes, "agent.prompts_dir").contains("/nowhere"));
}

#[test]
fn the_reference_is_current_and_tells_every_setting() {
    let reference = mend::config::reference();
    let written = std::fs::read_to_string("deploy/SETTINGS.md").unwrap_or_default();
    assert!(
        reference.trim_end() == written.trim_end(),
        "deploy/SETTINGS.md is not what `mend config reference` prints: write it again"
    );
    let keys = mend::config::settings_keys();
    let without_meaning: Vec<&str> = reference
        .lines()
        .filter(|l| l.starts_with("| `") && l.ends_with("|  |"))
        .collect();
    assert!(
        without_meaning.is_empty(),
        "say in deploy/config.toml what these are: {without_meaning:#?}"
    );
    // Every key of the example is one, and stands in the reference.
    let example = std::fs::read_to_string("deploy/config.toml").unwrap();
    let (mut section, mut seen) = (String::new(), 0);
    for line in example.lines() {
        let plain = line.trim_start_matches("# ");
        if let Some(name) = plain.strip_prefix('[').and_then(|r| r.split_once(']')) {
            section = name.0.to_string();
        } else if let Some((key, _)) = plain.split_once(" = ")
            && key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
            && !key.is_empty()
        {
            let key = format!("{section}.{key}");
            let role = key.starts_with("models.");
            let table = keys.keys().any(|k| k.starts_with(&format!("{key}.")));
            assert!(keys.contains_key(&key) || table, "{key} is no setting");
            let variable = format!("`MEND_{}`", key.replace('.', "_").to_uppercase());
            assert!(role || table || reference.contains(&variable), "{key}");
            seen += 1;
        }
    }
    assert!(seen > 60, "{seen}");
    for key in keys.keys().filter(|k| !k.starts_with("models.")) {
        let variable = format!("`MEND_{}`", key.replace('.', "_").to_uppercase());
        assert!(
            reference.contains(&variable),
            "{key} is not in the reference"
        );
    }
}

#[test]
fn pages_are_the_operators_or_those_of_people_who_log_in() {
    let folder = Folder::new();
    let least = folder.least();
    let web = folder.load(&least, &[]).unwrap().web;
    assert_eq!(web.operator, Some("127.0.0.1:8081".parse().unwrap()));
    assert!(web.public_url.is_none() && web.login.is_none());
    let off = folder.load(&format!("{least}[web]\noperator = \"off\"\n"), &[]);
    assert_eq!(off.unwrap().web.operator, None);
    let secret = folder.file("client-secret", "s3cr3t-of-the-app\n", 0o600);
    let secret = secret.to_str().unwrap();
    let people = [
        ("MEND_WEB_PUBLIC_URL", "https://mend.example.com/"),
        ("MEND_GITHUB_CLIENT_ID", "Iv23li"),
        ("MEND_GITHUB_CLIENT_SECRET_PATH", secret),
    ];
    let web = folder.load(&least, &people).unwrap().web;
    assert_eq!(web.public_url.as_deref(), Some("https://mend.example.com"));
    let login = web.login.unwrap();
    assert_eq!(login.client_id, "Iv23li");
    assert_eq!(login.client_secret.expose_secret(), "s3cr3t-of-the-app");
    // A client id alone is no login; a secret wants the rest.
    assert!(
        folder
            .load(&least, &people[1..2])
            .unwrap()
            .web
            .login
            .is_none()
    );
    let wrong = folder.mistakes(&least, &people[1..]);
    assert!(message(&wrong, "web.public_url").contains("is missing"));
    let wrong = folder.mistakes(&least, &[people[0], people[2]]);
    assert!(message(&wrong, "github.client_id").contains("is missing"));
    for (key, variable, value, why) in [
        (
            "web.operator",
            "MEND_WEB_OPERATOR",
            "0.0.0.0:8081",
            "of this machine alone",
        ),
        (
            "web.operator",
            "MEND_WEB_OPERATOR",
            "8081",
            "an address and a port",
        ),
        (
            "web.public_url",
            "MEND_WEB_PUBLIC_URL",
            "http://mend.example.com",
            "https://",
        ),
        (
            "web.public_url",
            "MEND_WEB_PUBLIC_URL",
            "https://example.com/mend",
            "alone",
        ),
    ] {
        let wrong = folder.mistakes(&least, &[(variable, value)]);
        assert!(message(&wrong, key).contains(why), "{wrong:?}");
    }
    let open = folder.file("open-secret", "s3cr3t-of-the-app", 0o644);
    let all = [
        people[0],
        people[1],
        ("MEND_GITHUB_CLIENT_SECRET_PATH", open.to_str().unwrap()),
    ];
    let wrong = folder.mistakes(&least, &all);
    assert!(message(&wrong, "github.client_secret_path").contains("chmod"));
}
