//! Which options of a runner stay when only one file is run.

pub(super) const SCRIPTS: &[&str] = &[".js", ".mjs", ".cjs", ".ts", ".mts", ".cts", ".jsx", ".tsx"];
pub(super) const PYTEST_KEEP: &[&str] = &[
    "-p",
    "-c",
    "-o",
    "-W",
    "--rootdir",
    "--import-mode",
    "--ds",
    "--confcutdir",
    "--tb",
];
pub(super) const PYTEST_DROP: &[&str] = &[
    "-k",
    "-m",
    "-n",
    "--deselect",
    "--ignore",
    "--ignore-glob",
    "--maxfail",
    "--lf",
    "--ff",
    "--cov",
    "--cov-report",
    "--cov-config",
    "--cov-fail-under",
    "-x",
    "--exitfirst",
    "--sw",
];
pub(super) const NODE_KEEP: &[&str] = &[
    "--import",
    "-r",
    "--require",
    "--loader",
    "--experimental-loader",
    "--test-reporter",
];
pub(super) const MOCHA_KEEP: &[&str] = &[
    "-r",
    "--require",
    "-u",
    "--ui",
    "-t",
    "--timeout",
    "--config",
    "-R",
    "--reporter",
    "-n",
    "--extension",
];
pub(super) const CARGO_KEEP: &[&str] = &[
    "--manifest-path",
    "-p",
    "--package",
    "--features",
    "-F",
    "--target",
    "--profile",
    "-j",
    "--jobs",
    "--exclude",
    "--color",
];
pub(super) const CARGO_DROP: &[&str] = &[
    "--lib",
    "--bins",
    "--doc",
    "--tests",
    "--examples",
    "--benches",
    "--all-targets",
    "--test",
    "--bin",
    "--example",
    "--bench",
];
/// Of `CARGO_DROP`, what takes no value.
const CARGO_FLAGS: &[&str] = &[
    "--lib",
    "--bins",
    "--doc",
    "--tests",
    "--examples",
    "--benches",
    "--all-targets",
];
const PYTEST_FLAGS: &[&str] = &["--lf", "--ff", "--cov", "-x", "--exitfirst", "--sw"];

/// The options of a command without its positional words. `keep` take a value that stays, `drop`
/// go with theirs.
pub(super) fn options(words: &[&str], keep: &[&str], drop: &[&str]) -> Vec<String> {
    let mut kept = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let name = word.split('=').next().unwrap_or(word);
        if !word.starts_with('-') || *word == "--" {
            continue;
        }
        if drop.contains(&name) {
            let flag = CARGO_FLAGS.contains(&name) || PYTEST_FLAGS.contains(&name);
            if !word.contains('=') && !flag {
                words.next();
            }
            continue;
        }
        kept.push((*word).to_string());
        if keep.contains(word)
            && let Some(value) = words.next()
        {
            kept.push((*value).to_string());
        }
    }
    kept
}
