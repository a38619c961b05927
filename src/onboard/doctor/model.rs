//! One tiny request to each model, with a tool that it is asked to call.

use super::Doctor;
use crate::domain::Cancel;
use crate::model::{self, Message, Model, ModelError, ModelSettings, Request, ToolSpec, Turn};
use crate::onboard::report::Finding;
use serde_json::json;
use std::time::{Duration, Instant};

const NAME: &str = "model";
/// Seconds of one attempt.
const TIME_S: u64 = 60;
/// Enough for a model that thinks a little before it calls.
const OUTPUT: u32 = 1024;
const TOOL: &str = "report_ready";

pub(super) async fn look(doctor: &Doctor) -> Vec<Finding> {
    if doctor.replays {
        return vec![Finding::warning(
            NAME,
            "the model's answers are recorded ones (`model.replay`)",
            "name an endpoint under [model]",
        )];
    }
    let mut findings = Vec::new();
    for (role, settings) in &doctor.models {
        findings.push(prove(role, settings).await);
    }
    findings
}

/// Whether a model answers, takes its key and calls tools.
pub(crate) async fn prove(role: &str, settings: &ModelSettings) -> Finding {
    let settings = ModelSettings {
        retries: 1,
        retry_wait_s: 10,
        timeout_s: TIME_S,
        idle_timeout_s: TIME_S,
        record: None,
        ..settings.clone()
    };
    let named = match role {
        "worker" => settings.model.clone(),
        role => format!("{} ({role})", settings.model),
    };
    if settings.model.is_empty() {
        return Finding::failed(
            NAME,
            "no model is named",
            "set `model.wire` and `model.model`, and its key",
        );
    }
    let start = Instant::now();
    let asked = match model::connect(&settings) {
        Ok(model) => ask(&*model, true).await,
        Err(e) => Err(e),
    };
    match asked {
        Ok(turn) if called(&turn) => Finding::ok(
            NAME,
            format!(
                "{named} answers and calls tools ({:.1} s, {} tokens in, {} out)",
                start.elapsed().as_secs_f64(),
                turn.usage.input_tokens,
                turn.usage.output_tokens
            ),
        ),
        Ok(_) => Finding::warning(
            NAME,
            format!("{named} answers, and called no tool although it was asked to"),
            "set `model.dialect = \"text\"`, or take a model that calls tools",
        ),
        Err(error) => refused(&named, &settings, &error).await,
    }
}

async fn ask(model: &dyn Model, tools: bool) -> Result<Turn, ModelError> {
    let tool = ToolSpec {
        name: TOOL.into(),
        description: "Says that you are ready.".into(),
        schema: json!({
            "type": "object",
            "properties": { "word": { "type": "string" } },
            "required": ["word"]
        }),
    };
    let request = Request {
        system: "You test a connection. Do what is asked, and nothing else.".into(),
        messages: vec![Message::User(match tools {
            true => format!("Call the tool `{TOOL}` with the word \"ready\"."),
            false => "Answer with the word \"ready\".".into(),
        })],
        tools: if tools { vec![tool] } else { Vec::new() },
        max_output_tokens: OUTPUT,
    };
    let limit = Duration::from_secs(2 * TIME_S);
    match tokio::time::timeout(limit, model.turn(&request, &Cancel::new())).await {
        Ok(turn) => turn,
        Err(_) => Err(ModelError::Unavailable {
            message: format!("no answer within {} s", limit.as_secs()),
        }),
    }
}

fn called(turn: &Turn) -> bool {
    turn.calls.iter().any(|c| c.name == TOOL)
}

/// A refusal of tools is told from a refusal of everything by asking once more without.
async fn refused(named: &str, settings: &ModelSettings, error: &ModelError) -> Finding {
    if let ModelError::Permanent {
        status: Some(400 | 404 | 422 | 501),
        ..
    } = error
        && let Ok(model) = model::connect(settings)
        && ask(&*model, false).await.is_ok()
    {
        return Finding::warning(
            NAME,
            format!("{named} answers, and its endpoint refuses tools"),
            "nothing needs to be done: with `model.dialect` auto or text mend works without them; a model that calls tools does better",
        );
    }
    let endpoint = settings.endpoint().map(|u| {
        let origin = u.origin().ascii_serialization();
        format!("{origin}{}", u.path())
    });
    let endpoint = endpoint.unwrap_or_else(|_| "its endpoint".into());
    let remedy = match error {
        ModelError::Permanent {
            status: Some(401 | 403),
            ..
        } => format!("check the key (`model.api_key` or MEND_MODEL_API_KEY) for {endpoint}"),
        ModelError::Permanent {
            status: Some(404), ..
        } => format!("check `model.model` and `model.base_url`: {endpoint} was asked"),
        ModelError::Permanent { .. } => format!("see what {endpoint} wants, and change [model]"),
        ModelError::Busy { .. } => {
            "wait, or raise the provider's limits; tasks wait by themselves".into()
        }
        ModelError::Unavailable { .. } => format!(
            "check `model.base_url` and that this machine reaches {endpoint}; start the local server if it is one"
        ),
        ModelError::Settings { .. } => "correct it under [model]".into(),
        _ => "try again".into(),
    };
    match error {
        ModelError::Busy { .. } => Finding::warning(NAME, format!("{named}: {error}"), remedy),
        _ => Finding::failed(NAME, format!("{named}: {error}"), remedy),
    }
}
