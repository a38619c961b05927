//! `/mend ci`, and mend spoken to by its name, on the issue and on the pull request.

use crate::world::{REPO, WRITER, World, fix, more};
use mend::domain::Verdict;

#[tokio::test(flavor = "multi_thread")]
async fn ci_and_the_apps_name_are_understood_on_issue_and_pull_request() {
    let world = World::new(&[&[fix()], &[more()]]).await;
    let issue = world.label();
    assert_eq!(world.ended(1).await.verdict, Some(Verdict::Ready));
    let pull = world.pulls()[0].number;
    let name = format!("@{}", world.sim.app_slug());
    for (place, said) in [
        (issue, "/mend ci".to_string()),
        (pull, "/mend ci".to_string()),
        (issue, format!("{name} ci")),
        (pull, format!("{name}, ci please")),
    ] {
        let before = world.own_comments(place).len();
        world.sim.comment(REPO, place, WRITER, &said).unwrap();
        world
            .until(&format!("`{said}` on #{place} is answered"), async || {
                (world.own_comments(place).len() > before).then_some(())
            })
            .await;
        let told = world.own_comments(place).pop().unwrap().body;
        assert!(told.contains("CI is not held on `mend/issue-1`"), "{told}");
    }
    // Named in a sentence, mend is talked about.
    world
        .sim
        .comment(REPO, issue, WRITER, &format!("ask {name} ci"))
        .unwrap();
    world
        .sim
        .comment(REPO, pull, WRITER, &format!("{name} retry add a test"))
        .unwrap();
    assert_eq!(world.ended(2).await.verdict, Some(Verdict::Ready));
    assert_eq!(world.tasks().await.len(), 2);
    assert_eq!(world.own_comments(issue).len(), 3);
    world.end().await;
}
