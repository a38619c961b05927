//! Wires the rooms into a server.
