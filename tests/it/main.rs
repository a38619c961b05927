//! Everything that is tested from outside the rooms, in one binary.
