"""What phrases mean: from the values of a phrase, the day and the tense to a period, or to silence.

Each meaning is a function of an ``Asked``; the tables name it by its key in ``MEANINGS``. None is silence: the
phrase names no date, or more than one is possible.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from typing import NamedTuple

from byheart.dates import periods
from byheart.dates.periods import Period, plus
from byheart.dates.tense import CONFLICT, FUTURE, HABIT, NONE, PAST, PRESENT

PAST_WEEK, LAST, THIS, NEXT, COMING = -2, -1, 0, 1, 2
"""Values of the slot ``which``: "this past", "last", "this", "next", "coming"."""


class Asked(NamedTuple):
    """One phrase as a meaning sees it."""

    values: Mapping[str, int]
    argument: str
    day: datetime.date
    tense: Callable[[], str]
    recurs: Callable[[], bool]


Meaning = Callable[[Asked], "Period | None"]


def _silent(asked: Asked) -> Period | None:
    """A phrase that looks like a date and is none."""
    return None


def _offset(asked: Asked) -> Period | None:
    """So many days from the day: the argument is the number."""
    return periods.one_day(plus(asked.day, int(asked.argument)))


def _anchored(asked: Asked) -> Period | None:
    """Today, yesterday, tomorrow by the slot ``anchor``."""
    return periods.one_day(plus(asked.day, asked.values["anchor"]))


def _shifted(asked: Asked) -> Period | None:
    """The unit of the slot ``span`` so many units on: the argument is the number, or the slot ``far``."""
    count = int(asked.argument) if asked.argument else asked.values["far"]
    return periods.unit_at(asked.day, asked.values["span"], count)


def _which(asked: Asked) -> Period | None:
    """ "last", "this", "next" with a weekday, a span, a month or a season. The argument may say which."""
    values = asked.values
    which = int(asked.argument) if asked.argument else values["which"]
    if "weekday" in values:
        return _which_weekday(values["weekday"], which, asked)
    if "span" in values:
        return _which_span(values["span"], which, asked)
    if "month" in values:
        return _which_month(values["month"], which, asked)
    return _which_season(values["season"], which, asked)


def _which_weekday(weekday: int, which: int, asked: Asked) -> Period | None:
    day = asked.day
    if which in (LAST, PAST_WEEK):
        return periods.one_day(_before(day, weekday))
    if which == COMING:
        return periods.one_day(_after(day, weekday))
    of_this_week = plus(periods.monday(day), weekday)
    if which == NEXT:
        return periods.one_day(plus(of_this_week, 7))
    tense = asked.tense()
    if tense in (CONFLICT, HABIT):
        return None
    if tense == PAST:
        return periods.one_day(of_this_week if of_this_week <= day else plus(of_this_week, -7))
    if of_this_week >= day:
        return periods.one_day(of_this_week)
    return None if tense == NONE else periods.one_day(plus(of_this_week, 7))


def _which_span(span: int, which: int, asked: Asked) -> Period | None:
    day = asked.day
    weekdays_left = day.weekday() < 5
    if which == PAST_WEEK:
        # "This past week" may be the last seven days; a past weekend is one thing, unless it is not over.
        if span != periods.WEEKEND or not weekdays_left:
            return None
        return periods.unit_at(day, span, -1)
    if span == periods.WEEKEND and which == COMING and weekdays_left:
        return periods.weekend(day)
    if span == periods.WEEKEND and which == THIS:
        tense = asked.tense()
        if tense in (CONFLICT, HABIT):
            return None
        return periods.unit_at(day, span, -1 if tense == PAST and weekdays_left else 0)
    return periods.unit_at(day, span, max(-1, min(which, 1)))


def _which_month(month: int, which: int, asked: Asked) -> Period | None:
    day = asked.day
    if which in (LAST, PAST_WEEK):
        return periods.months(day.year - (month >= day.month), month)
    if which in (NEXT, COMING):
        return periods.months(day.year + (month <= day.month), month)
    if month == day.month:
        return periods.months(day.year, month)
    tense = asked.tense()
    if tense == PAST:
        return periods.months(day.year, month) if month < day.month else None
    if tense in (FUTURE, PRESENT):
        return periods.months(day.year + (month < day.month), month)
    return periods.months(day.year, month) if tense == NONE and month > day.month else None


def _which_season(season: int, which: int, asked: Asked) -> Period | None:
    day = asked.day
    over = _season_over(season, day)
    running = _season_running(season, day)
    if which in (LAST, PAST_WEEK):
        return periods.season(season, over)
    following = over + (2 if running else 1)
    if which in (NEXT, COMING):
        return periods.season(season, following)
    if running:
        return periods.season(season, over + 1)
    tense = asked.tense()
    if tense == PAST:
        return periods.season(season, over)
    if tense in (FUTURE, PRESENT) or (tense == NONE and following == day.year):
        return periods.season(season, following)
    return None


def _season_over(season: int, day: datetime.date) -> int:
    """The year in which the last season of this kind began that is over."""
    number = day.year
    while periods.season(season, number).last >= day:
        number -= 1
    return number


def _season_running(season: int, day: datetime.date) -> bool:
    span = periods.season(season, _season_over(season, day) + 1)
    return span.first <= day <= span.last


def _weekday_of_week(asked: Asked) -> Period | None:
    """ "Friday last week": a weekday of the week that the slot ``which``, or the argument, names."""
    which = int(asked.argument) if asked.argument else asked.values["which"]
    if which == PAST_WEEK:
        return None
    week = periods.monday(plus(asked.day, 7 * max(-1, min(which, 1))))
    return periods.one_day(plus(week, asked.values["weekday"]))


def _of_year(asked: Asked) -> Period | None:
    """ "August last year", "the summer of next year"."""
    values = asked.values
    which = int(asked.argument) if asked.argument else values["which"]
    if which == PAST_WEEK:
        return None
    year = asked.day.year + max(-1, min(which, 1))
    if "month" in values:
        return _month_or_day(year, values)
    return periods.season(values["season"], year)


def _month_or_day(year: int, values: Mapping[str, int]) -> Period:
    if "dom" in values:
        return periods.one_day(datetime.date(year, values["month"], values["dom"]))
    return periods.months(year, values["month"])


def _day_of_month(asked: Asked) -> Period | None:
    """ "The 5th of next month"."""
    which = asked.values["which"]
    if which == PAST_WEEK:
        return None
    month = periods.month_at(asked.day, max(-1, min(which, 1)))
    return periods.one_day(month.first.replace(day=asked.values["dom"]))


def _count(asked: Asked) -> Period | None:
    """So many units back or on: slots ``n``, ``unit`` and ``way`` (-1, +1), or the sign as argument.

    With ``anchor`` it is a day ("a week from tomorrow"), with ``weekday`` a day of that week. Weekdays and
    seasons count as well ("two Fridays ago").
    """
    values, day = asked.values, asked.day
    number = values.get("n", 1)
    way = int(asked.argument) if asked.argument else values["way"]
    if number == 0:
        return None
    if "anchor" in values:
        start = plus(day, values["anchor"])
        return periods.one_day(periods.same_day(start, values["unit"], way * number))
    if "weekdays" in values:
        near = _before(day, values["weekdays"]) if way < 0 else _after(day, values["weekdays"])
        return periods.one_day(plus(near, way * 7 * (number - 1)))
    if "seasons" in values:
        season = values["seasons"]
        over = _season_over(season, day)
        return periods.season(season, over + 1 - number) if way < 0 else None
    if "weekday" in values:
        if values["unit"] not in (periods.WEEK, periods.FORTNIGHT):
            return None
        week = periods.unit_at(day, values["unit"], way * number)
        return periods.one_day(plus(week.first, values["weekday"]))
    return periods.unit_at(day, values["unit"], way * number)


def _weekday_ago(asked: Asked) -> Period | None:
    """ "The Friday before last": the argument says how many ago."""
    near = _before(asked.day, asked.values["weekday"])
    return periods.one_day(plus(near, -7 * (int(asked.argument) - 1)))


def _ahead(asked: Asked) -> Period | None:
    """ "In two weeks", where the clause speaks of the future: else it is how long something takes.

    With the argument ``weak`` the present tense says enough.
    """
    accepted = (FUTURE, PRESENT) if asked.argument == "weak" else (FUTURE,)
    if asked.tense() not in accepted or asked.values.get("n", 1) == 0:
        return None
    return periods.unit_at(asked.day, asked.values["unit"], asked.values.get("n", 1))


def _ago_earlier(asked: Asked) -> Period | None:
    """ "Two weeks earlier", where the clause is past and nothing else can be meant."""
    if asked.tense() != PAST:
        return None
    return _count(asked)


def _near_weekday(asked: Asked) -> Period | None:
    """ "On Friday": the one before or the one after, by tense. Argument: which tenses are accepted."""
    weekday = asked.values["weekday"]
    tense = asked.tense()
    if asked.argument == "past":
        return periods.one_day(_before(asked.day, weekday)) if tense != HABIT else None
    if tense == PAST and asked.argument != "future":
        return periods.one_day(_before(asked.day, weekday))
    if tense in (FUTURE, PRESENT):
        return periods.one_day(_after(asked.day, weekday))
    return None


def _near_weekend(asked: Asked) -> Period | None:
    """ "At the weekend": the last or the coming one, by tense."""
    tense = asked.tense()
    if asked.day.weekday() > 4:
        return None
    if tense == PAST:
        return periods.unit_at(asked.day, periods.WEEKEND, -1)
    return periods.weekend(asked.day) if tense in (FUTURE, PRESENT) else None


def _near_night(asked: Asked) -> Period | None:
    """A night that may be the last or the next: that of yesterday or that of today, by tense."""
    tense = asked.tense()
    if tense == PAST:
        return periods.one_day(plus(asked.day, -1))
    return periods.one_day(asked.day) if tense in (FUTURE, PRESENT) else None


def _near_date(asked: Asked) -> Period | None:
    """ "5 May", with or without its weekday: the year by the weekday, else by tense."""
    values, day = asked.values, asked.day
    near = [
        date
        for year in (day.year - 1, day.year, day.year + 1)
        if (date := _date(year, values["month"], values["dom"])) is not None
    ]
    if "weekday" in values:
        near = [date for date in near if date.weekday() == values["weekday"]]
        if len(near) == 1:
            return periods.one_day(near[0])
    first = _by_tense(near, asked)
    return None if first is None else periods.one_day(first)


def _near_day_of_month(asked: Asked) -> Period | None:
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
    for count in (-1, 0, 1):
        month = periods.month_at(day, count)
        date = _date(month.first.year, month.first.month, number)
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


def _weekday_range(asked: Asked) -> Period | None:
    """ "From Monday to Friday"; with ``which`` that of the first day, else by a tense that is certain."""
    values, day = asked.values, asked.day
    length = (values["weekday2"] - values["weekday"]) % 7
    if "which" in values:
        start = _which_weekday(values["weekday"], values["which"], asked)
        return None if start is None else periods.days(start.first, plus(start.first, length))
    tense = asked.tense()
    if tense == PAST:
        last = _before(day, values["weekday2"])
        return periods.days(plus(last, -length), last)
    if tense == FUTURE:
        first = _after(day, values["weekday"])
        return periods.days(first, plus(first, length))
    return None


def _date_range(asked: Asked) -> Period | None:
    """ "May 5 to 8", "30 May to 2 June", by tense."""
    values, day = asked.values, asked.day
    later_month = values.get("month2", values["month"])
    near = []
    for year in (day.year - 1, day.year, day.year + 1):
        first = _date(year, values["month"], values["dom"])
        last = _date(year + (later_month < values["month"]), later_month, values["dom2"])
        if first is not None and last is not None and first < last:
            near.append((first, last))
    return _range_by_tense(near, asked)


def _day_of_month_range(asked: Asked) -> Period | None:
    """ "From the 5th to the 8th", by tense."""
    values = asked.values
    near = []
    for first in _days_of_month(asked.day, values["dom"]):
        last = _date(first.year, first.month, values["dom2"])
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


def _absolute(asked: Asked) -> Period | None:
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


def _part_of_month(asked: Asked) -> Period | None:
    """ "The last week of May 2023", "the first weekend of May 2023": slot ``nth``, -1 for the last."""
    values = asked.values
    nth, month = values["nth"], periods.months(values["year"], values["month"])
    if values["span"] == periods.WEEK:
        if nth < 0:
            return periods.days(plus(month.last, -6), month.last)
        first = plus(month.first, 7 * (nth - 1))
        return periods.days(first, min(plus(first, 6), month.last))
    if values["span"] == periods.WEEKEND:
        saturday = plus(_before(plus(month.last, 1), 5), 0) if nth < 0 else _after(plus(month.first, -1), 5)
        return periods.weekend(plus(saturday, 7 * (nth - 1) if nth > 0 else 0))
    return None


def _week_of(asked: Asked) -> Period | None:
    """ "The week of 23 August 2023"."""
    values = asked.values
    return periods.week(datetime.date(values["year"], values["month"], values["dom"]))


def _date(year: int, month: int, day: int) -> datetime.date | None:
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None


def _before(day: datetime.date, weekday: int) -> datetime.date:
    """The last such weekday before the day."""
    return plus(day, -((day.weekday() - weekday) % 7 or 7))


def _after(day: datetime.date, weekday: int) -> datetime.date:
    """The first such weekday after the day."""
    return plus(day, (weekday - day.weekday()) % 7 or 7)


MEANINGS: dict[str, Meaning] = {
    "silent": _silent,
    "day": _offset,
    "anchor": _anchored,
    "span": _shifted,
    "which": _which,
    "weekday-of-week": _weekday_of_week,
    "of-year": _of_year,
    "day-of-month": _day_of_month,
    "count": _count,
    "weekday-ago": _weekday_ago,
    "ahead": _ahead,
    "earlier": _ago_earlier,
    "near-weekday": _near_weekday,
    "near-weekend": _near_weekend,
    "near-night": _near_night,
    "near-date": _near_date,
    "near-day": _near_day_of_month,
    "weekday-range": _weekday_range,
    "date-range": _date_range,
    "day-range": _day_of_month_range,
    "absolute": _absolute,
    "dated": _silent,  # a date whose order is open
    "part-of-month": _part_of_month,
    "week-of": _week_of,
    "any-month": _silent,  # read by questions
    "any-season": _silent,
}
"""The meanings a table may name."""
