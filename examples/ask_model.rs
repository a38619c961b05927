//! Asks a model one question and prints its turn as JSON; an error goes to stderr with exit 1.
//!
//! `ask_model WIRE BASE_URL MODEL [plain] [idle SECONDS] [retries N]`, the key in `MEND_API_KEY`.
//! For a look at an endpoint, and the client that `tests/llmock.sh` judges.

use mend::domain::Cancel;
use mend::model::{Message, ModelSettings, Request, ToolSpec, WireKind, connect};
use serde_json::json;

fn settings(args: &[String]) -> anyhow::Result<ModelSettings> {
    let [wire, base, model, options @ ..] = args else {
        anyhow::bail!(
            "usage: ask_model anthropic|chat|responses BASE_URL MODEL [plain] [idle S] [retries N]"
        );
    };
    let wire = match wire.as_str() {
        "anthropic" => WireKind::Anthropic,
        "chat" => WireKind::Chat,
        "responses" => WireKind::Responses,
        other => anyhow::bail!("no wire format `{other}`: anthropic, chat or responses"),
    };
    let mut settings = ModelSettings::new(wire, model);
    settings.base_url = Some(base.clone());
    #[allow(clippy::disallowed_methods)] // an example has no `config`
    if let Ok(key) = std::env::var("MEND_API_KEY") {
        settings.api_key = Some(key.into());
    }
    let mut options = options.iter();
    while let Some(option) = options.next() {
        let mut number = || {
            anyhow::Context::context(options.next(), "a number is missing")?
                .parse()
                .map_err(anyhow::Error::from)
        };
        match option.as_str() {
            "plain" => settings.stream = false,
            "idle" => settings.idle_timeout_s = number()?,
            "retries" => settings.retries = u32::try_from(number()?)?,
            other => anyhow::bail!("no option `{other}`"),
        }
    }
    Ok(settings)
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let model = connect(&settings(&args)?)?;
    let request = Request {
        system: "You mend bugs in projects.".into(),
        messages: vec![Message::User("Read the file setup.py.".into())],
        tools: vec![ToolSpec {
            name: "read_file".into(),
            description: "Reads a file of the project.".into(),
            schema: json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
        }],
        max_output_tokens: 0,
    };
    let turn = model.turn(&request, &Cancel::new()).await?;
    println!("{}", serde_json::to_string_pretty(&turn)?);
    Ok(())
}
