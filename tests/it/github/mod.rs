//! The `github` room against stubs that record what they are asked.

mod app;
mod calls;
mod failures;
mod stub;
mod webhooks;
