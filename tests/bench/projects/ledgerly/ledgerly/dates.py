"""Days, months and quarters."""

import calendar
from datetime import date, timedelta


def parse_day(text):
    """The day of "2024-03-01"."""
    return date.fromisoformat(text.strip())


def last_of_month(year, month):
    """The last day of a month."""
    return date(year, month, calendar.monthrange(year, month)[1])


def add_months(day, months):
    """The same day so many months on, or the month's last day where there is none such."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    last = calendar.monthrange(year, month + 1)[1]
    return date(year, month + 1, min(day.day, last))


def add_days(day, days):
    return day + timedelta(days=days)


def days_between(start, end):
    """Nights between two days; 0 when they are the same or the second is before the first."""
    return max(0, (end - start).days)


def month_key(day):
    """"2024-03", to group by."""
    return f"{day.year:04d}-{day.month:02d}"


def months_between(first, last):
    """The keys of all months from one day's to another's, both counted."""
    keys = []
    current = date(first.year, first.month, 1)
    while current <= last:
        keys.append(month_key(current))
        current = add_months(current, 1)
    return keys


def quarter_of(day):
    """(2024, 1) for a day in the first three months of 2024."""
    return day.year, (day.month - 1) // 3 + 1


def quarter_range(year, quarter):
    """First and last day of a quarter."""
    if quarter not in (1, 2, 3, 4):
        raise ValueError(f"no such quarter: {quarter}")
    first = date(year, quarter * 3 - 2, 1)
    return first, last_of_month(year, quarter * 3)
