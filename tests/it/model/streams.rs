//! Streams that break: at every byte, in every way.

use super::stub::{Answer, End, Stub};
use super::{WIRES, hello, settings};
use mend::domain::Cancel;
use mend::model::{ModelError, Turn, WireKind, connect};
use std::time::{Duration, Instant};

const ANTHROPIC: &str = concat!(
    "event: message_start\r\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\r\n\r\n",
    ": keep-alive\r\n\r\n",
    "event: content_block_start\r\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\r\n\r\n",
    "event: content_block_delta\r\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Ünd\"}}\r\n\r\n",
    "event: content_block_start\r\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"read_file\",\"input\":{}}}\r\n\r\n",
    "event: content_block_delta\r\ndata: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\\\"path\\\": \\\"a\\\"}\"}}\r\n\r\n",
    "event: content_block_stop\r\ndata: {\"type\":\"content_block_stop\",\"index\":1}\r\n\r\n",
    "event: message_delta\r\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"},\"usage\":{\"output_tokens\":7}}\r\n\r\n",
    "event: message_stop\r\ndata: {\"type\":\"message_stop\"}\r\n\r\n",
);

const CHAT: &str = concat!(
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"Ünd\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"t\",\"type\":\"function\",\"function\":{\"name\":\"read_file\",\"arguments\":\"{\\\"path\\\": \"}}]}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"a\\\"}\"}}]}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":7,\"prompt_tokens_details\":{\"cached_tokens\":4}}}\n\n",
    "data: [DONE]\n\n",
);

const RESPONSES: &str = concat!(
    "event: response.created\ndata: {\"type\":\"response.created\",\"response\":{\"status\":\"in_progress\",\"error\":null,\"output\":[]}}\n\n",
    "event: response.output_item.added\ndata: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"call_id\":\"t\",\"name\":\"read_file\",\"arguments\":\"\"}}\n\n",
    "event: response.function_call_arguments.delta\ndata: {\"type\":\"response.function_call_arguments.delta\",\"output_index\":0,\"delta\":\"{\\\"path\"}\n\n",
    "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"call_id\":\"t\",\"name\":\"read_file\",\"arguments\":\"{\\\"path\\\": \\\"Ünd\\\"}\"}}\n\n",
    "event: response.completed\ndata: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"error\":null,\"output\":[],\"usage\":{\"input_tokens\":9,\"output_tokens\":7}}}\n\n",
);

fn stream_of(wire: WireKind) -> &'static str {
    match wire {
        WireKind::Anthropic => ANTHROPIC,
        WireKind::Chat => CHAT,
        WireKind::Responses => RESPONSES,
    }
}

async fn ask(wire: WireKind, answer: Answer) -> Result<Turn, ModelError> {
    let stub = Stub::start(vec![answer]).await;
    let model = connect(&settings(wire, &stub.base, true)).unwrap();
    model.turn(&hello(), &Cancel::new()).await
}

/// Plays every cut that leaves `lane` as remainder, in a lane of its own.
async fn cuts(wire: WireKind, whole: &Turn, lane: usize, lanes: usize) {
    let stream = stream_of(wire);
    let stub = Stub::start(vec![]).await;
    let model = connect(&settings(wire, &stub.base, true)).unwrap();
    // From here on the last event is complete, and only blank lines are missing.
    let complete = stream.trim_end().len();
    for end in [End::Clean, End::Broken] {
        for cut in (lane..stream.len()).step_by(lanes) {
            stub.then(Answer::sse(&stream.as_bytes()[..cut]).end(end));
            match model.turn(&hello(), &Cancel::new()).await {
                Ok(turn) => {
                    assert!(cut >= complete, "{wire:?}: a turn from {cut} bytes");
                    assert_eq!(&turn, whole);
                }
                Err(ModelError::Unavailable { .. }) => {}
                Err(e) => panic!("{wire:?}, {cut} bytes: {e:?}"),
            }
        }
    }
}

#[tokio::test]
async fn a_stream_cut_at_any_byte_is_never_an_answer() {
    for wire in WIRES {
        let whole = ask(wire, Answer::sse(stream_of(wire))).await.unwrap();
        assert_eq!(whole.usage.output_tokens, 7);
        let lanes = (0..16).map(|lane| cuts(wire, &whole, lane, 16));
        futures::future::join_all(lanes).await;
    }
}

#[tokio::test]
async fn one_byte_at_a_time_gives_the_same_turn() {
    for wire in WIRES {
        let whole = ask(wire, Answer::sse(stream_of(wire))).await.unwrap();
        let drip = Answer::sse(stream_of(wire)).drip(1, Duration::ZERO);
        assert_eq!(ask(wire, drip).await.unwrap(), whole);
    }
}

/// The last event ends the turn, whether the server closes the connection or not.
#[tokio::test]
async fn a_connection_that_stays_open_does_not_hold_the_turn() {
    for wire in WIRES {
        let begun = Instant::now();
        ask(wire, Answer::sse(stream_of(wire)).end(End::Silent))
            .await
            .unwrap();
        assert!(begun.elapsed() < Duration::from_secs(5));
    }
}

#[tokio::test]
async fn silence_and_dripping_are_bounded() {
    for wire in WIRES {
        let half = stream_of(wire).as_bytes()[..400].to_vec();
        let stub = Stub::start(vec![
            Answer::sse(half.clone()).end(End::Silent),
            Answer::sse(half).drip(1, Duration::from_millis(100)),
        ])
        .await;
        let mut s = settings(wire, &stub.base, true);
        (s.idle_timeout_s, s.timeout_s) = (1, 3);
        let model = connect(&s).unwrap();
        let begun = Instant::now();
        let silent = model.turn(&hello(), &Cancel::new()).await.unwrap_err();
        assert!(
            silent.to_string().contains("no byte within 1 s"),
            "{silent}"
        );
        let slow = model.turn(&hello(), &Cancel::new()).await.unwrap_err();
        assert!(slow.to_string().contains("within 3 s"), "{slow}");
        assert!(begun.elapsed() < Duration::from_secs(8));
    }
}

#[tokio::test]
async fn cancel_ends_a_stalled_stream_at_once() {
    let stub = Stub::start(vec![Answer::sse("").end(End::Silent)]).await;
    let model = connect(&settings(WireKind::Chat, &stub.base, true)).unwrap();
    let cancel = Cancel::new();
    let begun = Instant::now();
    let (turn, ()) = tokio::join!(
        async {
            let request = hello();
            model.turn(&request, &cancel).await
        },
        async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            cancel.cancel();
        }
    );
    assert_eq!(turn.unwrap_err(), ModelError::Cancelled);
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert_eq!(
        model.turn(&hello(), &cancel).await.unwrap_err(),
        ModelError::Cancelled
    );
    assert_eq!(stub.seen().len(), 1, "a cancelled call asks nothing");
}

#[tokio::test]
async fn an_error_event_in_a_200_stream_is_classified() {
    let after_half = |wire: WireKind, event: &str| {
        let stream = stream_of(wire);
        let half = stream.rfind(match wire {
            WireKind::Anthropic => "event: message_delta",
            WireKind::Chat => "data: [DONE]",
            WireKind::Responses => "event: response.completed",
        });
        Answer::sse(format!("{}{event}", &stream[..half.unwrap()]))
    };
    let overloaded = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
    let e = ask(
        WireKind::Anthropic,
        after_half(WireKind::Anthropic, overloaded),
    )
    .await;
    assert!(
        matches!(&e, Err(ModelError::Busy { until: Some(_), message }) if message.contains("Overloaded")),
        "{e:?}"
    );
    let invalid = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"no\"}}\n\n";
    let e = ask(
        WireKind::Anthropic,
        after_half(WireKind::Anthropic, invalid),
    )
    .await;
    assert!(matches!(&e, Err(ModelError::Permanent { .. })), "{e:?}");
    let failed = "data: {\"type\":\"response.failed\",\"response\":{\"status\":\"failed\",\"error\":{\"code\":\"rate_limit_exceeded\",\"message\":\"slow\"}}}\n\n";
    let e = ask(WireKind::Responses, after_half(WireKind::Responses, failed)).await;
    assert!(matches!(&e, Err(ModelError::Busy { .. })), "{e:?}");
    let upstream = "data: {\"error\":{\"code\":502,\"message\":\"upstream\"},\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"error\"}]}\n\ndata: [DONE]\n\n";
    let e = ask(WireKind::Chat, after_half(WireKind::Chat, upstream)).await;
    assert!(matches!(&e, Err(ModelError::Unavailable { .. })), "{e:?}");
}

#[tokio::test]
async fn malformed_and_giant_streams_are_errors() {
    for wire in WIRES {
        for bad in [
            "data: {not json}\n\n",
            "data: \u{7f}\n\n",
            "<html>\n\n",
            "\n\n\n",
        ] {
            let e = ask(wire, Answer::sse(bad)).await.unwrap_err();
            assert!(
                matches!(e, ModelError::Unavailable { .. }),
                "{bad:?}: {e:?}"
            );
        }
        let bytes = Answer::sse(&b"data: \xff\xfe\n\n"[..]);
        assert!(ask(wire, bytes).await.is_err());
        let mut giant = Answer::sse(vec![b'x'; 1 << 20]);
        giant.chunks = vec![giant.chunks[0].clone(); 40];
        let e = ask(wire, giant).await.unwrap_err();
        assert!(e.to_string().contains("larger than 16 MiB"), "{e}");
        assert!(!e.is_transient());
    }
}
