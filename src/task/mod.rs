//! The worker: claims a task, prepares, fixes, publishes.
