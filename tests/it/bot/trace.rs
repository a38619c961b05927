//! Every task leaves a trace: what it did, and which guards fired on it.

use crate::world::{World, calls, fix, more};
use mend::domain::SpanEnd;
use serde_json::json;
use std::time::Duration;

#[tokio::test(flavor = "multi_thread")]
async fn a_task_leaves_its_trace() {
    let read = calls(&[("read_file", json!({"path": "tests/test_sums.py"}))]);
    let world = World::new(&[&[read, fix()], &[more()]]).await;
    let issue = world.label();
    let task = world.ended(1).await;
    let store = world.server().store();
    let spans = world
        .until("the trace has its end", async || {
            let spans = store.spans(task.id, 0, 1000).await.unwrap();
            let done = spans.iter().any(|s| s.name == "publish" && s.end.is_some());
            done.then_some(spans)
        })
        .await;
    let mut spans = spans;
    spans.sort_by_key(|s| s.id);
    assert!(
        spans
            .iter()
            .all(|s| s.end == Some(SpanEnd::Ok) || s.kind == mend::domain::SpanKind::Check),
        "{spans:#?}"
    );
    let names: Vec<_> = spans
        .iter()
        .filter(|s| s.parent.is_none())
        .map(|s| s.name.as_str())
        .collect();
    assert_eq!(names, ["prepare", "solve_task", "publish"]);
    assert!(spans.iter().any(|s| s.name == "model_call"));
    let fired = world
        .until("guards have read it", async || {
            let fired = store.fired(task.id).await.unwrap();
            (!fired.is_empty()).then_some(fired)
        })
        .await;
    let read = spans.iter().find(|s| s.name == "read_file").unwrap();
    assert_eq!(fired, [("read a test file".to_string(), read.id)]);
    assert_eq!(spans.last().unwrap().output, "ready", "issue {issue}");
    world.end().await;
}

/// A month later nothing is left of a task's trace but its ending.
#[tokio::test(flavor = "multi_thread")]
async fn traces_go_after_a_month() {
    let mut world = World::new(&[&[fix()]]).await;
    world.label();
    let task = world.ended(1).await;
    let kept = async |world: &World| {
        let spans = world.server().store().spans(task.id, 0, 10).await;
        !spans.unwrap().is_empty()
    };
    for days in [29, 2] {
        assert!(kept(&world).await);
        world.down().await;
        world.clock.on(Duration::from_secs(days * 24 * 3600));
        world.up().await;
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    world
        .until("the trace is gone", async || {
            (!kept(&world).await).then_some(())
        })
        .await;
    world.end().await;
}
