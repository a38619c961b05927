//! Mistakes with the model.

use super::{refused, tells};
use crate::model::stub::{Answer, Stub};
use crate::onboard::Place;
use crate::world::{chat, text};
use mend::simulator::SimulatorOptions;
use serde_json::json;

#[tokio::test]
async fn m_06_the_models_key_is_wrong() {
    let locked = Stub::answering(|_| {
        let body = json!({"error": {"message": "Incorrect API key provided: sk-of-the-test"}});
        Answer::json(401, body.to_string())
    })
    .await;
    let mut place = Place::with(SimulatorOptions::default(), locked).await;
    place.change(
        "stream = false",
        "stream = false\napi_key = \"sk-of-the-test\"",
    );
    let seen = place.doctor().await;
    assert_eq!(seen.code, 1);
    tells(
        &seen.one("model"),
        &[
            "failed: scripted: the model refused the request: status 401",
            "check the key (`model.api_key` or MEND_MODEL_API_KEY) for http://127.0.0.1:",
        ],
    );
    assert!(!seen.json.to_string().contains("sk-of-the-test"));
    // None at all, and no model.
    place.changes.clear();
    place.change("wire = \"chat\"\nmodel = \"scripted\"\n", "");
    let (code, said) = refused(&place).await;
    assert_eq!(code, 2, "{said}");
    tells(
        &said,
        &[
            "`model.wire` is missing",
            "`model.model` is missing",
            "MEND_MODEL_MODEL",
        ],
    );
}

#[tokio::test]
async fn m_07_the_model_calls_no_tools() {
    let talks = Stub::answering(|_| Answer::json(200, chat(&text("I am ready.")))).await;
    let place = Place::with(SimulatorOptions::default(), talks).await;
    let seen = place.doctor().await;
    assert_eq!(seen.code, 0);
    tells(
        &seen.one("model"),
        &[
            "warning: scripted answers, and called no tool although it was asked to",
            "set `model.dialect = \"text\"`, or take a model that calls tools",
        ],
    );
}
