//! Java, Kotlin, Scala: Maven and Gradle, by their wrappers where a project has them.

use super::ci::Ci;
use super::found::Detection;
use super::words::Tool;
use crate::check::project::Project;

pub(super) const MANIFESTS: &[&str] = &[
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "settings.gradle",
    "settings.gradle.kts",
];

pub(super) fn find(project: &Project<'_>, ci: &Ci, at: &str) -> Detection {
    let mut found = Detection::default();
    let maven = project.has("pom.xml");
    let gradle = project.first_of(&MANIFESTS[1..]);
    let runs = |tool: Tool| {
        ci.calls_in(at)
            .find(|(c, _)| c.tool == tool)
            .map(|(_, f)| f)
    };
    match (maven, gradle) {
        (true, Some(file)) => match (runs(Tool::Gradle), runs(Tool::Maven)) {
            (Some(ci), None) => {
                gradle_check(project, file, &mut found);
                found.pass_over("pom.xml", format!("{ci} runs Gradle"));
            }
            _ => {
                maven_check(project, &mut found);
                found.pass_over(file, "pom.xml stands beside it");
            }
        },
        (true, None) => maven_check(project, &mut found),
        (false, Some(file)) => gradle_check(project, file, &mut found),
        (false, None) => {}
    }
    found
}

fn maven_check(project: &Project<'_>, found: &mut Detection) {
    let program = wrapper(project, "mvnw", "mvn");
    found.check(format!("{program} -B --offline test"), "pom.xml");
    // A method that no class has: the tests are compiled, and Surefire, which asks for the runner
    // only where a class matches, fetches and starts it.
    found.set_up(
        format!(
            "{program} -B -q test -Dtest='*#noTestHasThisName' -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false"
        ),
        "pom.xml: what the tests need is fetched, none is run",
    );
}

fn gradle_check(project: &Project<'_>, file: &str, found: &mut Detection) {
    let program = wrapper(project, "gradlew", "gradle");
    found.check(
        format!("{program} --no-daemon --offline --continue test"),
        file,
    );
    found.set_up(
        format!("{program} --no-daemon testClasses"),
        format!("{file}: what the tests need is fetched, none is run"),
    );
}

/// The wrapper of the project, started by the shell since its bit may be lost.
fn wrapper(project: &Project<'_>, script: &str, program: &str) -> String {
    match project.has(script) {
        true => format!("sh ./{script}"),
        false => program.to_string(),
    }
}
