//! Detects a project's check and runs it through the sandbox.
