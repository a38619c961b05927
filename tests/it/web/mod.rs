//! The pages over HTTP, on real stores: what they show, to whom, and what they let through.

mod act;
mod api;
mod browser;
mod hostile;
mod live;
mod login;
mod odd;
mod rig;
mod seed;
mod sizes;

use rig::Rig;
