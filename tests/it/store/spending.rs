//! What tasks used, by day and payer.

use super::{Fresh, trigger};
use mend::domain::Spent;
use mend::store::Payer;
use std::time::Duration;

const LEASE: Duration = Duration::from_secs(60);
const DAY: Duration = Duration::from_secs(24 * 3600);

fn spent(turns: u64) -> Spent {
    Spent {
        turns,
        tokens: turns * 100,
        microdollars: turns * 1000,
    }
}

async fn spending_is_summed_by_day_and_payer(fresh: Fresh) {
    let store = &fresh.store;
    let mut helds = Vec::new();
    for (issue, repo, installation) in [(1, 7, 70), (2, 7, 70), (3, 8, 70), (4, 9, 71)] {
        let mut trigger = trigger(issue, &format!("k{issue}"));
        trigger.issue.repo.id = repo;
        trigger.issue.repo.installation_id = installation;
        store.create_task(&trigger, 3).await.unwrap();
        helds.push((store.claim("w", LEASE).await.unwrap().unwrap(), issue));
    }
    let pay = async |n: usize, turns: u64| {
        let claimed = &helds[n].0;
        let repo = &claimed.task.trigger.issue.repo;
        store
            .put_spending(claimed.held, repo, spent(turns))
            .await
            .unwrap();
    };
    let today = async |payer: Payer| store.spent_today(payer).await.unwrap();
    for (n, (_, issue)) in helds.iter().enumerate() {
        pay(n, *issue).await;
    }
    pay(0, 5).await; // the whole of the task, not on top of it
    assert_eq!(today(Payer::Repo(7)).await, spent(5 + 2));
    assert_eq!(today(Payer::Repo(8)).await, spent(3));
    assert_eq!(today(Payer::Installation(70)).await, spent(5 + 2 + 3));
    assert_eq!(today(Payer::Installation(71)).await, spent(4));
    // An attempt that begins before what was answered last takes nothing back.
    pay(0, 4).await;
    assert_eq!(today(Payer::Repo(7)).await, spent(7));
    fresh.clock.on(DAY);
    assert_eq!(today(Payer::Repo(7)).await, spent(0));
    // What the task used yesterday is yesterday's.
    pay(0, 9).await;
    assert_eq!(today(Payer::Installation(70)).await, spent(4));
    // Who lost the lease records nothing.
    store.reap(Duration::ZERO).await.unwrap();
    pay(1, 50).await;
    assert_eq!(today(Payer::Repo(7)).await, spent(4));
}

on_both!(spending_is_summed_by_day_and_payer);
