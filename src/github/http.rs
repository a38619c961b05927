//! The HTTP client of this room.

use super::error::GithubError;
use secrecy::{ExposeSecret, SecretString};
use std::time::Duration;

const NO_CLIENT: &str = "the HTTP client cannot be made; install the system's certificates \
     (`ca-certificates` on Debian)";

/// The client of every request; it asks the environment nothing and follows nothing.
pub(super) fn http(
    time: Duration,
    proxy: Option<&SecretString>,
    ca: Option<&[u8]>,
) -> Result<reqwest::Client, GithubError> {
    let mut http = reqwest::Client::builder()
        .user_agent(concat!("mend/", env!("CARGO_PKG_VERSION")))
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(Duration::from_secs(10))
        .timeout(time)
        .referer(false)
        .no_proxy();
    if let Some(proxy) = proxy {
        http = http.proxy(
            reqwest::Proxy::all(proxy.expose_secret())
                .map_err(|_| GithubError::Setting("the proxy's address cannot be read".into()))?,
        );
    }
    for certificate in certificates(ca)? {
        http = http.add_root_certificate(certificate);
    }
    http.build()
        .map_err(|_| GithubError::Setting(NO_CLIENT.into()))
}

fn certificates(pem: Option<&[u8]>) -> Result<Vec<reqwest::Certificate>, GithubError> {
    let refuse =
        || GithubError::Setting("`github.ca_file` holds no certificate in PEM form".into());
    let Some(pem) = pem else {
        return Ok(Vec::new());
    };
    let found = reqwest::Certificate::from_pem_bundle(pem).map_err(|_| refuse())?;
    match found.is_empty() {
        true => Err(refuse()),
        false => Ok(found),
    }
}
