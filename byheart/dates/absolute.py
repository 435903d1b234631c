"""Meanings of dates that name their year; the day they were said on plays no part."""

from __future__ import annotations

import datetime

from byheart.dates import periods
from byheart.dates.asked import Asked, weekday_after, weekday_before
from byheart.dates.periods import Period, plus


def absolute(asked: Asked) -> Period | None:
    """A date with its year: a day, days, a month, months, a season or a year."""
    values = asked.values
    year = values["year"]
    if "season" in values:
        return periods.season(values["season"], year)
    if "month" not in values:
        return periods.year(year)
    later_month = values.get("month2", values["month"])
    earlier_year = year - (later_month < values["month"])
    if "dom" not in values:
        first = periods.months(earlier_year, values["month"])
        if "month2" not in values:
            return first
        last = periods.months(year, later_month)
        return Period(first.first, last.last, f"{first.label}-{last.label}")
    day = datetime.date(earlier_year, values["month"], values["dom"])
    if "dom2" not in values:
        return periods.one_day(day)
    end = datetime.date(year, later_month, values["dom2"])
    return periods.days(day, end) if day < end else None


def part_of_month(asked: Asked) -> Period | None:
    """ "The last week of May 2023", "the first weekend of May 2023": slot ``nth``, -1 for the last."""
    values = asked.values
    nth, month = values["nth"], periods.months(values["year"], values["month"])
    if values["span"] == periods.WEEK:
        if nth < 0:
            return periods.days(plus(month.last, -6), month.last)
        first = plus(month.first, 7 * (nth - 1))
        return periods.days(first, min(plus(first, 6), month.last))
    if values["span"] == periods.WEEKEND:
        saturday = (
            plus(weekday_before(plus(month.last, 1), 5), 0) if nth < 0 else weekday_after(plus(month.first, -1), 5)
        )
        return periods.weekend(plus(saturday, 7 * (nth - 1) if nth > 0 else 0))
    return None


def week_of(asked: Asked) -> Period | None:
    """ "The week of 23 August 2023"."""
    values = asked.values
    return periods.week(datetime.date(values["year"], values["month"], values["dom"]))
