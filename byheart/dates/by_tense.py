"""Meanings that the tense decides: "on Friday" is the one before or the one after, "in two weeks" may be neither."""

from __future__ import annotations

import datetime

from byheart.dates import periods
from byheart.dates.asked import Asked, date_or_none, weekday_after, weekday_before
from byheart.dates.counted import count
from byheart.dates.periods import Period, plus
from byheart.dates.tense import FUTURE, HABIT, PAST, PRESENT
from byheart.dates.which import which_weekday


def ahead(asked: Asked) -> Period | None:
    """ "In two weeks", where the clause speaks of the future: else it is how long something takes.

    With the argument ``weak`` the present tense says enough.
    """
    accepted = (FUTURE, PRESENT) if asked.argument == "weak" else (FUTURE,)
    if asked.tense() not in accepted or asked.values.get("n", 1) == 0:
        return None
    return periods.unit_at(asked.day, asked.values["unit"], asked.values.get("n", 1))


def ago_earlier(asked: Asked) -> Period | None:
    """ "Two weeks earlier", where the clause is past and nothing else can be meant."""
    if asked.tense() != PAST:
        return None
    return count(asked)


def near_weekday(asked: Asked) -> Period | None:
    """ "On Friday": the one before or the one after, by tense. Argument: which tenses are accepted."""
    weekday = asked.values["weekday"]
    tense = asked.tense()
    if asked.argument == "past":
        return periods.one_day(weekday_before(asked.day, weekday)) if tense != HABIT else None
    if tense == PAST and asked.argument != "future":
        return periods.one_day(weekday_before(asked.day, weekday))
    if tense in (FUTURE, PRESENT):
        return periods.one_day(weekday_after(asked.day, weekday))
    return None


def near_weekend(asked: Asked) -> Period | None:
    """ "At the weekend": the last or the coming one, by tense."""
    tense = asked.tense()
    if asked.day.weekday() > 4:
        return None
    if tense == PAST:
        return periods.unit_at(asked.day, periods.WEEKEND, -1)
    return periods.weekend(asked.day) if tense in (FUTURE, PRESENT) else None


def near_night(asked: Asked) -> Period | None:
    """A night that may be the last or the next: that of yesterday or that of today, by tense."""
    tense = asked.tense()
    if tense == PAST:
        return periods.one_day(plus(asked.day, -1))
    return periods.one_day(asked.day) if tense in (FUTURE, PRESENT) else None


def near_date(asked: Asked) -> Period | None:
    """ "5 May", with or without its weekday: the year by the weekday, else by tense."""
    values, day = asked.values, asked.day
    near = [
        date
        for year in (day.year - 1, day.year, day.year + 1)
        if (date := date_or_none(year, values["month"], values["dom"])) is not None
    ]
    if "weekday" in values:
        near = [date for date in near if date.weekday() == values["weekday"]]
        if len(near) == 1:
            return periods.one_day(near[0])
    first = _by_tense(near, asked)
    return None if first is None else periods.one_day(first)


def near_day_of_month(asked: Asked) -> Period | None:
    """ "On the 5th": of this month or a neighbour, by weekday or by tense."""
    near = _days_of_month(asked.day, asked.values["dom"])
    if "weekday" in asked.values:
        near = [date for date in near if date.weekday() == asked.values["weekday"]]
        return periods.one_day(near[0]) if len(near) == 1 else None
    if asked.day in near:
        return None  # whoever means today says so
    first = _by_tense(near, asked)
    if first is None or abs((first - asked.day).days) > 31:
        return None
    return periods.one_day(first)


def _days_of_month(day: datetime.date, number: int) -> list[datetime.date]:
    near = []
    for months_on in (-1, 0, 1):
        month = periods.month_at(day, months_on)
        date = date_or_none(month.first.year, month.first.month, number)
        if date is not None:
            near.append(date)
    return near


def _by_tense(near: list[datetime.date], asked: Asked) -> datetime.date | None:
    if asked.recurs():
        return None
    tense = asked.tense()
    if tense == PAST:
        return max((date for date in near if date <= asked.day), default=None)
    if tense in (FUTURE, PRESENT):
        return min((date for date in near if date >= asked.day), default=None)
    return None


def weekday_range(asked: Asked) -> Period | None:
    """ "From Monday to Friday"; with ``which`` that of the first day, else by a tense that is certain."""
    values, day = asked.values, asked.day
    length = (values["weekday2"] - values["weekday"]) % 7
    if "which" in values:
        start = which_weekday(values["weekday"], values["which"], asked)
        return None if start is None else periods.days(start.first, plus(start.first, length))
    tense = asked.tense()
    if tense == PAST:
        last = weekday_before(day, values["weekday2"])
        return periods.days(plus(last, -length), last)
    if tense == FUTURE:
        first = weekday_after(day, values["weekday"])
        return periods.days(first, plus(first, length))
    return None


def date_range(asked: Asked) -> Period | None:
    """ "May 5 to 8", "30 May to 2 June", by tense."""
    values, day = asked.values, asked.day
    later_month = values.get("month2", values["month"])
    near = []
    for year in (day.year - 1, day.year, day.year + 1):
        first = date_or_none(year, values["month"], values["dom"])
        last = date_or_none(year + (later_month < values["month"]), later_month, values["dom2"])
        if first is not None and last is not None and first < last:
            near.append((first, last))
    return _range_by_tense(near, asked)


def day_of_month_range(asked: Asked) -> Period | None:
    """ "From the 5th to the 8th", by tense."""
    values = asked.values
    near = []
    for first in _days_of_month(asked.day, values["dom"]):
        last = date_or_none(first.year, first.month, values["dom2"])
        if last is not None and first < last:
            near.append((first, last))
    return _range_by_tense(near, asked)


def _range_by_tense(near: list[tuple[datetime.date, datetime.date]], asked: Asked) -> Period | None:
    if asked.recurs():
        return None
    tense = asked.tense()
    if tense == PAST:
        # What began is spoken of as past, even while it lasts.
        found = max((span for span in near if span[0] <= asked.day), default=None)
    elif tense in (FUTURE, PRESENT):
        found = min((span for span in near if span[1] >= asked.day), default=None)
    else:
        found = None
    return None if found is None else periods.days(*found)
