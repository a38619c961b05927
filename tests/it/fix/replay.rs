//! A recording plays again and is compared turn by turn.

use super::{SUMS, case, edit, sandbox, turn};
use mend::domain::{Cancel, NoJournal, Verdict};
use mend::fix::Recorded;
use mend::lab;
use serde_json::json;
use std::path::Path;

/// Records a run of two turns into `folder`.
async fn record(folder: &Path) {
    let recorded = case(SUMS);
    let wrong = edit("adder/sums.py", "return a - b", "return a * b");
    let right = edit("adder/sums.py", "return a * b", "return a + b");
    let (fixed, _) = recorded
        .run(vec![
            turn("", std::slice::from_ref(&wrong)),
            turn("", std::slice::from_ref(&right)),
        ])
        .await;
    assert_eq!(fixed.verdict, Verdict::Ready);
    std::fs::create_dir_all(folder).unwrap();
    for (n, (name, arguments)) in [wrong, right].into_iter().enumerate() {
        let reply = json!({"text": "", "tool_calls": [{"name": name, "arguments": arguments}]});
        std::fs::write(
            folder.join(format!("{:04}.reply.json", n + 1)),
            reply.to_string(),
        )
        .unwrap();
    }
    let task = json!({"report": recorded.report});
    std::fs::write(folder.join("task.json"), task.to_string()).unwrap();
    for (path, text) in SUMS {
        let path = folder.join("base").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
    Recorded::of(&fixed).write(folder).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_recording_is_equal_to_itself_and_a_changed_turn_is_found() {
    let world = case(&[]);
    std::fs::create_dir_all(world.folder.path()).unwrap();
    let folder = world.folder.path().join("recording");
    record(&folder).await;
    let play = async || {
        lab::replay(
            &folder,
            sandbox().await,
            world.folder.path(),
            &Cancel::new(),
            &NoJournal,
        )
        .await
        .unwrap()
    };
    let same = play().await;
    assert!(same.equal, "{:?}", same.difference);
    // A reviewer whose only call failed left no reply; it fails again.
    std::fs::create_dir(folder.join("review")).unwrap();
    let same = play().await;
    assert!(same.equal, "{:?}", same.difference);
    // The second answer now misses.
    let reply = folder.join("0002.reply.json");
    let text = std::fs::read_to_string(&reply)
        .unwrap()
        .replace("return a * b", "return a / b");
    std::fs::write(&reply, text).unwrap();
    let differs = play().await;
    let difference = differs.difference.expect("a difference");
    assert_eq!((difference.turn, difference.what), (Some(2), "calls"));
    // A recorded verdict that is not reached any more.
    record(&folder).await;
    let result = folder.join("result.json");
    let text = std::fs::read_to_string(&result)
        .unwrap()
        .replace("\"ready\"", "\"draft\"");
    std::fs::write(&result, text).unwrap();
    assert_eq!(
        play().await.difference.expect("a difference").what,
        "verdict"
    );
}
