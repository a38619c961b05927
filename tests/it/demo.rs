//! `mend demo` as a newcomer runs it: the program itself, its output, its pages, what it leaves.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

fn mend() -> Command {
    Command::new(env!("CARGO_BIN_EXE_mend"))
}

/// Folders of mend beneath `folder`.
fn left(folder: &std::path::Path) -> Vec<String> {
    let names = std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().file_name());
    names.map(|n| n.to_string_lossy().to_string()).collect()
}

fn scratch() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::Builder::new()
        .prefix("mend-demo-test-")
        .tempdir_in("/tmp")
        .unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o711)).unwrap();
    folder
}

#[test]
fn json_is_one_document_with_the_pull_request() {
    let tmp = scratch();
    let out = mend()
        .args(["demo", "--json"])
        .env("TMPDIR", tmp.path())
        .output()
        .unwrap();
    let stderr = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(0), "{stderr}");
    let document: Value = serde_json::from_slice(&out.stdout).expect("one document");
    assert_eq!(document["verdict"], "ready");
    assert_eq!(document["stop"], "suite_passed");
    let pull = &document["pull_request"];
    assert_eq!(
        (
            pull["head"].as_str(),
            pull["base"].as_str(),
            pull["draft"].as_bool()
        ),
        (Some("mend/issue-1"), Some("main"), Some(false))
    );
    assert!(pull["body"].as_str().unwrap().starts_with("Closes #1\n"));
    let check = &document["checks"][0];
    assert_eq!(
        (
            check["base"]["outcome"].as_str(),
            check["after"]["outcome"].as_str()
        ),
        (Some("failed"), Some("passed"))
    );
    assert_eq!(check["comparison"]["fixed"].as_array().unwrap().len(), 1);
    assert!(
        document["diff"]
            .as_str()
            .unwrap()
            .contains("+        return self.start < other.end")
    );
    assert!(
        stderr.contains("checking the untouched code") && !stderr.contains('\x1b'),
        "{stderr}"
    );
    assert_eq!(left(tmp.path()), [""; 0], "nothing is left");
}

/// A demo that stays up, ended with the test.
struct Up(Child);

impl Drop for Up {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_typed_in_the_browser_runs_it_again() {
    let tmp = scratch();
    let child = mend()
        .arg("demo")
        .env("TMPDIR", tmp.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut up = Up(child);
    let mut lines = BufReader::new(up.0.stdout.take().unwrap()).lines();
    let mut page = String::new();
    let url = loop {
        let line = lines.next().expect("the demo says where to look").unwrap();
        if line.contains("/enter?key=") {
            page = line.trim().to_string();
        }
        if let Some(at) = line.find("http://").filter(|_| line.contains("/issues/")) {
            break line[at..].trim().to_string();
        }
    };
    let http = reqwest::Client::builder().no_proxy();
    // The run's page: the link leads there, with a cookie for the next requests.
    let plain = reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none());
    let entered = plain.build().unwrap().get(&page).send().await.unwrap();
    assert_eq!(entered.headers()["location"], "/runs/1", "{page}");
    let cookie = entered.headers()["set-cookie"].to_str().unwrap();
    let cookie = cookie.split(';').next().unwrap().to_string();
    let run = format!("{}/runs/1", page.split("/enter").next().unwrap());
    let http = http.build().unwrap();
    let run = http.get(run).header("cookie", cookie).send().await.unwrap();
    let run = run.text().await.unwrap();
    for part in [
        "Back-to-back bookings are refused",
        "Base check",
        "Turn 2",
        "roombook/interval.py",
        "11 passed",
        "failed, as it has to",
    ] {
        assert!(run.contains(part), "{part}: {run}");
    }
    let page = http.get(&url).send().await.unwrap().text().await.unwrap();
    assert!(page.contains("Back-to-back bookings are refused"), "{page}");
    let body =
        "as=ada&body=%2Fmend+retry+add+a+test+for+moving+a+booking+right+next+to+another+one";
    let posted = http
        .post(format!("{url}/comments"))
        .header("content-type", "application/x-www-form-urlencoded")
        .body(body)
        .send()
        .await
        .unwrap();
    assert!(
        posted.status().is_success() || posted.status().is_redirection(),
        "{}",
        posted.status()
    );
    let start = Instant::now();
    loop {
        let page = http.get(&url).send().await.unwrap().text().await.unwrap();
        if page.contains("Updated") {
            break;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "{page}");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    let pid = rustix::process::Pid::from_raw(up.0.id() as i32).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let status = up.0.wait().unwrap();
    assert_eq!(status.code(), Some(0));
    assert_eq!(left(tmp.path()), [""; 0], "nothing is left");
}
