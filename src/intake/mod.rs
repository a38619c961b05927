//! Webhook receiver and admission: event → trigger → task.
//!
//! The receiver verifies a delivery, stores it and answers; it calls nobody. Admission reads what
//! was stored, asks GitHub who may do what, and makes tasks, stops and answers of it.

mod act;
mod admit;
mod answer;
mod body;
mod comment;
mod drain;
mod error;
mod missed;
mod notice;
mod quota;
mod receiver;
mod reconcile;
mod reconcile_reviews;
mod review;
mod serve;
mod withdraw;

pub use admit::{Admit, Admitted, least_role};
pub use error::IntakeError;
pub use missed::Missed;
pub use notice::{Notice, Place, Said, Untold, Voice};
pub use receiver::{Receiver, router};
pub use serve::{Bounds, serve};
