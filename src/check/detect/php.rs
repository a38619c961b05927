//! PHP: `composer test`, PHPUnit, Pest.

use super::ci::Ci;
use super::found::Detection;
use crate::check::project::Project;
use serde_json::Value;

pub(super) const MANIFESTS: &[&str] = &["composer.json", "phpunit.xml", "phpunit.xml.dist"];

pub(super) fn find(project: &Project<'_>, _ci: &Ci, _at: &str) -> Detection {
    let mut found = Detection::default();
    let manifest = project.json("composer.json").unwrap_or_default();
    let requires = |name: &str| {
        ["require-dev", "require"]
            .iter()
            .filter_map(|list| manifest.get(list)?.as_object())
            .any(|list| list.contains_key(name))
    };
    let config = project.first_of(&["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"]);
    if manifest
        .pointer("/scripts/test")
        .is_some_and(|s| *s != Value::Null)
    {
        found.check("composer test", "composer.json has a `test` script");
    } else if requires("pestphp/pest") {
        found.check("vendor/bin/pest", "composer.json requires pestphp/pest");
    } else if requires("phpunit/phpunit") {
        found.check(
            "vendor/bin/phpunit",
            "composer.json requires phpunit/phpunit",
        );
    } else if let Some(config) = config {
        found.check("phpunit", config);
    }
    if !found.commands.is_empty() && project.has("composer.json") {
        let why = project
            .first_of(&["composer.lock"])
            .unwrap_or("composer.json");
        found.set_up("composer install --no-interaction --no-progress", why);
    }
    found
}
