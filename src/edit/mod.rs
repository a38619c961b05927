//! Edits of files: parsed, resolved, applied to pending content, rendered as a diff. Pure.
