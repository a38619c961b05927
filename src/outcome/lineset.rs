//! Many patterns over many lines at once.

use regex::bytes::{RegexSet, RegexSetBuilder, SetMatches};

/// Memory that the automaton of one set may take, in bytes.
const LIMIT: usize = 64 << 20;

/// A set of patterns. They see bytes, so classes hold only ASCII; Unicode's word boundaries would
/// push lines with other characters onto a slow engine.
pub(super) struct LineSet(RegexSet);

impl LineSet {
    /// `None` when a pattern is wrong, which a test beside each set rules out.
    pub(super) fn new<'a>(patterns: impl IntoIterator<Item = &'a str>) -> Option<LineSet> {
        let mut builder = RegexSetBuilder::new(patterns);
        builder
            .unicode(false)
            .size_limit(LIMIT)
            .dfa_size_limit(LIMIT);
        builder.build().ok().map(LineSet)
    }

    pub(super) fn is_match(&self, line: &str) -> bool {
        self.0.is_match(line.as_bytes())
    }

    /// The patterns that match, or `None`: most lines match nothing, and asking only for that is
    /// several times faster.
    pub(super) fn matches(&self, line: &str) -> Option<SetMatches> {
        self.is_match(line).then(|| self.0.matches(line.as_bytes()))
    }
}
