//! One run of one command, with the reports that it leaves.

use super::report::{self, Asked, Collected};
use super::run::{Place, blocking, judge, spec};
use super::{CheckCommand, CheckError};
use crate::domain::{CheckRun, Exit, Outcome};
use crate::sandbox::{Mount, Ran};
use crate::tree::{RelPath, Tree, make_folder};
use std::path::Path;
use std::time::SystemTime;

/// One run, with its reports.
pub(super) async fn attempt(
    place: &Place<'_>,
    command: &CheckCommand,
    asked: &Asked,
) -> Result<(Ran, CheckRun), CheckError> {
    let mut spec = spec(place.folder, command, asked, place.options);
    let private = match &place.options.reports {
        Some(reports) if asked.wants_file() => {
            let beneath = reports.join(uuid::Uuid::new_v4().simple().to_string());
            let made = beneath.clone();
            blocking(move || Ok(private_file(&made)?)).await?;
            spec.mounts.push(Mount {
                host: beneath.join(PRIVATE),
                inside: asked.inside().into(),
                writable: true,
            });
            Some(beneath)
        }
        _ => None,
    };
    let since = SystemTime::now();
    let mut ran = place.sandbox.run(&spec, place.cancel).await?;
    if asked.form == report::Form::GoOutput {
        ran.output = report::from_go(&ran.output);
    }
    ran.output = without_our_lines(ran.output);
    let (asked, tree, folder) = (
        asked.clone(),
        place.folder.to_path_buf(),
        command.folder.clone(),
    );
    let collected = blocking(move || {
        report::collect(&asked, private.as_deref(), &tree, folder.as_deref(), since)
    })
    .await;
    // A tree that cannot be read after hostile code worked in it costs the report, not the run.
    let collected = collected.unwrap_or_else(|e| Collected {
        left_out: vec![format!("the reports could not be read ({e})")],
        ..Collected::default()
    });
    let run = judge(command, &ran, &collected, place.options);
    Ok((ran, run))
}

/// The name of the private file on the host.
const PRIVATE: &str = "report";

/// A file that the sandbox's user may write, whoever that is on the host. A single file, because the
/// kernel bounds its size.
fn private_file(folder: &Path) -> Result<(), crate::tree::TreeError> {
    make_folder(folder, 0o711)?;
    Tree::open(folder)?.write(&RelPath::parse(PRIVATE)?, b"", Some(0o666))
}

/// How pytest, jest and vitest say that they wrote a report.
const OURS: [&str; 3] = [
    "generated xml file",
    "Test results written to",
    "report written to",
];

/// What a runner says about a report that mend asked for is no output of the project's.
fn without_our_lines(output: Vec<u8>) -> Vec<u8> {
    if memchr::memmem::find(&output, report::INSIDE.as_bytes()).is_none() {
        return output;
    }
    let ours = |line: &[u8]| {
        memchr::memmem::find(line, report::INSIDE.as_bytes()).is_some()
            && OURS
                .iter()
                .any(|w| memchr::memmem::find(line, w.as_bytes()).is_some())
    };
    let lines = output.split_inclusive(|b| *b == b'\n');
    lines.filter(|l| !ours(l)).flatten().copied().collect()
}

/// Whether the runner does not take what was asked of it; then the run is made without.
pub(super) fn refused(ran: &Ran, run: &CheckRun) -> bool {
    let says = |words: &str| memchr::memmem::find(&ran.output, words.as_bytes()).is_some();
    run.classification.outcome != Outcome::Passed
        && ran.exit != Exit::TimedOut
        && (says(report::INSIDE)
            || says("bad option: --test-reporter")
            || says("--test-reporter= is not allowed in NODE_OPTIONS")
            || says("flag provided but not defined: -json"))
}
