//! A simulator whose every exchange is checked.

use super::description::GITHUB;
use mend::simulator::{Exchange, Simulator, SimulatorOptions};
use std::collections::BTreeSet;
use std::ops::Deref;
use std::sync::{Arc, Mutex};

/// Whose requests come.
#[derive(Clone, Copy, PartialEq)]
pub enum Whose {
    /// mend's: none may be wrong.
    Mend,
    /// Made up by a test, which may be wrong on purpose: the simulator may not take those.
    Test,
}

/// The simulator; dropping it fails when an exchange broke the contract.
pub struct Checked {
    simulator: Option<Simulator>,
    found: Arc<Mutex<BTreeSet<String>>>,
}

impl Checked {
    pub async fn start(options: SimulatorOptions, whose: Whose) -> Checked {
        let found = Arc::new(Mutex::new(BTreeSet::new()));
        let (all, outer) = (found.clone(), options.watch.clone());
        let watch = move |exchange: &Exchange| {
            if let Some(outer) = &outer {
                outer(exchange);
            }
            all.lock().unwrap().extend(check(exchange, whose));
        };
        let options = SimulatorOptions {
            watch: Some(Arc::new(watch)),
            ..options
        };
        Checked {
            simulator: Some(Simulator::start(options).await.unwrap()),
            found,
        }
    }

    /// What broke the contract so far.
    pub fn found(&self) -> Vec<String> {
        self.found.lock().unwrap().iter().cloned().collect()
    }

    /// Forgets it: for the test of this very check.
    pub fn forgive(&self) {
        self.found.lock().unwrap().clear();
    }

    pub async fn shutdown(mut self) {
        self.simulator.take().unwrap().shutdown().await;
    }
}

pub fn check(exchange: &Exchange, whose: Whose) -> Vec<String> {
    let mut wrong = Vec::new();
    if whose == Whose::Mend || (200..300).contains(&exchange.status) {
        wrong.extend(GITHUB.request(exchange));
    }
    let answered = GITHUB.answer(exchange);
    wrong.extend(answered.wrong);
    wrong.extend(answered.missing);
    let name = format!("{} {}", exchange.method, exchange.path);
    wrong
        .iter()
        .map(|what| format!("{name} → {}: {what}", exchange.status))
        .collect()
}

impl Deref for Checked {
    type Target = Simulator;

    fn deref(&self) -> &Simulator {
        self.simulator.as_ref().unwrap()
    }
}

impl Drop for Checked {
    fn drop(&mut self) {
        let found = self.found();
        if !found.is_empty() && !std::thread::panicking() {
            panic!("not GitHub's contract:\n{}", found.join("\n"));
        }
    }
}
