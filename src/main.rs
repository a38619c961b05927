//! The command line of mend.

fn main() {}
