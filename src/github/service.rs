//! The wire beneath octocrab: reqwest without redirects and retries, answers of bounded size.

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use octocrab::service::middleware::base_uri::BaseUriLayer;
use octocrab::{AuthState, OctoBody, Octocrab, OctocrabBuilder};
use thiserror::Error;

/// GitHub's largest answers (a page of a hundred issues with long bodies) stay below this.
const MOST_BYTES: usize = 16 << 20;

/// Why no answer came.
#[derive(Debug, Error)]
pub(super) enum WireError {
    #[error("GitHub cannot be reached")]
    Unreachable,
    #[error("GitHub was silent for too long")]
    Silent,
    #[error("the connection to GitHub broke")]
    Broken,
    #[error("the answer is larger than {} MiB", MOST_BYTES >> 20)]
    TooLarge,
    #[error("the request cannot be built")]
    Unsendable,
}

/// An octocrab without credentials that speaks to `base` only.
pub(super) fn connect(http: reqwest::Client, base: http::Uri) -> Octocrab {
    let wire = tower::service_fn(move |request| send(http.clone(), request));
    let built = OctocrabBuilder::new_empty()
        .with_service(wire)
        .with_layer(&BaseUriLayer::new(base))
        .with_auth(AuthState::None)
        .build();
    let Ok(crab) = built;
    crab
}

async fn send(
    http: reqwest::Client,
    request: http::Request<OctoBody>,
) -> Result<http::Response<OctoBody>, WireError> {
    let (parts, body) = request.into_parts();
    let body = body
        .collect()
        .await
        .map_err(|_| WireError::Unsendable)?
        .to_bytes();
    let request = reqwest::Request::try_from(http::Request::from_parts(parts, body))
        .map_err(|_| WireError::Unsendable)?;
    let mut response = http.execute(request).await.map_err(|e| why(&e))?;
    let mut answer = http::Response::new(());
    *answer.status_mut() = response.status();
    *answer.headers_mut() = std::mem::take(response.headers_mut());
    let mut bytes = BytesMut::new();
    while let Some(chunk) = response.chunk().await.map_err(|e| why(&e))? {
        if bytes.len() + chunk.len() > MOST_BYTES {
            return Err(WireError::TooLarge);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(answer.map(|()| OctoBody::from(Bytes::from(bytes))))
}

/// reqwest's own errors carry the address; these carry nothing.
fn why(error: &reqwest::Error) -> WireError {
    if error.is_connect() {
        WireError::Unreachable
    } else if error.is_timeout() {
        WireError::Silent
    } else if error.is_builder() {
        WireError::Unsendable
    } else {
        WireError::Broken
    }
}
