"""Spans of the calendar in the granularity that was said, with the label that names them.

All arithmetic stays within the years 1 to 9999: what falls outside raises ``ValueError`` or ``OverflowError``,
as ``datetime`` itself does, and whoever asks takes that as "no such date".
"""

from __future__ import annotations

import datetime
from typing import NamedTuple

from byheart.dates.moment import MONTHS, day_label

DAY, WEEK, WEEKEND, MONTH, QUARTER, YEAR, FORTNIGHT = range(7)
"""Units of time, as the language tables number them."""

SPRING, SUMMER, AUTUMN, WINTER, FALL = range(5)
"""Seasons, northern: three whole months each. ``FALL`` is autumn under its other name."""

_SEASONS = ("spring", "summer", "autumn", "winter", "fall")
_FIRST_MONTHS = (3, 6, 9, 12, 9)


class Period(NamedTuple):
    """The days from ``first`` to ``last``, both included."""

    first: datetime.date
    last: datetime.date
    label: str


def one_day(day: datetime.date) -> Period:
    """A period of one day."""
    return Period(day, day, day_label(day))


def days(first: datetime.date, last: datetime.date) -> Period:
    """Consecutive days, labelled as shortly as is still clear.

    >>> days(datetime.date(2023, 5, 29), datetime.date(2023, 6, 4)).label
    '29 May-4 June 2023'
    """
    if first == last:
        return one_day(first)
    if first.year != last.year:
        start = day_label(first)
    elif first.month != last.month:
        start = f"{first.day} {MONTHS[first.month - 1]}"
    else:
        start = str(first.day)
    return Period(first, last, f"{start}-{day_label(last)}")


def plus(day: datetime.date, count: int) -> datetime.date:
    """The day ``count`` days on."""
    return day + datetime.timedelta(days=count)


def monday(day: datetime.date) -> datetime.date:
    """The first day of the week that ``day`` belongs to."""
    return plus(day, -day.weekday())


def week(day: datetime.date) -> Period:
    """The week, Monday to Sunday, that ``day`` belongs to."""
    first = monday(day)
    return days(first, plus(first, 6))


def weekend(day: datetime.date) -> Period:
    """The Saturday and Sunday of the week that ``day`` belongs to."""
    first = plus(monday(day), 5)
    return days(first, plus(first, 1))


def months(year: int, month: int, count: int = 1) -> Period:
    """``count`` whole months of one year."""
    first = datetime.date(year, month, 1)
    rest = 12 - (month + count - 1)
    last = datetime.date(year, 12, 31) if not rest else plus(datetime.date(year, month + count, 1), -1)
    name = MONTHS[month - 1] if count == 1 else f"{MONTHS[month - 1]}-{MONTHS[month + count - 2]}"
    return Period(first, last, f"{name} {year}")


def month_at(day: datetime.date, count: int) -> Period:
    """The month ``count`` months after that of ``day``."""
    year, month = divmod(day.year * 12 + day.month - 1 + count, 12)
    return months(year, month + 1)


def quarter_at(day: datetime.date, count: int) -> Period:
    """The calendar quarter ``count`` quarters after that of ``day``."""
    year, quarter = divmod(day.year * 4 + (day.month - 1) // 3 + count, 4)
    return months(year, quarter * 3 + 1, 3)


def year(number: int) -> Period:
    """A calendar year."""
    return Period(datetime.date(number, 1, 1), datetime.date(number, 12, 31), str(number))


def season(kind: int, number: int) -> Period:
    """The season that begins in the year ``number``; a winter ends in the year after.

    >>> season(WINTER, 2022).label
    'winter 2022-2023'
    """
    first = datetime.date(number, _FIRST_MONTHS[kind], 1)
    if kind == WINTER:
        last = plus(datetime.date(number + 1, 3, 1), -1)
        return Period(first, last, f"winter {number}-{number + 1}")
    last = plus(datetime.date(number, _FIRST_MONTHS[kind] + 3, 1), -1)
    return Period(first, last, f"{_SEASONS[kind]} {number}")


def unit_at(day: datetime.date, unit: int, count: int) -> Period:
    """The unit ``count`` units after the one that ``day`` belongs to."""
    if unit == DAY:
        return one_day(plus(day, count))
    if unit == WEEK:
        return week(plus(day, 7 * count))
    if unit == FORTNIGHT:
        return week(plus(day, 14 * count))
    if unit == WEEKEND:
        return weekend(plus(monday(day), 7 * count))
    if unit == MONTH:
        return month_at(day, count)
    if unit == QUARTER:
        return quarter_at(day, count)
    return year(day.year + count)


def same_day(day: datetime.date, unit: int, count: int) -> datetime.date:
    """The very day ``count`` units on: "a year ago today".

    Raises ``ValueError`` where that month has no such day.
    """
    if unit in (MONTH, QUARTER):
        years, month = divmod(day.year * 12 + day.month - 1 + count * (3 if unit == QUARTER else 1), 12)
        return day.replace(year=years, month=month + 1)
    if unit == YEAR:
        return day.replace(year=day.year + count)
    return plus(day, count * {DAY: 1, FORTNIGHT: 14}.get(unit, 7))
