use crate::Error;
use std::fmt;

/// A minute of the Gregorian calendar.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment {
    pub year: i32,
    pub month: u32,
    pub day: u32,
    pub hour: u32,
    pub minute: u32,
}

pub fn is_leap(year: i32) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

/// How many days a month has; 1 is January.
pub fn days_in_month(year: i32, month: u32) -> u32 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The day of the week; 0 is Sunday.
pub fn weekday(year: i32, month: u32, day: u32) -> u32 {
    // Sakamoto's method: the year begins in March, so that a leap day is its last.
    const OFFSETS: [i32; 12] = [0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4];
    let year = if month < 3 { year - 1 } else { year };
    let offset = OFFSETS[month as usize - 1];
    let sum = year + year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    (sum + offset + day as i32).rem_euclid(7) as u32
}

impl Moment {
    pub fn new(year: i32, month: u32, day: u32, hour: u32, minute: u32) -> Result<Self, Error> {
        let month_fits = (1..=12).contains(&month);
        if !month_fits || day == 0 || day > days_in_month(year, month) || hour > 23 || minute > 59 {
            return Err(Error::Moment);
        }
        Ok(Moment { year, month, day, hour, minute })
    }

    pub fn weekday(self) -> u32 {
        weekday(self.year, self.month, self.day)
    }

    /// The next minute.
    pub fn plus_minute(self) -> Self {
        if self.minute < 59 {
            return Moment { minute: self.minute + 1, ..self };
        }
        if self.hour < 23 {
            return Moment { hour: self.hour + 1, minute: 0, ..self };
        }
        self.next_day()
    }

    /// The first minute of the next day.
    pub fn next_day(self) -> Self {
        let Moment { year, month, day, .. } = self;
        if day < days_in_month(year, month) {
            return Moment { day: day + 1, hour: 0, minute: 0, ..self };
        }
        self.next_month()
    }

    /// The first minute of the next month.
    pub fn next_month(self) -> Self {
        let (year, month) = match self.month {
            12 => (self.year + 1, 1),
            month => (self.year, month + 1),
        };
        Moment { year, month, day: 1, hour: 0, minute: 0 }
    }

    /// The last minute of the day before.
    pub fn day_before(self) -> Self {
        let (mut year, mut month, mut day) = (self.year, self.month, self.day);
        if day > 1 {
            day -= 1;
        } else {
            (year, month) = if month == 1 { (year - 1, 12) } else { (year, month - 1) };
            day = days_in_month(year, month);
        }
        Moment { year, month, day, hour: 23, minute: 59 }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Moment { year, month, day, hour, minute } = self;
        write!(f, "{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}")
    }
}
