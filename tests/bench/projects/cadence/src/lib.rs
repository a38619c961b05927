//! Schedules as `crontab(5)` writes them.

mod calendar;
mod describe;
mod error;
mod field;
mod schedule;

pub use calendar::{days_in_month, weekday, Moment};
pub use describe::describe;
pub use error::Error;
pub use field::{Field, Kind};
pub use schedule::Schedule;
