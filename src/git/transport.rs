//! Git's smart protocol over HTTP(S), spoken by reqwest. libgit2 writes requests into it and reads
//! answers out of it; credentials, redirects, limits and the choice of host are decided here.
//! Protocol: <https://git-scm.com/docs/http-protocol>.

use super::call::Call;
use super::error::GitError;
use bytes::{Buf, Bytes};
use git2::transport::{Service, SmartSubtransport, SmartSubtransportStream, Transport};
use reqwest::header;
use reqwest::{Response, StatusCode, Url};
use std::io::{self, Read, Write};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Makes the transport of one remote; without a conversation in place there is none to be had.
pub(super) fn open(remote: &git2::Remote<'_>) -> Result<Transport, git2::Error> {
    let call = Call::current()
        .ok_or_else(|| git2::Error::from_str("no conversation with a remote was opened"))?;
    Transport::smart(remote, true, Http { call })
}

struct Http {
    call: Arc<Call>,
}

impl SmartSubtransport for Http {
    fn action(
        &self,
        url: &str,
        service: Service,
    ) -> Result<Box<dyn SmartSubtransportStream>, git2::Error> {
        let target = self.target(url, service).map_err(|e| self.call.fail(e))?;
        Ok(Box::new(Exchange {
            call: self.call.clone(),
            service,
            target,
            request: Vec::new(),
            response: None,
            chunk: Bytes::new(),
        }))
    }

    fn close(&self) -> Result<(), git2::Error> {
        Ok(())
    }
}

impl Http {
    /// The address of a service. libgit2's address must be the one that the caller opened: scheme,
    /// host, port and path, so that no configuration can lead the credential elsewhere.
    fn target(&self, url: &str, service: Service) -> Result<Url, GitError> {
        let given = Url::parse(url).map_err(|_| GitError::Refused {
            what: "git asked for an address that cannot be read".into(),
        })?;
        if given != self.call.url {
            return Err(GitError::Refused {
                what: format!(
                    "git asked for `{}` in place of the address that was opened",
                    given.host_str().unwrap_or("?")
                ),
            });
        }
        let mut target = given;
        let path = target.path().trim_end_matches('/').to_string();
        match service {
            Service::UploadPackLs | Service::ReceivePackLs => {
                target.set_path(&format!("{path}/info/refs"));
                target.set_query(Some(&format!("service={}", name(service))));
            }
            Service::UploadPack | Service::ReceivePack => {
                target.set_path(&format!("{path}/{}", name(service)));
            }
        }
        Ok(target)
    }
}

fn name(service: Service) -> &'static str {
    match service {
        Service::UploadPackLs | Service::UploadPack => "git-upload-pack",
        Service::ReceivePackLs | Service::ReceivePack => "git-receive-pack",
    }
}

/// One request and its answer. The request is whole before it is sent: what mend pushes is small,
/// and a whole body has a length, which every proxy understands.
struct Exchange {
    call: Arc<Call>,
    service: Service,
    target: Url,
    request: Vec<u8>,
    response: Option<Response>,
    chunk: Bytes,
}

impl Write for Exchange {
    fn write(&mut self, data: &[u8]) -> io::Result<usize> {
        if self.request.len() + data.len() > self.call.sent_cap {
            return Err(self.fail(GitError::TooLarge {
                what: format!(
                    "the push holds more than {} MiB",
                    self.call.sent_cap.div_ceil(1 << 20)
                ),
            }));
        }
        self.request.extend_from_slice(data);
        Ok(data.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Read for Exchange {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if out.is_empty() {
            return Ok(0);
        }
        if self.response.is_none() {
            let response = self.send().map_err(|e| self.fail(e))?;
            self.response = Some(response);
        }
        while self.chunk.is_empty() {
            match self.next_chunk().map_err(|e| self.fail(e))? {
                Some(chunk) => self.chunk = chunk,
                None => return Ok(0),
            }
        }
        let n = out.len().min(self.chunk.len());
        self.chunk.copy_to_slice(&mut out[..n]);
        Ok(n)
    }
}

impl Exchange {
    fn fail(&self, error: GitError) -> io::Error {
        io::Error::other(self.call.fail(error).message().to_string())
    }

    fn send(&mut self) -> Result<Response, GitError> {
        let service = name(self.service);
        let listing = matches!(self.service, Service::UploadPackLs | Service::ReceivePackLs);
        let mut request = if listing {
            self.call.http.get(self.target.clone())
        } else {
            self.call
                .http
                .post(self.target.clone())
                .header(
                    header::CONTENT_TYPE,
                    format!("application/x-{service}-request"),
                )
                .header(header::ACCEPT, format!("application/x-{service}-result"))
                .body(std::mem::take(&mut self.request))
        };
        if let Some(value) = &self.call.authorization {
            request = request.header(header::AUTHORIZATION, value.clone());
        }
        let response = self.wait(request.send())?;
        let kind = if listing { "advertisement" } else { "result" };
        judge(&response, &format!("application/x-{service}-{kind}"))?;
        Ok(response)
    }

    fn next_chunk(&mut self) -> Result<Option<Bytes>, GitError> {
        let Some(mut response) = self.response.take() else {
            return Ok(None);
        };
        let chunk = self.wait(response.chunk())?;
        self.response = Some(response);
        self.call.received(chunk.as_ref().map_or(0, Bytes::len))?;
        Ok(chunk)
    }

    fn wait<T>(
        &self,
        work: impl Future<Output = Result<T, reqwest::Error>>,
    ) -> Result<T, GitError> {
        let left = self.call.deadline.saturating_duration_since(Instant::now());
        self.call.runtime.block_on(async {
            tokio::select! {
                () = self.call.cancel.cancelled() => Err(GitError::Cancelled),
                done = tokio::time::timeout(left, work) => match done {
                    Err(_) => Err(GitError::TimedOut { limit: self.call.limit }),
                    Ok(result) => result.map_err(|e| network(&e)),
                },
            }
        })
    }
}

/// reqwest's errors name the address, which is harmless here, but nothing else; the address is
/// dropped all the same.
fn network(error: &reqwest::Error) -> GitError {
    let what = if error.is_timeout() {
        "the git server was silent for too long"
    } else if error.is_connect() {
        "the git server cannot be reached"
    } else {
        "the connection to the git server broke"
    };
    GitError::Transient {
        what: what.into(),
        retry_after: None,
    }
}

/// The answer's status in the classes of this room.
fn judge(response: &Response, expected: &str) -> Result<(), GitError> {
    let status = response.status();
    let what = format!("the git server answered {}", status.as_u16());
    match status {
        StatusCode::OK => {
            let kind = response.headers().get(header::CONTENT_TYPE);
            if kind.is_some_and(|k| k.as_bytes() == expected.as_bytes()) {
                Ok(())
            } else {
                Err(GitError::Refused {
                    what: "the server's answer is not git's; check the configured git address"
                        .into(),
                })
            }
        }
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => Err(GitError::Auth { what }),
        StatusCode::NOT_FOUND | StatusCode::GONE => Err(GitError::Gone {
            what: format!("{what}: the repository is gone or not for this installation"),
        }),
        StatusCode::TOO_MANY_REQUESTS => Err(GitError::Transient {
            what,
            retry_after: retry_after(response),
        }),
        StatusCode::PAYLOAD_TOO_LARGE => Err(GitError::TooLarge { what }),
        s if s.is_redirection() => Err(GitError::Moved { what }),
        s if s.is_server_error() => Err(GitError::Transient {
            what,
            retry_after: retry_after(response),
        }),
        _ => Err(GitError::Refused { what }),
    }
}

fn retry_after(response: &Response) -> Option<Duration> {
    let value = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?;
    value.trim().parse().ok().map(Duration::from_secs)
}
