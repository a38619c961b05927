//! git's smart HTTP protocol, spoken by `git http-backend` as a CGI program. It is the only
//! process that this room starts; it ends with the request that started it.

use super::super::error::SimulatorError;
use axum::body::{Body, BodyDataStream};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use futures::StreamExt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{ChildStdin, Command};

/// Where this host keeps git's programs.
#[derive(Debug, Clone)]
pub(in super::super) struct GitBackend {
    exec_path: PathBuf,
}

/// What is asked of a repository.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum GitService {
    Fetch,
    Push,
}

impl GitService {
    /// By the name that the protocol uses.
    pub fn named(name: &str) -> Option<GitService> {
        match name {
            "git-upload-pack" => Some(GitService::Fetch),
            "git-receive-pack" => Some(GitService::Push),
            _ => None,
        }
    }
}

impl GitBackend {
    /// Asks `git` where `git http-backend` is.
    ///
    /// # Errors
    /// When git is not installed, or without its HTTP backend.
    pub async fn find() -> Result<GitBackend, SimulatorError> {
        let output = Command::new("git")
            .arg("--exec-path")
            .stdin(Stdio::null())
            .output()
            .await
            .map_err(|source| SimulatorError::NoGit { source })?;
        let text = String::from_utf8_lossy(&output.stdout).trim().to_string();
        let exec_path = PathBuf::from(text);
        if !exec_path.join("git-http-backend").is_file() {
            return Err(SimulatorError::NoHttpBackend { exec_path });
        }
        Ok(GitBackend { exec_path })
    }
}

/// One request for `git http-backend`.
pub(in super::super) struct GitRequest<'a> {
    /// The folder that holds the bare repositories.
    pub root: &'a Path,
    /// For example `/7.git/info/refs`.
    pub path: String,
    pub query: String,
    pub post: bool,
    pub headers: &'a HeaderMap,
    /// The account's login; pushes are refused without one.
    pub user: Option<&'a str>,
}

/// Runs the backend over one request. Its answer is held in memory: the repositories here are
/// those of tests and of the demo.
pub(in super::super) async fn serve(
    git: &GitBackend,
    request: GitRequest<'_>,
    body: Body,
) -> io::Result<Response<Body>> {
    let text = |name: HeaderName| {
        let value = request.headers.get(name).and_then(|v| v.to_str().ok());
        value.unwrap_or_default().to_string()
    };
    let mut command = Command::new(git.exec_path.join("git-http-backend"));
    command
        .env_clear()
        .env("PATH", &git.exec_path)
        .env("GIT_EXEC_PATH", &git.exec_path)
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("HOME", "/nonexistent")
        .env("GIT_PROJECT_ROOT", request.root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("PATH_INFO", &request.path)
        .env("QUERY_STRING", &request.query)
        .env("REQUEST_METHOD", if request.post { "POST" } else { "GET" })
        .env("CONTENT_TYPE", text(header::CONTENT_TYPE))
        .env("HTTP_CONTENT_ENCODING", text(header::CONTENT_ENCODING))
        .env(
            "GIT_PROTOCOL",
            text(HeaderName::from_static("git-protocol")),
        )
        .env("REMOTE_ADDR", "127.0.0.1")
        .current_dir(request.root)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true);
    if let Some(user) = request.user {
        command.env("REMOTE_USER", user);
    }
    let mut child = command.spawn()?;
    let (Some(stdin), Some(mut stdout)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::Error::other("git http-backend has no pipes"));
    };
    let mut output = Vec::new();
    let (sent, read) = tokio::join!(
        feed(stdin, body.into_data_stream()),
        stdout.read_to_end(&mut output)
    );
    sent?;
    read?;
    child.wait().await?;
    cgi_answer(output)
}

async fn feed(mut stdin: ChildStdin, mut body: BodyDataStream) -> io::Result<()> {
    while let Some(chunk) = body.next().await {
        let chunk = chunk.map_err(io::Error::other)?;
        match stdin.write_all(&chunk).await {
            Ok(()) => {}
            // The backend answered without reading on, for example to refuse.
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// CGI's header lines, `Status:` among them, an empty line, the body (RFC 3875, 6).
fn cgi_answer(output: Vec<u8>) -> io::Result<Response<Body>> {
    let malformed = || io::Error::other("git http-backend gave no CGI answer");
    let (end, skip) = match memchr::memmem::find(&output, b"\r\n\r\n") {
        Some(at) => (at, 4),
        None => (
            memchr::memmem::find(&output, b"\n\n").ok_or_else(malformed)?,
            2,
        ),
    };
    let head = String::from_utf8_lossy(&output[..end]).into_owned();
    let mut response = Response::new(Body::from(output[end + skip..].to_vec()));
    for line in head.lines() {
        let (name, value) = line.split_once(':').ok_or_else(malformed)?;
        let value = value.trim();
        if name.eq_ignore_ascii_case("status") {
            let code = value.split(' ').next().and_then(|c| c.parse().ok());
            *response.status_mut() = code
                .and_then(|c: u16| StatusCode::from_u16(c).ok())
                .ok_or_else(malformed)?;
        } else if let (Ok(name), Ok(value)) =
            (name.parse::<HeaderName>(), HeaderValue::from_str(value))
        {
            response.headers_mut().insert(name, value);
        }
    }
    Ok(response)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cgi_answer_becomes_a_response() {
        let output = b"Status: 403 Forbidden\r\nContent-Type: text/plain\r\n\r\nno".to_vec();
        let response = cgi_answer(output).unwrap();
        assert_eq!(response.status(), StatusCode::FORBIDDEN);
        assert_eq!(response.headers()["content-type"], "text/plain");
        assert!(cgi_answer(b"fatal".to_vec()).is_err());
    }
}
