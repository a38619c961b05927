//! The JSON schema of `.github/mend.toml` and the reader say the same of every file.

use mend::config::{RepoConfig, repo_schema};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use proptest::sample::select;
use toml::{Table, Value};

const KEYS: [&str; 14] = [
    "setup",
    "check",
    "working_directory",
    "env",
    "timeout",
    "test_paths",
    "new_tests",
    "protected_paths",
    "reports",
    "comment_only",
    "packages",
    "limits",
    "chek",
    "model",
];
const LIMITS: [&str; 7] = [
    "turns",
    "wall_s",
    "check_s",
    "input_tokens",
    "dollars",
    "tool_result_bytes",
    "reruns",
];
/// What texts are put together from: all that one of the two might see otherwise than the other.
const PARTS: [&str; 42] = [
    "a",
    "b",
    "z",
    "A",
    "Z",
    "0",
    "9",
    "é",
    "漢",
    "src",
    "tests",
    "PATH",
    "HOME",
    "LD_PRELOAD",
    "_",
    "-",
    "/",
    "//",
    "./",
    "../",
    "..",
    ".",
    "~",
    "!",
    "#",
    "*",
    "**",
    "?",
    ",",
    "[",
    "]",
    "[a-z]",
    "{",
    "}",
    "\\",
    "^",
    " ",
    "\t",
    "\n",
    "\u{85}",
    "\u{feff}",
    "\0",
];

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        12 => vec(select(&PARTS[..]), 0..6).prop_map(|parts| parts.concat()),
        1 => (4094_usize..4099, select(&["a", "é", " a", "/", "*"][..]))
            .prop_map(|(n, of)| of.repeat(n / of.chars().count())),
        1 => any::<String>(),
    ]
}

fn texts() -> impl Strategy<Value = Value> {
    let list = |texts: Vec<String>| texts.into_iter().map(Value::String).collect();
    prop_oneof![
        3 => text().prop_map(Value::String),
        6 => vec(text(), 0..3).prop_map(move |t| Value::Array(list(t))),
        1 => (63_usize..67).prop_map(|n| Value::Array(vec![Value::String("a".into()); n])),
    ]
}

fn number() -> impl Strategy<Value = Value> {
    let whole = select(
        &[
            -1,
            0,
            1,
            2,
            1023,
            1024,
            (1 << 53) - 1,
            1 << 53,
            i64::MAX,
            i64::MIN,
        ][..],
    );
    let float = select(
        &[
            -1.0,
            0.0,
            0.5,
            1.0,
            1.5,
            1024.0,
            9_007_199_254_740_992.0,
            1e300,
        ][..],
    );
    prop_oneof![whole.prop_map(Value::Integer), float.prop_map(Value::Float)]
}

fn variables() -> impl Strategy<Value = Value> {
    let some = btree_map(text(), text().prop_map(Value::String), 0..3);
    let many = (63_usize..67).prop_map(|n| {
        let named = (0..n).map(|i| (format!("V{i}"), Value::String("x".into())));
        Value::Table(named.collect())
    });
    prop_oneof![
        8 => some.prop_map(|map| Value::Table(map.into_iter().collect())),
        1 => many,
    ]
}

/// A value that fits the key more often than not.
fn value(key: &'static str) -> BoxedStrategy<Value> {
    let other = prop_oneof![
        any::<bool>().prop_map(Value::Boolean),
        number(),
        texts(),
        variables(),
        Just(Value::Array(vec![Value::Integer(1)])),
        Just(Value::Table(Table::new())),
    ];
    let fitting = match key {
        "setup" | "check" | "test_paths" | "protected_paths" | "reports" => texts().boxed(),
        "working_directory" => text().prop_map(Value::String).boxed(),
        "env" => variables().boxed(),
        "new_tests" | "comment_only" => any::<bool>().prop_map(Value::Boolean).boxed(),
        "limits" => table(&LIMITS).prop_map(Value::Table).boxed(),
        "packages" => packages().boxed(),
        _ => number().boxed(),
    };
    prop_oneof![5 => fitting, 1 => other].boxed()
}

fn packages() -> impl Strategy<Value = Value> {
    let keys = &["setup", "check", "env", "timeout", "reports", "limits"];
    let some = btree_map(text(), table(keys).prop_map(Value::Table), 0..3);
    let many = (63_usize..67).prop_map(|n| {
        let named = (0..n).map(|i| (format!("p{i}"), Value::Table(Table::new())));
        Value::Table(named.collect())
    });
    prop_oneof![
        8 => some.prop_map(|map| Value::Table(map.into_iter().collect())),
        1 => many,
    ]
}

fn table(keys: &'static [&'static str]) -> impl Strategy<Value = Table> {
    let entry =
        select(keys).prop_flat_map(|key| value(key).prop_map(move |v| (key.to_string(), v)));
    vec(entry, 0..3).prop_map(|entries| entries.into_iter().collect())
}

/// Whether the schema and the reader take a file, and the reader's words.
fn verdicts(validator: &jsonschema::Validator, file: &Table) -> (bool, bool, String) {
    let written = toml::to_string(file).unwrap();
    let read = RepoConfig::parse(&written);
    let words = match &read {
        Ok(config) => config.warnings.join("\n"),
        Err(e) => e.to_string(),
    };
    // What only the operator decides is no key of the schema, and ignored with a warning.
    let taken = read.is_ok_and(|config| config.warnings.is_empty());
    let json = serde_json::to_value(file).unwrap();
    let errors = validator.iter_errors(&json).map(|e| e.to_string());
    let errors: Vec<String> = errors.collect();
    let said = format!("{written}\nreader: {words}\nschema: {}", errors.join("; "));
    (errors.is_empty(), taken, said)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn properties_the_schema_and_the_reader_agree(files in vec(table(&KEYS), 20)) {
        static VALIDATOR: std::sync::LazyLock<jsonschema::Validator> =
            std::sync::LazyLock::new(|| jsonschema::validator_for(&repo_schema()).unwrap());
        for file in files {
            let (schema, reader, said) = verdicts(&VALIDATOR, &file);
            prop_assert_eq!(schema, reader, "{}", said);
        }
    }
}

/// Each of these once was taken by one and refused by the other.
#[test]
fn files_on_which_the_two_differed() {
    let validator = jsonschema::validator_for(&repo_schema()).unwrap();
    let long = "é".repeat(4096);
    for (file, taken) in [
        ("test_paths = ['a{b']".to_string(), false),
        ("test_paths = ['[z-a]']".into(), false),
        (
            "test_paths = ['[!a-f0-9_]*.{js,ts}', 'a\\ b', '**/x/']".into(),
            false,
        ),
        (
            "test_paths = ['[!a-f0-9_]*.{js,ts}', 'a\\[b', '**/x/', '!t/d']".into(),
            true,
        ),
        ("reports = ['/x/*.xml']".into(), false),
        ("reports = ['a/../*.xml']".into(), false),
        ("reports = [' ~/x']".into(), false),
        ("reports = ['./out/TEST-*.xml']".into(), true),
        ("working_directory = '../x'".into(), false),
        ("working_directory = '/x'".into(), false),
        ("working_directory = ''".into(), false),
        ("working_directory = './a/b//'".into(), true),
        ("working_directory = './'".into(), true),
        ("[env]\nPATH = 'x'".into(), false),
        ("[env]\nPATHS = 'x'".into(), true),
        ("[env]\nA = \"\\u0000\"".into(), false),
        ("check = \"\\u0085\"".into(), false),
        ("check = \"\\uFEFF\"".into(), true),
        (format!("check = '{long}'"), true),
        (format!("check = '{long}é'"), false),
        ("timeout = 60.0".into(), true),
        ("timeout = 0.5".into(), false),
        ("timeout = 9007199254740992".into(), false),
        ("[packages.'a/']".into(), false),
        ("[packages.'.']".into(), false),
        ("[packages.'a/b']".into(), true),
    ] {
        let table: Table = file.parse().unwrap();
        let (schema, reader, said) = verdicts(&validator, &table);
        assert_eq!((schema, reader), (taken, taken), "{said}");
    }
}
