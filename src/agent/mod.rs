//! The loop of the agent: first message, turns, tools, stop reasons.
