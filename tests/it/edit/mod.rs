//! The edit engine from outside: the cases of `tests/cases/edits`, and properties.

mod cases;
mod command;
mod properties;
mod texts;
