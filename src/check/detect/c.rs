//! C and C++: CMake with CTest, Meson. Builds are part of the check, since a change has to be built.

use super::ci::Ci;
use super::found::Detection;
use crate::check::project::Project;

pub(super) const MANIFESTS: &[&str] = &["CMakeLists.txt", "meson.build"];

/// Where builds go; a name that no project uses.
const FOLDER: &str = "mend-build";

pub(super) fn find(project: &Project<'_>, _ci: &Ci, _at: &str) -> Detection {
    let mut found = Detection::default();
    let lists = |word: &str, name: &str| {
        project
            .files()
            .filter(|f| crate::check::project::name_of(f) == name)
            .take(100)
            .find(|f| project.text(f).is_some_and(|t| t.contains(word)))
    };
    if project.has("CMakeLists.txt") {
        let tests = [
            "enable_testing",
            "include(CTest)",
            "include (CTest)",
            "add_test",
        ]
        .iter()
        .find_map(|word| Some((lists(word, "CMakeLists.txt")?, word)));
        if let Some((file, word)) = tests {
            let word = word.trim_end_matches(')');
            found.check(
                format!(
                    "cmake -S . -B {FOLDER} && cmake --build {FOLDER} && ctest --test-dir {FOLDER} --output-on-failure --no-tests=error"
                ),
                format!("{file} has `{word}`"),
            );
            return found;
        }
    }
    if project.has("meson.build")
        && let Some(file) = lists("test(", "meson.build")
    {
        found.check(
            format!("meson setup {FOLDER} && meson test -C {FOLDER} --print-errorlogs"),
            format!("{file} has `test(`"),
        );
    }
    found
}
