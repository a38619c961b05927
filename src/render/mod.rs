//! Every text that a person sees. Pure.
