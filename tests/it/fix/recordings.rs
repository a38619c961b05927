//! Every recorded conversation of the repository still comes to the same.

use super::sandbox;
use mend::domain::{Cancel, NoJournal};
use mend::lab;
use std::os::unix::fs::PermissionsExt;

#[tokio::test(flavor = "multi_thread")]
async fn recordings_replay() {
    let scratch = tempfile::Builder::new()
        .prefix("mend-replay-")
        .tempdir_in("/tmp")
        .unwrap();
    std::fs::set_permissions(scratch.path(), std::fs::Permissions::from_mode(0o711)).unwrap();
    let mut played = 0;
    for entry in std::fs::read_dir("tests/recordings").unwrap() {
        let folder = entry.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        let replayed = lab::replay(
            &folder,
            sandbox().await,
            scratch.path(),
            &Cancel::new(),
            &NoJournal,
        )
        .await
        .unwrap();
        assert!(
            replayed.equal,
            "{}: {:?}",
            folder.display(),
            replayed.difference
        );
        played += 1;
    }
    assert!(played >= 14);
}
