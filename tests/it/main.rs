//! Everything that is tested from outside the rooms, in one binary.
#![allow(clippy::disallowed_methods)] // tests lay out what the rooms then read

mod tree;
