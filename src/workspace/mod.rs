//! The agent's view of a tree: read, search, list, edit.
