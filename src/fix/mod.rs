//! The engine without GitHub: a tree and a report in, a verdict out.
