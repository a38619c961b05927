//! May this diff be published? Pure.
