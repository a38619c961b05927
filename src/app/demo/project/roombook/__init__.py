"""Room bookings for one day."""

from .calendar import Booking, Calendar, Taken
from .interval import Interval

__all__ = ["Booking", "Calendar", "Interval", "Taken"]
