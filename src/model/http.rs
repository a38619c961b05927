//! One attempt over HTTP.

use super::error::{Fault, ModelError, classify, clean};
use super::retry::Attempt;
use super::settings::{ModelSettings, WireKind};
use super::sse::Parser;
use super::turn::{Request, Turn};
use super::wait::{reset, retry_after};
use super::wire::{self, Raw, Wire, assemble, inner_error};
use crate::text::Redactor;
use async_trait::async_trait;
use bytes::Bytes;
use futures::StreamExt;
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Response, StatusCode, Url};
use secrecy::ExposeSecret;
use serde_json::Value;
use std::error::Error;
use std::time::{Duration, Instant, SystemTime};

/// Bytes of an error's body that are looked at.
const ERROR_BODY: usize = 256 * 1024;
const CONNECT: Duration = Duration::from_secs(20);

/// A model behind an HTTP endpoint.
pub(super) struct Http {
    client: Client,
    url: Url,
    headers: HeaderMap,
    settings: ModelSettings,
    wire: Box<dyn Wire>,
    redactor: Redactor,
}

impl Http {
    pub fn new(settings: &ModelSettings) -> Result<Self, ModelError> {
        settings.check()?;
        // Fails when a provider is installed already, which is as good.
        let _ = rustls::crypto::aws_lc_rs::default_provider().install_default();
        let url = settings.endpoint()?;
        let mut builder = Client::builder()
            // A redirect must not carry the key or the conversation to another host.
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(CONNECT)
            .user_agent(concat!("mend/", env!("CARGO_PKG_VERSION")));
        if url.scheme() == "http" {
            // Without this a machine that has no CA certificates could not even ask itself.
            builder = builder.tls_certs_only([]);
        }
        let client = builder.build().map_err(|e| ModelError::Settings {
            key: "base_url",
            message: format!(
                "no client for https can be made ({}); install the system's ca-certificates",
                cause(&e)
            ),
        })?;
        let redactor = Redactor::new();
        Ok(Http {
            client,
            url,
            headers: headers(settings, &redactor)?,
            settings: settings.clone(),
            wire: wire::of(settings.wire),
            redactor,
        })
    }

    fn flaky(&self, what: &str, e: &reqwest::Error) -> Fault {
        Fault::flaky(format!(
            "{what} {}: {}",
            self.url.host_str().unwrap_or("the endpoint"),
            clean(&cause(e), &self.redactor)
        ))
    }

    async fn send(&self, body: Bytes) -> Result<Response, Fault> {
        let sent = self
            .client
            .post(self.url.clone())
            .headers(self.headers.clone())
            .body(body)
            .send();
        let sent = match self.settings.stream {
            true => tokio::time::timeout(self.idle(), sent)
                .await
                .map_err(|_| self.silent())?,
            false => sent.await,
        };
        sent.map_err(|e| match e.is_connect() {
            true => self.flaky("no connection to", &e),
            false => self.flaky("no answer from", &e),
        })
    }

    fn idle(&self) -> Duration {
        Duration::from_secs(self.settings.idle_timeout_s)
    }

    fn too_big(&self) -> Fault {
        let most = match self.settings.reply_bytes {
            n if n >= 1 << 20 => format!("{} MiB", n >> 20),
            n => format!("{n} bytes"),
        };
        Fault::Final(ModelError::permanent(format!(
            "the reply is larger than {most}"
        )))
    }

    fn silent(&self) -> Fault {
        Fault::flaky(format!("no byte within {} s", self.settings.idle_timeout_s))
    }

    async fn raw(&self, body: Bytes) -> Result<Raw, Fault> {
        let response = self.send(body).await?;
        let status = response.status();
        if status.is_redirection() {
            return Err(self.redirected(&response));
        }
        if status != StatusCode::OK {
            return Err(self.refused(response).await);
        }
        let kind = response
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|v| v.to_str().ok())
            .unwrap_or("")
            .to_ascii_lowercase();
        if kind.starts_with("text/html") {
            return Err(Fault::Final(ModelError::permanent(
                "the endpoint answered with a web page; check `base_url`",
            )));
        }
        // What came counts, not what was asked: some gateways ignore `stream`.
        let streamed =
            kind.starts_with("text/event-stream") || self.settings.stream && !kind.contains("json");
        match streamed {
            true => self.streamed(response).await,
            false => self.plain(response).await,
        }
    }

    async fn plain(&self, response: Response) -> Result<Raw, Fault> {
        let bytes = self.collect(response, self.settings.reply_bytes).await?;
        let body: Value =
            serde_json::from_slice(&bytes).map_err(|_| Fault::garbled("the body is not JSON"))?;
        match inner_error(&body) {
            true => Err(classify(None, None, &body, &self.redactor)),
            false => self.wire.plain(body),
        }
    }

    async fn collect(&self, response: Response, most: usize) -> Result<Vec<u8>, Fault> {
        let mut bytes = Vec::new();
        let mut stream = response.bytes_stream();
        while let Some(chunk) = tokio::time::timeout(self.idle(), stream.next())
            .await
            .map_err(|_| self.silent())?
        {
            let chunk = chunk.map_err(|e| self.flaky("the reply broke off from", &e))?;
            if bytes.len() + chunk.len() > most {
                return Err(self.too_big());
            }
            bytes.extend_from_slice(&chunk);
        }
        Ok(bytes)
    }

    async fn streamed(&self, response: Response) -> Result<Raw, Fault> {
        let mut reader = self.wire.reader(&self.redactor);
        let (mut parser, mut events, mut size) = (Parser::default(), Vec::new(), 0);
        let mut stream = response.bytes_stream();
        loop {
            let next = tokio::time::timeout(self.idle(), stream.next())
                .await
                .map_err(|_| self.silent())?;
            let open = match next {
                Some(Ok(chunk)) => {
                    size += chunk.len();
                    if size > self.settings.reply_bytes {
                        return Err(self.too_big());
                    }
                    parser.push(&chunk, &mut events)?;
                    true
                }
                Some(Err(e)) => return Err(self.flaky("the reply broke off from", &e)),
                None => {
                    parser.finish(&mut events)?;
                    false
                }
            };
            for event in events.drain(..) {
                if reader.event(&event)? {
                    return reader.finish();
                }
            }
            if !open {
                return reader.finish();
            }
        }
    }

    fn redirected(&self, response: &Response) -> Fault {
        let target = response
            .headers()
            .get("location")
            .and_then(|v| v.to_str().ok())
            .and_then(|l| self.url.join(l).ok())
            .and_then(|u| u.host_str().map(|h| clean(h, &self.redactor)))
            .unwrap_or_else(|| "another address".into());
        Fault::Final(ModelError::Permanent {
            status: Some(response.status().as_u16()),
            message: format!(
                "the endpoint redirects to {target}, which is not followed; set `base_url` to the final address"
            ),
        })
    }

    async fn refused(&self, response: Response) -> Fault {
        let status = response.status().as_u16();
        let header = |name: &str| {
            let value = response.headers().get(name)?;
            value.to_str().ok().map(str::to_string)
        };
        let now = SystemTime::now();
        let after = retry_after(header, now).or_else(|| match status {
            429 => reset(header, now),
            _ => None,
        });
        let bytes = self.collect(response, ERROR_BODY).await.unwrap_or_default();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
        classify(Some(status), after, &body, &self.redactor)
    }
}

#[async_trait]
impl Attempt for Http {
    fn name(&self) -> &str {
        &self.settings.model
    }

    fn wire_body(&self, request: &Request) -> Result<(&'static str, Value), ModelError> {
        let body = self.wire.body(&self.settings, request)?;
        Ok((self.wire.shape(), body))
    }

    async fn attempt(&self, request: &Request, body: Bytes) -> Result<Turn, Fault> {
        let begun = Instant::now();
        let sent = body.len();
        let limit = Duration::from_secs(self.settings.timeout_s);
        let raw = tokio::time::timeout(limit, self.raw(body.clone()))
            .await
            .map_err(|_| {
                Fault::flaky(format!(
                    "no whole reply within {} s",
                    self.settings.timeout_s
                ))
            })?
            .map_err(|fault| fault.without_echo(&body, &self.settings.model))?;
        let turn = assemble(raw, request, &self.settings, self.wire.shape(), sent);
        tracing::debug!(
            model = self.settings.model,
            ms = begun.elapsed().as_millis() as u64,
            input_tokens = turn.usage.input_tokens,
            output_tokens = turn.usage.output_tokens,
            calls = turn.calls.len(),
            "the model answered"
        );
        Ok(turn)
    }
}

/// The innermost cause, which says what happened; the outer ones repeat the URL.
fn cause(e: &reqwest::Error) -> String {
    let mut inner = e.source();
    while let Some(next) = inner.and_then(Error::source) {
        inner = Some(next);
    }
    inner.map_or_else(|| "the request failed".into(), ToString::to_string)
}

fn headers(settings: &ModelSettings, redactor: &Redactor) -> Result<HeaderMap, ModelError> {
    let wrong = |key, message: String| ModelError::Settings { key, message };
    let secret = |key, text: &str| {
        let mut value = HeaderValue::from_str(text.trim()).map_err(|_| {
            wrong(
                key,
                "holds characters that a header cannot carry".to_string(),
            )
        })?;
        value.set_sensitive(true);
        redactor.know(text);
        Ok(value)
    };
    let mut map = HeaderMap::new();
    map.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    if settings.wire == WireKind::Anthropic {
        map.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
    }
    if let Some(key) = &settings.api_key {
        let key = key.expose_secret();
        match settings.wire {
            WireKind::Anthropic => {
                map.insert("x-api-key", secret("api_key", key)?);
            }
            WireKind::Chat | WireKind::Responses => {
                redactor.know(key);
                let bearer = format!("Bearer {}", key.trim());
                map.insert("authorization", secret("api_key", &bearer)?);
            }
        }
    }
    for (name, value) in &settings.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| {
            wrong(
                "headers",
                format!("`{}` is not a header name", name.escape_debug()),
            )
        })?;
        map.insert(name, secret("headers", value.expose_secret())?);
    }
    Ok(map)
}
