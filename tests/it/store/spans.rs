//! Spans in the store: news, fencing, ends.

use super::{Fresh, trigger};
use mend::domain::{SpanEnd, SpanKind};
use mend::store::{StoredSpan, TraceEnd};
use std::time::Duration;

fn span(id: i64, rev: i64, end: Option<SpanEnd>) -> StoredSpan {
    StoredSpan {
        id,
        rev,
        parent: (id > 1).then_some(1),
        kind: SpanKind::Tool,
        name: "read_file".into(),
        started_at: 1_700_000_000_000 + id,
        duration_ms: end.map(|_| 5),
        end,
        input: "in\0".into(),
        output: end.map(|_| "out".into()).unwrap_or_default(),
        attributes: "{}".into(),
    }
}

async fn spans_are_read_as_news(fresh: Fresh) {
    let store = &fresh.store;
    store.create_task(&trigger(1, "k"), 3).await.unwrap();
    let held = store
        .claim("a", Duration::from_secs(60))
        .await
        .unwrap()
        .unwrap()
        .held;
    assert_eq!(store.trace_end(held.id).await.unwrap(), TraceEnd::default());
    let opened = [span(1, 1, None), span(2, 2, None)];
    store.put_spans(held, &opened).await.unwrap();
    let all = store.spans(held.id, 0, 10).await.unwrap();
    assert_eq!(all.len(), 2);
    assert_eq!((all[1].parent, all[1].end), (Some(1), None));
    assert_eq!(
        all[0].input, "in\u{fffd}",
        "no database takes a NUL in text everywhere"
    );
    store
        .put_spans(held, &[span(2, 3, Some(SpanEnd::Failed))])
        .await
        .unwrap();
    let news = store.spans(held.id, 2, 10).await.unwrap();
    assert_eq!(news.len(), 1);
    assert_eq!(
        (news[0].id, news[0].end, news[0].output.as_str()),
        (2, Some(SpanEnd::Failed), "out")
    );
    assert_eq!(
        store.trace_end(held.id).await.unwrap(),
        TraceEnd { id: 2, rev: 3 }
    );
    assert_eq!(store.spans(held.id, 0, 1).await.unwrap().len(), 1);
}

async fn who_lost_the_lease_writes_no_span(fresh: Fresh) {
    let store = &fresh.store;
    store.create_task(&trigger(1, "k"), 3).await.unwrap();
    let old = store
        .claim("a", Duration::from_secs(60))
        .await
        .unwrap()
        .unwrap()
        .held;
    store.put_spans(old, &[span(1, 1, None)]).await.unwrap();
    fresh.clock.on(Duration::from_secs(61));
    store.reap(Duration::ZERO).await.unwrap();
    let new = store
        .claim("b", Duration::from_secs(60))
        .await
        .unwrap()
        .unwrap()
        .held;
    store.put_spans(old, &[span(2, 2, None)]).await.unwrap();
    assert_eq!(store.spans(new.id, 0, 10).await.unwrap().len(), 1);
    store.interrupt_spans(old).await.unwrap();
    assert_eq!(store.spans(new.id, 0, 10).await.unwrap()[0].end, None);
    store.interrupt_spans(new).await.unwrap();
    assert_eq!(
        store.spans(new.id, 0, 10).await.unwrap()[0].end,
        Some(SpanEnd::Interrupted)
    );
    let fired = [("slow".to_string(), 1), ("slow".to_string(), 1)];
    store.put_fired(new.id, &fired).await.unwrap();
    assert_eq!(
        store.fired(new.id).await.unwrap(),
        [("slow".to_string(), 1)]
    );
    assert_eq!(
        store.prune_spans(Duration::ZERO).await.unwrap(),
        0,
        "it runs"
    );
}

on_both!(spans_are_read_as_news, who_lost_the_lease_writes_no_span,);
