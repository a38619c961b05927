//! Mistakes with the machine.

use super::{refused, tells};
use crate::onboard::Place;
use std::process::Command;

#[tokio::test]
async fn m_08_bubblewrap_is_not_installed() {
    let mut place = Place::new().await;
    place
        .more
        .push_str("[sandbox]\nbwrap = \"/nonexistent/bwrap\"\n");
    let (code, text) = refused(&place).await;
    assert_eq!(code, 3, "{text}");
    tells(
        &text,
        &[
            "the sandbox is not usable here",
            "/nonexistent/bwrap",
            "apt-get install bubblewrap",
        ],
    );
    let seen = place.doctor().await;
    assert_eq!(seen.code, 1);
    tells(
        &seen.one("sandbox"),
        &["failed: ", "apt-get install bubblewrap"],
    );
}

#[tokio::test]
async fn m_09_user_namespaces_are_off() {
    let mut place = Place::new().await;
    // What bubblewrap prints on such a kernel.
    let script = "#!/bin/sh\n[ \"$1\" = --version ] && { echo 'bubblewrap 0.8.0'; exit 0; }\n\
        echo 'bwrap: No permissions to create new namespace, likely because the kernel does not allow non-privileged user namespaces.' >&2\nexit 1\n";
    let bwrap = place.file("bwrap", script, 0o755);
    place
        .more
        .push_str(&format!("[sandbox]\nbwrap = \"{}\"\n", bwrap.display()));
    let (code, text) = refused(&place).await;
    assert_eq!(code, 3, "{text}");
    tells(&text, &["user namespaces do not work"]);
    let seen = place.doctor().await;
    assert_eq!(seen.code, 1);
    let told = seen.one("sandbox");
    tells(&told, &["failed: bwrap: user namespaces do not work"]);
    // Whichever knob it is on this host, one is named.
    let knobs = ["sysctl", "AppArmor", "--security-opt"];
    assert!(knobs.iter().any(|k| told.contains(k)), "{told}");
}

#[tokio::test]
async fn m_10_the_port_is_taken() {
    let place = Place::new().await;
    let taken = std::net::TcpListener::bind(("127.0.0.1", place.port)).unwrap();
    let (code, text) = refused(&place).await;
    assert_eq!(code, 2, "{text}");
    tells(
        &text,
        &[
            "`server.listen` is 127.0.0.1:",
            "cannot be listened on",
            "choose another port",
        ],
    );
    let told = place.doctor().await.one("listen");
    tells(
        &told,
        &[
            "something that is not mend listens on",
            "set `server.listen` to another port",
        ],
    );
    drop(taken);
}

#[tokio::test]
async fn m_14_the_disk_is_full() {
    let place = Place::new().await;
    let state = place.state();
    std::fs::create_dir(&state).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=256k", "none"])
        .arg(&state)
        .stderr(std::process::Stdio::null())
        .status()
        .is_ok_and(|s| s.success());
    if !crate::host::has("root", mounted) {
        return;
    }
    let seen = place.doctor().await;
    let full = std::fs::write(state.join("filler"), vec![0; 1 << 20]);
    let (code, text) = refused(&place).await;
    let gone = Command::new("umount").arg(&state).status().unwrap();
    assert!(gone.success() && full.is_err());
    assert_eq!(seen.code, 1);
    tells(
        &seen.one("disk"),
        &[
            "failed: 0.0 GiB are free for",
            "make room, or set `server.state_dir` to a larger disk",
        ],
    );
    assert_eq!(code, 3, "{text}");
    tells(&text, &["disk is full"]);
}

#[tokio::test]
async fn m_15_the_database_is_locked() {
    let place = Place::new().await;
    std::fs::create_dir(place.state()).unwrap();
    let file = place.state().join("mend.db");
    let url = format!("sqlite:{}?mode=rwc", file.display());
    let pool = sqlx::SqlitePool::connect(&url).await.unwrap();
    let mut holder = pool.acquire().await.unwrap();
    sqlx::query("CREATE TABLE t (x)")
        .execute(&mut *holder)
        .await
        .unwrap();
    sqlx::query("BEGIN EXCLUSIVE")
        .execute(&mut *holder)
        .await
        .unwrap();
    let seen = place.doctor().await;
    let (code, text) = refused(&place).await;
    sqlx::query("ROLLBACK").execute(&mut *holder).await.unwrap();
    assert_eq!(seen.code, 1);
    tells(
        &seen.one("database"),
        &[
            "failed: the database is busy or out of reach",
            "another program holds its lock: end what has the file open beside mend",
        ],
    );
    assert_eq!(code, 3, "{text}");
    tells(&text, &["the database cannot be opened", "locked"]);
}
