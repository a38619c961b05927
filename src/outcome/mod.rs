//! What a check's output and exit mean; how two runs compare. Pure.
