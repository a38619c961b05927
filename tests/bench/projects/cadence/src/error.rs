use std::fmt;

/// Why a text is no schedule, or numbers are no moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Error {
    /// So many fields instead of five.
    Fields(usize),
    /// A word that is neither number nor name.
    Word(String),
    /// A number outside of the field's range.
    Range { value: u32, least: u32, most: u32 },
    /// A range whose end comes before its beginning.
    Backwards(u32, u32),
    /// A step of 0.
    Step,
    /// No such date or time.
    Moment,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Fields(count) => write!(f, "a schedule has 5 fields, not {count}"),
            Error::Word(word) => write!(f, "not understood: {word:?}"),
            Error::Range { value, least, most } => {
                write!(f, "{value} is not between {least} and {most}")
            }
            Error::Backwards(first, last) => write!(f, "the range {first}-{last} is empty"),
            Error::Step => write!(f, "a step must be at least 1"),
            Error::Moment => write!(f, "no such date or time"),
        }
    }
}

impl std::error::Error for Error {}
