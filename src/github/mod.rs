//! Client of GitHub's REST API: App auth, wire structs, signature.
