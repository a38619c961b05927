//! Comment text → what is asked. Pure.
