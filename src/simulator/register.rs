//! The App before it works: what its owner does on its page.

use super::start::Simulator;

impl Simulator {
    /// Sends the webhook by which GitHub tries an address that is new to it.
    pub fn ping(&self) {
        self.host.world().emit_ping();
    }
}
