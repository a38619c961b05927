//! Both rooms that talk to GitHub against the simulator, which was written apart from them: the
//! way of one task, from the label's event to the revoked tokens.

use super::stub::Now;
use crate::contract::{Checked, Whose};
use mend::domain::{Cancel, RepoRef};
use mend::git::{
    Credential, Depth, Expected, Fetched, Git, GitError, GitSettings, Mirror, NewCommit, Oid,
    Private, Push, Pushed, Signer, TreeChange,
};
use mend::github::{
    Conclusion, Github, GithubError, GithubSettings, NewCheckRun, NewPull, PullState, PullUpdate,
    Purpose, Reaction, Role, Session, Thread,
};
use mend::simulator::{Permission, SimulatorOptions};
use std::sync::Arc;

const REPO: &str = "acme/app";
const BRANCH: &str = "mend/issue-1";
const HEAD: &str = "refs/heads/mend/issue-1";
const MAIN: &str = "refs/heads/main";

struct Way {
    simulator: Checked,
    session: Session,
    git: Git,
    home: tempfile::TempDir,
    ann: u64,
    number: u64,
}

impl Way {
    /// A repository with a bug, and an issue about it that Ann labelled.
    async fn begin() -> Way {
        let simulator = Checked::start(SimulatorOptions::default(), Whose::Mend).await;
        let ann = simulator.add_person("ann", Permission::Write);
        simulator.add_person("eve", Permission::Read);
        let files = [
            ("a.py", "1 / 0\n"),
            (".github/mend.toml", "check = 'true'\n"),
        ];
        let id = simulator.create_repo(REPO, files).unwrap();
        let number = simulator
            .open_issue(REPO, "eve", "It divides by zero", "See a.py")
            .unwrap();
        simulator.label_issue(REPO, number, "mend", "ann").unwrap();
        let base = simulator.base_url().to_string();
        let key = simulator.private_key_pem().to_string();
        let settings = GithubSettings::new(base.clone(), simulator.app_id(), key.into());
        let github = Github::new(&settings, Arc::new(Now)).unwrap();
        let name = REPO.parse().unwrap();
        let installation_id = github.installation_of(&name).await.unwrap().id;
        let session = github.session(&RepoRef {
            id,
            name,
            installation_id,
        });
        let home = tempfile::tempdir().unwrap();
        let git = Git::new(GitSettings::new(home.path().join("mirrors"), base)).unwrap();
        Way {
            simulator,
            session,
            git,
            home,
            ann,
            number,
        }
    }

    fn url(&self) -> String {
        self.git.url(&self.session.repo().name)
    }

    async fn credential(&self, purpose: Purpose) -> Credential {
        Credential::token(self.session.token(purpose).await.unwrap().secret().clone())
    }

    async fn fetch(&self, mirror: &Mirror, with: &Credential) -> Result<Fetched, GitError> {
        let wanted = [MAIN.to_string(), HEAD.to_string()];
        let cancel = Cancel::new();
        mirror
            .fetch(&self.url(), &wanted, Some(with), Depth::Full, &cancel)
            .await
    }

    async fn push(
        &self,
        private: &Private,
        commit: Oid,
        with: &Credential,
    ) -> Result<Pushed, GitError> {
        let push = Push {
            url: &self.url(),
            credential: with,
            commit,
            reference: HEAD,
            expected: Expected::Absent,
            rewrite: false,
        };
        private.push(&push, &Cancel::new()).await
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_way_of_one_task() {
    let way = Way::begin().await;
    Box::pin(admit(&way)).await;
    Box::pin(status(&way)).await;
    let (mirror, private, commit) = Box::pin(work(&way)).await;
    Box::pin(publish(&way, &private, commit)).await;
    Box::pin(end(&way, &mirror)).await;
    way.simulator.shutdown().await;
}

/// Who asked, for what.
async fn admit(way: &Way) {
    let session = &way.session;
    let event = session
        .newest_labeled(way.number, "Mend", Some(way.ann))
        .await
        .unwrap();
    assert!(event.is_some());
    for (login, id, role) in [
        ("ann", Some(way.ann), Role::Write),
        ("ann", Some(way.ann + 999), Role::None),
        ("eve", None, Role::Read),
        ("nobody", None, Role::None),
    ] {
        assert_eq!(session.role_of(login, id).await.unwrap(), role, "{login}");
    }
    let issue = session.issue(way.number).await.unwrap();
    let label = issue.labels[0].name.as_str();
    assert_eq!(
        (issue.title.as_str(), label),
        ("It divides by zero", "mend")
    );
    let info = session.repo_by_id().await.unwrap();
    assert_eq!(
        (info.full_name.as_str(), info.default_branch.as_str()),
        (REPO, "main")
    );
}

/// A reaction and one comment, which is found again beside a forged one.
async fn status(way: &Way) {
    let (session, thread) = (&way.session, Thread::Issue(way.number));
    session.react(thread, Reaction::Eyes).await.unwrap();
    let made = session
        .create_comment(thread, "<!-- mend:1 --> working")
        .await
        .unwrap();
    session
        .update_comment(thread, made.id, "<!-- mend:1 --> done")
        .await
        .unwrap();
    let forged = "<!-- mend:1 --> forged";
    way.simulator
        .comment(REPO, way.number, "eve", forged)
        .unwrap();
    let found = session
        .find_comment(way.number, "<!-- mend:1 -->")
        .await
        .unwrap()
        .unwrap();
    assert_eq!(
        (found.id, found.body.as_str()),
        (made.id, "<!-- mend:1 --> done")
    );
}

/// Mirror, private directory, the bot's commit.
async fn work(way: &Way) -> (Mirror, Private, Oid) {
    let mirror = way.git.mirror(way.session.repo().id).await.unwrap();
    let read = way.credential(Purpose::Read).await;
    let tip = way.fetch(&mirror, &read).await.unwrap().refs[MAIN];
    let private = mirror.private(way.home.path().join("task")).await.unwrap();
    let config = private
        .read_file_at(tip, ".github/mend.toml", 10_000)
        .await
        .unwrap();
    assert_eq!(config.unwrap(), b"check = 'true'\n");
    let bot = way.session.github().bot(&way.session).await.unwrap();
    assert_eq!(bot.login, format!("{}[bot]", way.simulator.app_slug()));
    assert!(bot.id.is_some());
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
    (mirror, private, commit)
}

/// Branch, pull request, check run.
async fn publish(way: &Way, private: &Private, commit: Oid) {
    let session = &way.session;
    let read = way.credential(Purpose::Read).await;
    let refused = way.push(private, commit, &read).await;
    assert!(matches!(refused, Err(GitError::Auth { .. })), "{refused:?}");
    let write = way.credential(Purpose::Publish).await;
    assert_eq!(way.push(private, commit, &write).await, Ok(Pushed::Updated));
    let sha = commit.to_string();
    assert_eq!(
        session.branch(BRANCH).await.unwrap().as_deref(),
        Some(sha.as_str())
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
    let update = PullUpdate {
        body: Some("Closes #1."),
        ..PullUpdate::default()
    };
    session.update_pull(pull.number, &update).await.unwrap();
    session.set_draft(&pull, false).await.unwrap();
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

    let seen = way.simulator.pulls(REPO);
    assert_eq!(seen.len(), 1);
    let (head, body) = (seen[0].head_sha.as_str(), seen[0].body.as_str());
    assert_eq!(
        (seen[0].draft, head, body),
        (false, sha.as_str(), "Closes #1.")
    );
    assert_eq!(
        way.simulator.file(REPO, BRANCH, "a.py").unwrap(),
        b"1 / 1\n"
    );
    let checks = way.simulator.check_runs(REPO);
    assert_eq!(checks[0].conclusion.as_deref(), Some("success"));
}

/// Revoked tokens are dead; the session goes on with new ones until it may not.
async fn end(way: &Way, mirror: &Mirror) {
    let session = &way.session;
    let old = way.credential(Purpose::Read).await;
    session.revoke_all().await.unwrap();
    let dead = way.fetch(mirror, &old).await;
    assert!(matches!(dead, Err(GitError::Auth { .. })), "{dead:?}");
    session.issue(way.number).await.unwrap();
    way.simulator.expire_tokens();
    session.issue(way.number).await.unwrap();
    way.simulator.suspend(true);
    let other = session.github().session(session.repo());
    let refused = other.token(Purpose::Read).await.unwrap_err();
    assert!(matches!(refused, GithubError::Forbidden(_)), "{refused}");
}
