use super::hub::{Hub, commented, labeled, unlabeled};
use mend::config::Permission;
use mend::domain::{Command, Step, TaskId, TriggerKind, Verdict};
use mend::intake::Said;
use mend::store::{Reached, State};
use serde_json::{Value, json};
use std::time::Duration;

const FIRST: Said = Said::Accepted { task: TaskId(1) };

#[tokio::test(flavor = "multi_thread")]
async fn a_label_by_somebody_entitled_makes_a_task_with_the_text_of_the_payload() {
    let hub = Hub::new().await;
    assert_eq!(
        hub.event("issues", &labeled("alice", "Mend")).await,
        [FIRST]
    );
    let tasks = hub.tasks().await;
    let trigger = &tasks[0].trigger;
    assert_eq!(tasks.len(), 1);
    assert_eq!(trigger.key, "7:1001:labeled:500");
    assert_eq!(
        (trigger.title.as_str(), trigger.body.as_str()),
        ("Totals drift", "by a cent")
    );
    assert_eq!(
        (trigger.by.login.as_str(), &trigger.what),
        ("alice", &TriggerKind::Label)
    );
    assert_eq!(trigger.issue.repo.installation_id, 70);
}

#[tokio::test(flavor = "multi_thread")]
async fn wh_04_the_same_labelling_makes_one_task_whatever_its_deliveries() {
    let hub = Hub::new().await;
    for _ in 0..3 {
        assert_eq!(
            hub.event("issues", &labeled("alice", "mend")).await,
            [FIRST]
        );
    }
    assert_eq!(hub.tasks().await.len(), 1);
    // Taken off and put on again: another act.
    hub.event("issues", &unlabeled("alice", "mend")).await;
    hub.facts.lock().unwrap().labeled.push((501, "mend", 1));
    hub.event("issues", &labeled("alice", "mend")).await;
    assert_eq!(hub.tasks().await[1].trigger.key, "7:1001:labeled:501");
}

#[tokio::test(flavor = "multi_thread")]
async fn az_01_only_the_configured_role_starts_a_task() {
    for (permission, may) in [
        ("triage", ["alice", "mia", "tim"].as_slice()),
        ("write", &["alice", "mia"]),
        ("maintain", &["mia"]),
        ("admin", &[]),
    ] {
        let hub = Hub::with(&[("MEND_GITHUB_PERMISSION", permission)], &[]).await;
        let ids = [
            ("alice", 1),
            ("mia", 2),
            ("tim", 9),
            ("rita", 9),
            ("nobody", 9),
        ];
        for (n, (who, id)) in ids.into_iter().enumerate() {
            hub.facts
                .lock()
                .unwrap()
                .labeled
                .push((600 + n as u64, "mend", id));
            let said = hub.event("issues", &labeled(who, "mend")).await;
            let accepted = matches!(said.first(), Some(Said::Accepted { .. }));
            assert_eq!(
                accepted,
                may.contains(&who),
                "{permission}: {who}: {said:?}"
            );
        }
        assert_eq!(hub.tasks().await.len(), may.len());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refusal_is_told_once_an_hour() {
    let hub = Hub::new().await;
    let refused = [Said::Refused {
        needed: Permission::Write,
    }];
    assert_eq!(hub.event("issues", &labeled("rita", "mend")).await, refused);
    assert_eq!(
        hub.event("issue_comment", &commented("rita", "/mend retry"))
            .await,
        []
    );
    hub.clock.on(Duration::from_secs(3600));
    assert_eq!(
        hub.event("issue_comment", &commented("rita", "/mend stop"))
            .await,
        refused
    );
    assert!(hub.tasks().await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn az_03_bots_apps_and_other_labels_start_nothing_and_ask_nothing() {
    let hub = Hub::new().await;
    let mut via_app = commented("alice", "/mend retry");
    via_app["comment"]["performed_via_github_app"] = json!({"id": 12});
    let mut of_another = commented("alice", "/mend retry");
    of_another["comment"]["user"] = json!({"id": 2, "login": "mia", "type": "User"});
    let mut without_installation = labeled("alice", "mend");
    without_installation["installation"] = Value::Null;
    let mut deleted = labeled("alice", "mend");
    deleted["sender"] = Value::Null;
    let events = [
        ("issues", labeled("dependabot[bot]", "mend")),
        ("issues", labeled("alice", "bug")),
        ("issues", without_installation),
        ("issues", deleted),
        ("issues", json!({"action": "pinned"})),
        ("issue_comment", commented("mend-acme[bot]", "/mend retry")),
        ("issue_comment", via_app),
        ("issue_comment", of_another),
        ("issue_comment", commented("alice", "> /mend retry")),
        ("issue_comment", commented("alice", "```\n/mend retry\n```")),
        ("issue_comment", commented("alice", "please retry")),
    ];
    for (event, payload) in &events {
        assert_eq!(hub.event(event, payload).await, [], "{payload}");
    }
    assert!(hub.tasks().await.is_empty());
    assert_eq!(
        hub.ends().await,
        [("ignored".to_string(), events.len() as u64)]
    );
    assert!(hub.facts.lock().unwrap().asked.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_asks_for_what_it_says() {
    let hub = Hub::new().await;
    let said = hub
        .event(
            "issue_comment",
            &commented("alice", "/mend retry round once"),
        )
        .await;
    assert_eq!(said, [FIRST]);
    let trigger = hub.tasks().await[0].trigger.clone();
    assert_eq!(trigger.key, "7:1001:comment:88:2026-11-30T10:00:00Z");
    let command = Command::Retry {
        guidance: Some("round once".into()),
        from_scratch: false,
    };
    assert_eq!(
        trigger.what,
        TriggerKind::Comment {
            comment_id: 88,
            command
        }
    );

    for (text, expected) in [
        (
            "/mend status",
            Said::Status {
                task: Some(TaskId(1)),
            },
        ),
        ("@mend-acme help", Said::Help),
        ("/mend ci", Said::Ci),
        (
            "/mend stop",
            Said::Stopping {
                tasks: vec![TaskId(1)],
            },
        ),
    ] {
        let said = hub.event("issue_comment", &commented("alice", text)).await;
        assert_eq!(said, [expected], "{text}");
    }
    assert!(hub.tasks().await[0].cancel_requested);
    let said = hub
        .event("issue_comment", &commented("alice", "/mend dance"))
        .await;
    assert!(matches!(&said[..], [Said::Hint { line, .. }] if line == "/mend dance"));
    assert_eq!(
        hub.event("issue_comment", &commented("rita", "/mend dance"))
            .await,
        []
    );
    assert_eq!(
        hub.event("issue_comment", &commented("rita", "/mend help"))
            .await,
        [Said::Help]
    );
    assert_eq!(
        hub.event("issue_comment", &commented("rita", "/mend help"))
            .await,
        []
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn two_commands_of_a_comment_both_count() {
    let hub = Hub::new().await;
    hub.event("issues", &labeled("alice", "mend")).await;
    let said = hub
        .event(
            "issue_comment",
            &commented("alice", "/mend stop\n/mend retry anew"),
        )
        .await;
    let second = Said::Accepted { task: TaskId(2) };
    assert_eq!(
        said,
        [
            Said::Stopping {
                tasks: vec![TaskId(1)]
            },
            second
        ]
    );
    let tasks = hub.tasks().await;
    assert!(tasks[0].cancel_requested && !tasks[1].cancel_requested);
    assert!(tasks[1].trigger.key.ends_with("#1"));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_counts_when_it_changes_a_command() {
    let hub = Hub::new().await;
    let edited = |before: Value, now: &str, at: &str| {
        let mut payload = commented("alice", now);
        payload["action"] = json!("edited");
        payload["comment"]["updated_at"] = json!(at);
        payload["changes"] = before;
        payload
    };
    let body = |text: &str| json!({"body": {"from": text}});
    let event = async |payload: Value| hub.event("issue_comment", &payload).await;
    event(commented("alice", "/mend retry a")).await;
    let same = edited(body("/mend retry a"), "hello\n\n/mend retry a", "t1");
    assert_eq!(event(same).await, []);
    assert_eq!(event(edited(json!({}), "/mend retry b", "t2")).await, []);
    // A slip of the pen in the words is mended, and the run that waits hears of it.
    let words = edited(body("/mend retry a"), "/mend retry b", "t3");
    assert_eq!(event(words).await, []);
    assert_eq!(hub.tasks().await.len(), 1);
    let lease = Duration::from_secs(60);
    let held = hub.store.claim("w", lease).await.unwrap().unwrap().held;
    let heard = hub.store.steer_take(held).await.unwrap();
    assert_eq!(heard, ["`@alice` now words the request so:\nb"]);
    for (n, (before, now)) in [
        ("/mend retry a", "/mend retry from scratch a"),
        ("/mend retyr", "/mend retry"),
        ("> /mend retry", "/mend retry"),
        ("/mend fix", "/mend fix allow-tests"),
        ("/mend stop", "/mend retry"),
    ]
    .into_iter()
    .enumerate()
    {
        let other = edited(body(before), now, &format!("t4{n}"));
        let task = TaskId(2 + n as i64);
        assert_eq!(event(other).await, [Said::Accepted { task }], "{now}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn commands_beyond_the_fifth_are_left_out_and_that_is_said() {
    let hub = Hub::new().await;
    let text = "/mend status\n".repeat(7);
    let said = hub.event("issue_comment", &commented("alice", &text)).await;
    assert_eq!(said.len(), 6);
    assert_eq!(said[5], Said::LeftOut { most: 5, left: 2 });
    assert!(said[..5].iter().all(|s| *s == Said::Status { task: None }));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_on_mends_pull_request_is_about_its_issue() {
    let hub = Hub::new().await;
    let mut on_pull = commented("alice", "/mend retry on the pull request");
    on_pull["issue"] = json!({"id": 2002, "number": 66, "title": "Round once", "body": "Closes #1",
        "state": "open", "pull_request": {"url": "x"}});
    assert_eq!(hub.event("issue_comment", &on_pull).await, [Said::NotOurs]);

    hub.event("issues", &labeled("alice", "mend")).await;
    let lease = Duration::from_secs(60);
    let held = hub.store.claim("w", lease).await.unwrap().unwrap().held;
    let reached = Reached {
        pr_number: Some(66),
        ..Reached::default()
    };
    hub.store.step(held, Step::Publish, &reached).await.unwrap();
    hub.store
        .finish(held, Verdict::Ready, &json!({}))
        .await
        .unwrap();
    assert_eq!(
        hub.event("issue_comment", &on_pull).await,
        [Said::Accepted { task: TaskId(2) }]
    );
    let trigger = hub.tasks().await[1].trigger.clone();
    assert_eq!((trigger.issue.number, trigger.issue.id), (1, 1001));
    assert_eq!(
        (trigger.title.as_str(), trigger.body.as_str()),
        ("Totals drift", "by a cent")
    );
    assert!(trigger.key.starts_with("7:1001:comment:88:"));

    let mut closed = labeled("mia", "x");
    closed["action"] = json!("closed");
    closed["pull_request"] = json!({"number": 66, "merged": true, "closed_at": "2026-11-30T10:00:01Z", "head": {"ref": "mend/issue-1", "repo": {"id": 7}}});
    hub.event("pull_request", &closed).await;
    assert!(hub.tasks().await[1].cancel_requested);
}

#[tokio::test(flavor = "multi_thread")]
async fn taking_the_label_off_or_closing_stops_the_task() {
    for (action, label, stops) in [
        ("unlabeled", "MEND", true),
        ("unlabeled", "bug", false),
        ("closed", "x", true),
    ] {
        let hub = Hub::new().await;
        hub.event("issues", &labeled("alice", "mend")).await;
        hub.facts.lock().unwrap().on_now = false;
        let mut payload = labeled("rita", label);
        payload["action"] = json!(action);
        assert_eq!(hub.event("issues", &payload).await, []);
        assert_eq!(
            hub.tasks().await[0].cancel_requested,
            stops,
            "{action} {label}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn trouble_at_github_is_no_yes_and_delays_in_order() {
    for code in [403, 429, 500, 502] {
        let hub = Hub::new().await;
        hub.facts.lock().unwrap().trouble = Some(code);
        hub.deliver("issues", &labeled("alice", "mend")).await;
        hub.deliver("issues", &unlabeled("alice", "mend")).await;
        assert_eq!(hub.settle().await, []);
        assert!(hub.tasks().await.is_empty(), "{code}");
        assert_eq!(hub.ends().await, [("new".to_string(), 2)], "{code}");
        {
            let mut facts = hub.facts.lock().unwrap();
            (facts.trouble, facts.on_now) = (None, false);
        }
        assert!(
            hub.after(Duration::ZERO).await.is_none(),
            "{code}: it does not wait"
        );
        hub.clock.on(Duration::from_secs(61));
        assert_eq!(hub.settle().await, [FIRST], "{code}");
        // The label came off while GitHub was down: the start was first, then the stop.
        let tasks = hub.tasks().await;
        assert_eq!((tasks.len(), tasks[0].cancel_requested), (1, true));
        assert_eq!(tasks[0].state, State::Queued);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_labelling_that_github_does_not_show_yet_is_awaited_for_a_day() {
    let hub = Hub::new().await;
    let event = hub.facts.lock().unwrap().labeled.pop().unwrap();
    assert_eq!(hub.event("issues", &labeled("alice", "mend")).await, []);
    assert_eq!(hub.ends().await, [("new".to_string(), 1)]);
    hub.facts.lock().unwrap().labeled.push(event);
    hub.clock.on(Duration::from_secs(10));
    assert_eq!(hub.settle().await, [FIRST]);

    hub.facts.lock().unwrap().labeled.clear();
    hub.event("issues", &labeled("mia", "mend")).await;
    for _ in 0..200 {
        hub.clock.on(Duration::from_secs(901));
        hub.settle().await;
    }
    assert_eq!(
        hub.ends().await,
        [("done".to_string(), 1), ("failed".to_string(), 1)]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_read_is_given_up_and_the_next_goes_on() {
    let hub = Hub::new().await;
    hub.deliver("issues", &json!({"action": "labeled"})).await;
    hub.deliver("issues", &json!("no object")).await;
    hub.deliver("issues", &labeled("alice", "mend")).await;
    assert_eq!(hub.settle().await, [FIRST]);
    assert_eq!(
        hub.ends().await,
        [("done".to_string(), 1), ("failed".to_string(), 2)]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_was_not_written_is_written_later() {
    let hub = Hub::new().await;
    *hub.ear.failures.lock().unwrap() = 1;
    assert_eq!(hub.event("issues", &labeled("rita", "mend")).await, []);
    hub.clock.on(Duration::from_secs(5));
    assert_eq!(
        hub.settle().await,
        [Said::Refused {
            needed: Permission::Write
        }]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repository_that_is_not_served_is_told_so() {
    let hub = Hub::with(&[], &["acme/other"]).await;
    assert_eq!(hub.event("issues", &labeled("rita", "mend")).await, []);
    assert_eq!(
        hub.event("issues", &labeled("alice", "mend")).await,
        [Said::NotServed]
    );
    assert_eq!(hub.event("issues", &labeled("alice", "mend")).await, []);
    assert!(hub.tasks().await.is_empty());
    let hub = Hub::with(&[], &["acme/*"]).await;
    assert_eq!(
        hub.event("issues", &labeled("alice", "mend")).await,
        [FIRST]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_loop_admits_what_comes_and_ends_when_it_is_told() {
    let hub = std::sync::Arc::new(Hub::new().await);
    let stop = mend::domain::Cancel::new();
    let (running, signal) = (hub.clone(), stop.clone());
    let running = tokio::spawn(async move { running.admit.run(&running.ear, &signal).await });
    let woken = hub.store.tasks_changed();
    hub.deliver("issues", &labeled("alice", "mend")).await;
    tokio::time::timeout(Duration::from_secs(5), woken)
        .await
        .unwrap();
    assert_eq!(hub.tasks().await.len(), 1);
    stop.cancel();
    tokio::time::timeout(Duration::from_secs(5), running)
        .await
        .unwrap()
        .unwrap();
}
