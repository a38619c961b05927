"""What the law and the contract allow."""

from datetime import timedelta

from . import clock, shifts

MIN_REST = 11 * 60
MAX_WEEK = 48 * 60
MAX_DAYS = 5


def problems(person, planned, new):
    """Reasons why a person who has these shifts can not take a new one; empty if they can."""
    found = []
    for shift in shifts.in_order(planned):
        if shifts.collide(shift, new):
            found.append(f"{person} already works {shift.title()} on {shift.day.isoformat()}")
            continue
        rest = shifts.rest_between(shift, new)
        if rest < MIN_REST:
            found.append(f"only {clock.hours(rest)} of rest for {person} around {new.day.isoformat()}")
    total = week_minutes(planned, new.day) + new.work()
    if total > MAX_WEEK:
        found.append(f"{clock.hours(total)} in one week for {person}")
    run = days_in_a_row(planned, new.day)
    if run > MAX_DAYS:
        found.append(f"{run} days in a row for {person}")
    return found


def monday(day):
    """The Monday of a day's week."""
    return day - timedelta(days=day.weekday())


def week_minutes(planned, day):
    """Minutes of work in a day's week."""
    first = monday(day)
    last = first + timedelta(days=6)
    return sum(shift.work() for shift in planned if first <= shift.day <= last)


def days_in_a_row(planned, day):
    """How many days in a row somebody works if they work on that day too."""
    days = {shift.day for shift in planned} | {day}
    first = last = day
    while first - timedelta(days=1) in days:
        first -= timedelta(days=1)
    while last + timedelta(days=1) in days:
        last += timedelta(days=1)
    return (last - first).days + 1
