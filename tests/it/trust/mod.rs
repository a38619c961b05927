//! Tokens, keys and admission: the groups AZ, SE and WH of the security cases, through whole servers
//! and the real program.

mod admission;
mod edge;
mod people;
mod process;
mod secrets;
mod starts;
pub mod sweep;
mod tokens;
