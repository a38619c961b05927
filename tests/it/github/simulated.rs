//! Both rooms that talk to GitHub against the simulator, which was written apart from them: the
//! way of one task, from the label's event to the revoked tokens.

use super::stub::Now;
use mend::domain::{Cancel, RepoRef};
use mend::git::{
    Depth, Expected, Git, GitError, GitSettings, NewCommit, Push, Pushed, Signer, TreeChange,
};
use mend::github::{
    Conclusion, Github, GithubError, GithubSettings, NewCheckRun, NewPull, PullState, PullUpdate,
    Purpose, Reaction, Role, Thread,
};
use mend::simulator::{Permission, Simulator, SimulatorOptions};
use std::sync::Arc;

const REPO: &str = "acme/app";
const BRANCH: &str = "mend/issue-1";

#[tokio::test(flavor = "multi_thread")]
async fn the_way_of_one_task() {
    let simulator = Simulator::start(SimulatorOptions::default()).await.unwrap();
    let base = simulator.base_url().to_string();
    let ann = simulator.add_person("ann", Permission::Write);
    simulator.add_person("eve", Permission::Read);
    let id = simulator
        .create_repo(
            REPO,
            [
                ("a.py", "1 / 0\n"),
                (".github/mend.toml", "check = 'true'\n"),
            ],
        )
        .unwrap();
    let number = simulator
        .open_issue(REPO, "eve", "It divides by zero", "See a.py")
        .unwrap();
    simulator.label_issue(REPO, number, "mend", "ann").unwrap();

    let key = simulator.private_key_pem().to_string();
    let settings = GithubSettings::new(base.clone(), simulator.app_id(), key.into());
    let github = Github::new(&settings, Arc::new(Now)).unwrap();
    let name = REPO.parse().unwrap();
    let installation_id = github.installation_of(&name).await.unwrap().id;
    let repo = RepoRef {
        id,
        name,
        installation_id,
    };
    let session = github.session(&repo);

    // Who asked, for what.
    let event = session
        .newest_labeled(number, "Mend", Some(ann))
        .await
        .unwrap();
    assert!(event.is_some());
    assert_eq!(
        session.role_of("ann", Some(ann)).await.unwrap(),
        Role::Write
    );
    assert_eq!(session.role_of("eve", None).await.unwrap(), Role::Read);
    assert_eq!(session.role_of("nobody", None).await.unwrap(), Role::None);
    let issue = session.issue(number).await.unwrap();
    assert_eq!(
        (issue.title.as_str(), issue.labels[0].name.as_str()),
        ("It divides by zero", "mend")
    );
    let info = session.repo_by_id().await.unwrap();
    assert_eq!(
        (info.full_name.as_str(), info.default_branch.as_str()),
        (REPO, "main")
    );

    // Status.
    session
        .react(Thread::Issue(number), Reaction::Eyes)
        .await
        .unwrap();
    let made = session
        .create_comment(Thread::Issue(number), "<!-- mend:1 --> working")
        .await
        .unwrap();
    session
        .update_comment(Thread::Issue(number), made.id, "<!-- mend:1 --> done")
        .await
        .unwrap();
    let forged = simulator
        .comment(REPO, number, "eve", "<!-- mend:1 --> forged")
        .unwrap();
    let found = session
        .find_comment(number, "<!-- mend:1 -->")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (found.id, found.body.as_str()),
        (made.id, "<!-- mend:1 --> done")
    );
    assert_ne!(found.id, forged);

    // Mirror, private directory, commit.
    let home = tempfile::tempdir().unwrap();
    let git = Git::new(GitSettings::new(home.path().join("mirrors"), base)).unwrap();
    let cancel = Cancel::new();
    let read =
        mend::git::Credential::token(session.token(Purpose::Read).await.unwrap().secret().clone());
    let mirror = git.mirror(id).await.unwrap();
    let wanted = [
        format!("refs/heads/{}", info.default_branch),
        format!("refs/heads/{BRANCH}"),
    ];
    let url = git.url(&repo.name);
    let fetched = mirror
        .fetch(&url, &wanted, Some(&read), Depth::Full, &cancel)
        .await
        .unwrap();
    let tip = fetched.refs[&wanted[0]];
    let private = mirror.private(home.path().join("task")).await.unwrap();
    let config = private
        .read_file_at(tip, ".github/mend.toml", 10_000)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(config, b"check = 'true'\n");
    let bot = github.bot(&session).await.unwrap();
    assert_eq!(bot.login, format!("{}[bot]", simulator.app_slug()));
    let signer = Signer {
        name: bot.login.clone(),
        email: bot.email.clone(),
    };
    let new = NewCommit {
        parent: tip,
        changes: vec![TreeChange {
            path: "a.py".into(),
            content: Some((b"1 / 1\n".to_vec(), 0o644)),
        }],
        message: "Do not divide by zero".into(),
        author: signer.clone(),
        committer: signer,
        time: 1_790_000_000,
        allow_empty: false,
    };
    let commit = private.commit(new).await.unwrap().unwrap();

    // Publish: the reading token may not.
    let reference = format!("refs/heads/{BRANCH}");
    let mut push = Push {
        url: &url,
        credential: &read,
        commit,
        reference: &reference,
        expected: Expected::Absent,
        rewrite: false,
    };
    let refused = private.push(&push, &cancel).await;
    assert!(
        matches!(refused, Err(GitError::Auth { .. } | GitError::Gone { .. })),
        "{refused:?}"
    );
    let write = mend::git::Credential::token(
        session
            .token(Purpose::Publish)
            .await
            .unwrap()
            .secret()
            .clone(),
    );
    push.credential = &write;
    assert_eq!(private.push(&push, &cancel).await, Ok(Pushed::Updated));
    assert_eq!(
        session.branch(BRANCH).await.unwrap(),
        Some(commit.to_string())
    );
    let new = NewPull {
        title: "Do not divide by zero",
        head: BRANCH,
        base: "main",
        body: "Closes #1",
        draft: true,
    };
    let pull = session.create_pull(&new).await.unwrap();
    assert!(pull.draft);
    let again = session.create_pull(&new).await.unwrap_err();
    assert!(again.is_duplicate_pull(), "{again}");
    let found = session.pulls_of(BRANCH, PullState::Open).await.unwrap();
    assert_eq!(
        found.iter().map(|p| p.number).collect::<Vec<_>>(),
        [pull.number]
    );
    session
        .update_pull(
            pull.number,
            &PullUpdate {
                body: Some("Closes #1."),
                ..PullUpdate::default()
            },
        )
        .await
        .unwrap();
    session.set_draft(&pull, false).await.unwrap();
    let sha = commit.to_string();
    let mut run = NewCheckRun {
        name: "mend",
        head_sha: &sha,
        external_id: None,
        details_url: None,
        conclusion: None,
        output: None,
    };
    let check = session.create_check_run(&run).await.unwrap();
    run.conclusion = Some(Conclusion::Success);
    session.update_check_run(check.id, &run).await.unwrap();
    session
        .create_comment(Thread::Pull(pull.number), "again?")
        .await
        .unwrap();

    // What GitHub has now.
    let seen = simulator.pulls(REPO);
    assert_eq!(seen.len(), 1);
    assert_eq!(
        (
            seen[0].draft,
            seen[0].head_sha.as_str(),
            seen[0].body.as_str()
        ),
        (false, sha.as_str(), "Closes #1.")
    );
    assert_eq!(simulator.file(REPO, BRANCH, "a.py").unwrap(), b"1 / 1\n");
    assert_eq!(
        simulator.check_runs(REPO)[0].conclusion.as_deref(),
        Some("success")
    );

    // The end: revoked tokens are dead, and the session can go on with new ones.
    let old = session.token(Purpose::Read).await.unwrap();
    session.revoke_all().await.unwrap();
    let dead = mirror
        .fetch(
            &url,
            &wanted,
            Some(&mend::git::Credential::token(old.secret().clone())),
            Depth::Full,
            &cancel,
        )
        .await;
    assert!(matches!(dead, Err(GitError::Auth { .. })), "{dead:?}");
    session.issue(number).await.unwrap();
    simulator.expire_tokens();
    session.issue(number).await.unwrap();
    session.delete_branch(BRANCH).await.unwrap();
    session.delete_branch(BRANCH).await.unwrap();
    assert_eq!(session.branch(BRANCH).await.unwrap(), None);
    simulator.suspend(true);
    let refused = github
        .session(&repo)
        .token(Purpose::Read)
        .await
        .unwrap_err();
    assert!(matches!(refused, GithubError::Forbidden(_)), "{refused}");
    simulator.shutdown().await;
}
