//! Tables in terminals.

pub mod csv;
pub mod number;
pub mod render;
pub mod table;
pub mod width;

pub use table::Table;
