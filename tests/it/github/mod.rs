//! The `github` room against stubs that record what they are asked.

mod app;
mod calls;
mod examples;
mod failures;
mod simulated;
pub mod stub;
mod webhooks;
