use crate::field::{Field, Kind};
use crate::{Error, Moment};
use std::str::FromStr;

/// How many years are searched: the 29th of February can be eight years away, and fall on a given
/// day of the week only every 28 or, around 2100, every 40.
const YEARS: i32 = 40;

/// When something is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schedule {
    pub minute: Field,
    pub hour: Field,
    pub day: Field,
    pub month: Field,
    pub weekday: Field,
}

impl FromStr for Schedule {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let text = match text.trim() {
            "@hourly" => "0 * * * *",
            "@daily" | "@midnight" => "0 0 * * *",
            "@weekly" => "0 0 * * 0",
            "@monthly" => "0 0 1 * *",
            "@yearly" | "@annually" => "0 0 1 1 *",
            other => other,
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let [minute, hour, day, month, weekday] = words[..] else {
            return Err(Error::Fields(words.len()));
        };
        Ok(Schedule {
            minute: Field::parse(Kind::Minute, minute)?,
            hour: Field::parse(Kind::Hour, hour)?,
            day: Field::parse(Kind::Day, day)?,
            month: Field::parse(Kind::Month, month)?,
            weekday: Field::parse(Kind::Weekday, weekday)?,
        })
    }
}

impl Schedule {
    /// Whether it is due at a minute.
    pub fn is_due(&self, moment: Moment) -> bool {
        self.minute.allows(moment.minute)
            && self.hour.allows(moment.hour)
            && self.month.allows(moment.month)
            && self.fits_day(moment)
    }

    /// If both days are restricted one of them is enough, else both have to fit.
    fn fits_day(&self, moment: Moment) -> bool {
        let day = self.day.allows(moment.day);
        let weekday = self.weekday.allows(moment.weekday());
        if self.day.is_any() || self.weekday.is_any() {
            day && weekday
        } else {
            day || weekday
        }
    }

    /// The first due minute after a moment, or none if there never is one.
    pub fn next(&self, after: Moment) -> Option<Moment> {
        let mut moment = after.plus_minute();
        let end = after.year + YEARS;
        while moment.year <= end {
            if !self.month.allows(moment.month) {
                moment = moment.next_month();
                continue;
            }
            if !self.fits_day(moment) {
                moment = moment.next_day();
                continue;
            }
            if let Some(found) = self.later_that_day(moment) {
                return Some(found);
            }
            moment = moment.next_day();
        }
        None
    }

    fn later_that_day(&self, moment: Moment) -> Option<Moment> {
        let hour = self.hour.at_least(moment.hour)?;
        if hour == moment.hour {
            if let Some(minute) = self.minute.at_least(moment.minute) {
                return Some(Moment { minute, ..moment });
            }
        }
        let hour = self.hour.at_least(if hour == moment.hour { hour + 1 } else { hour })?;
        let minute = self.minute.at_least(0)?;
        Some(Moment { hour, minute, ..moment })
    }

    /// The last due minute before a moment, or none if there never was one.
    pub fn previous(&self, before: Moment) -> Option<Moment> {
        let mut moment = before;
        let end = before.year - YEARS;
        while moment.year >= end {
            if self.month.allows(moment.month) && self.fits_day(moment) {
                if let Some(found) = self.earlier_that_day(moment, moment == before) {
                    return Some(found);
                }
            }
            moment = moment.day_before();
        }
        None
    }

    fn earlier_that_day(&self, moment: Moment, strictly: bool) -> Option<Moment> {
        let mut hour = self.hour.at_most(moment.hour)?;
        let mut most = if hour == moment.hour { moment.minute } else { 59 };
        loop {
            let minute = self.minute.at_most(most)?;
            let found = Moment { hour, minute, ..moment };
            if !strictly || found < moment {
                return Some(found);
            }
            if minute > 0 && self.minute.at_most(minute - 1).is_some() {
                most = minute - 1;
            } else {
                hour = self.hour.at_most(hour.checked_sub(1)?)?;
                most = 59;
            }
        }
    }

    /// So many due minutes after a moment, at most.
    pub fn upcoming(&self, after: Moment, count: usize) -> Vec<Moment> {
        std::iter::successors(self.next(after), |last| self.next(*last)).take(count).collect()
    }
}
