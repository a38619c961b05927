use crate::Error;

/// Which of the five fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Minute,
    Hour,
    Day,
    Month,
    Weekday,
}

const MONTHS: [&str; 12] = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
];
const WEEKDAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

impl Kind {
    /// The least and the largest value that may be written.
    pub fn range(self) -> (u32, u32) {
        match self {
            Kind::Minute => (0, 59),
            Kind::Hour => (0, 23),
            Kind::Day => (1, 31),
            Kind::Month => (1, 12),
            Kind::Weekday => (0, 7),
        }
    }

    /// The largest value of its own: 7 is another way to write Sunday.
    fn last(self) -> u32 {
        match self {
            Kind::Weekday => 6,
            _ => self.range().1,
        }
    }

    fn value(self, word: &str) -> Result<u32, Error> {
        let lower = word.to_ascii_lowercase();
        let named = match self {
            Kind::Month => MONTHS.iter().position(|m| *m == lower).map(|n| n as u32 + 1),
            Kind::Weekday => WEEKDAYS.iter().position(|d| *d == lower).map(|n| n as u32),
            _ => None,
        };
        if let Some(value) = named {
            return Ok(value);
        }
        let value: u32 = word.parse().map_err(|_| Error::Word(word.to_string()))?;
        let (least, most) = self.range();
        if value < least || value > most {
            return Err(Error::Range { value, least, most });
        }
        Ok(value)
    }
}

/// The values that a field allows, as bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    bits: u64,
    kind: Kind,
    any: bool,
}

impl Field {
    pub fn parse(kind: Kind, text: &str) -> Result<Self, Error> {
        let mut field = Field { bits: 0, kind, any: text.starts_with('*') };
        for part in text.split(',') {
            field.add(part)?;
        }
        Ok(field)
    }

    fn add(&mut self, part: &str) -> Result<(), Error> {
        let (span, step) = match part.split_once('/') {
            Some((span, step)) => {
                let step = step.parse().map_err(|_| Error::Word(part.to_string()))?;
                (span, Some(step))
            }
            None => (part, None),
        };
        if step == Some(0) {
            return Err(Error::Step);
        }
        let (first, last) = self.ends(span, step.is_some())?;
        if first > last {
            return Err(Error::Backwards(first, last));
        }
        for value in (first..=last).step_by(step.unwrap_or(1)) {
            self.set(value);
        }
        Ok(())
    }

    /// First and last value of `*`, `a-b` or `a`; with a step a single value goes on to the end.
    fn ends(&self, span: &str, stepped: bool) -> Result<(u32, u32), Error> {
        if span == "*" {
            return Ok((self.kind.range().0, self.kind.last()));
        }
        if let Some((first, last)) = span.split_once('-') {
            return Ok((self.kind.value(first)?, self.kind.value(last)?));
        }
        let value = self.kind.value(span)?;
        Ok((value, if stepped { self.kind.last() } else { value }))
    }

    fn set(&mut self, value: u32) {
        let value = if self.kind == Kind::Weekday { value % 7 } else { value };
        self.bits |= 1 << value;
    }

    pub fn allows(&self, value: u32) -> bool {
        self.bits & (1 << value) != 0
    }

    /// Whether the field began with `*`: crontab's sign that it restricts nothing.
    pub fn is_any(&self) -> bool {
        self.any
    }

    /// The values in order.
    pub fn values(&self) -> Vec<u32> {
        (self.kind.range().0..=self.kind.last()).filter(|v| self.allows(*v)).collect()
    }

    /// The first allowed value that is at least this one.
    pub fn at_least(&self, value: u32) -> Option<u32> {
        (value..=self.kind.last()).find(|v| self.allows(*v))
    }

    /// The last allowed value that is at most this one.
    pub fn at_most(&self, value: u32) -> Option<u32> {
        (self.kind.range().0..=value).rev().find(|v| self.allows(*v))
    }
}
