//! Ruby: RSpec, minitest, `rake test`.

use super::ci::Ci;
use super::found::Detection;
use super::words::Tool;
use crate::check::project::{MAX_LOOKED, Project};

pub(super) const MANIFESTS: &[&str] = &["Gemfile", "Rakefile", "*.gemspec", ".rspec"];

pub(super) fn find(project: &Project<'_>, ci: &Ci, at: &str) -> Detection {
    let mut found = Detection::default();
    let gemfile = project.text("Gemfile");
    let run = if gemfile.is_some() {
        "bundle exec "
    } else {
        ""
    };
    let specs = project.files().any(|f| f.ends_with("_spec.rb"));
    let rakefile = ["Rakefile", "rakefile", "Rakefile.rb"]
        .iter()
        .find_map(|f| project.text(f));
    let task = rakefile.as_deref().and_then(rake_task);
    let test = project
        .files()
        .filter(|f| f.ends_with("_test.rb") || name_is_test(f))
        .take(MAX_LOOKED)
        .find(|f| {
            project.text(f).is_some_and(|t| {
                t.contains("initest") || t.contains("Test::Unit") || t.contains("test_helper")
            })
        });
    let ci_rakes = ci.calls_in(at).any(|(c, _)| c.tool == Tool::Rake);
    if project.has("bin/rails") && test.is_some() {
        found.check("bin/rails test", "bin/rails and tests of minitest");
    } else if specs && !(ci_rakes && task.is_some()) {
        let why = project.first_of(&[".rspec"]).unwrap_or("files `*_spec.rb`");
        found.check(format!("{run}rspec"), why);
    } else if let Some(task) = task.filter(|_| specs || test.is_some()) {
        found.check(
            format!("{run}rake {task}"),
            format!("the Rakefile has a task `{task}`"),
        );
    } else if let Some(file) = test {
        // Each file is required, as `rake test` would do.
        let folder = file
            .split('/')
            .next()
            .filter(|_| file.contains('/'))
            .unwrap_or(".");
        let script =
            format!("Dir[\"./{folder}/**/{{*_test,test_*}}.rb\"].sort.each {{ |f| require f }}");
        found.check(
            format!("{run}ruby -Ilib -I{folder} -e '{script}'"),
            format!("{file} is a test of minitest"),
        );
    }
    if found.commands.is_empty() {
        return found;
    }
    if gemfile.is_some() {
        let why = project.first_of(&["Gemfile.lock"]).unwrap_or("Gemfile");
        found.set_up("bundle install", why);
    }
    found
}

fn name_is_test(path: &str) -> bool {
    let name = crate::check::project::name_of(path);
    name.starts_with("test_") && name.ends_with(".rb") && name != "test_helper.rb"
}

/// The task of a Rakefile that runs the tests.
fn rake_task(text: &str) -> Option<&'static str> {
    let has = |words: &[&str]| words.iter().any(|w| text.contains(w));
    if has(&[
        "Rake::TestTask",
        "task :test",
        "task test:",
        "task \"test\"",
        "Minitest::TestTask",
    ]) {
        return Some("test");
    }
    has(&["RSpec::Core::RakeTask", "task :spec", "task spec:"]).then_some("spec")
}
