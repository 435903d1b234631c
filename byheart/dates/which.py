"""Meanings of "last", "this" and "next", with a weekday, a week, a month, a season."""

from __future__ import annotations

import datetime
from collections.abc import Mapping

from byheart.dates import periods
from byheart.dates.asked import COMING, LAST, NEXT, PAST_WEEK, THIS, Asked, weekday_after, weekday_before
from byheart.dates.periods import Period, plus
from byheart.dates.tense import CONFLICT, FUTURE, HABIT, NONE, PAST, PRESENT


def which(asked: Asked) -> Period | None:
    """ "last", "this", "next" with a weekday, a span, a month or a season. The argument may say which."""
    values = asked.values
    which = int(asked.argument) if asked.argument else values["which"]
    if "weekday" in values:
        return which_weekday(values["weekday"], which, asked)
    if "span" in values:
        return _which_span(values["span"], which, asked)
    if "month" in values:
        return _which_month(values["month"], which, asked)
    return _which_season(values["season"], which, asked)


def which_weekday(weekday: int, which: int, asked: Asked) -> Period | None:
    day = asked.day
    if which in (LAST, PAST_WEEK):
        return periods.one_day(weekday_before(day, weekday))
    if which == COMING:
        return periods.one_day(weekday_after(day, weekday))
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
    over = season_over(season, day)
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


def season_over(season: int, day: datetime.date) -> int:
    """The year in which the last season of this kind began that is over."""
    number = day.year
    while periods.season(season, number).last >= day:
        number -= 1
    return number


def _season_running(season: int, day: datetime.date) -> bool:
    span = periods.season(season, season_over(season, day) + 1)
    return span.first <= day <= span.last


def weekday_of_week(asked: Asked) -> Period | None:
    """ "Friday last week": a weekday of the week that the slot ``which``, or the argument, names."""
    which = int(asked.argument) if asked.argument else asked.values["which"]
    if which == PAST_WEEK:
        return None
    week = periods.monday(plus(asked.day, 7 * max(-1, min(which, 1))))
    return periods.one_day(plus(week, asked.values["weekday"]))


def of_year(asked: Asked) -> Period | None:
    """ "August last year", "the summer of next year"."""
    values = asked.values
    which = int(asked.argument) if asked.argument else values["which"]
    if which == PAST_WEEK:
        return None
    year = asked.day.year + max(-1, min(which, 1))
    if "month" in values:
        return _month_or_day(year, values)
    return periods.season(values["season"], year)


def day_of_month(asked: Asked) -> Period | None:
    """ "The 5th of next month"."""
    which = asked.values["which"]
    if which == PAST_WEEK:
        return None
    month = periods.month_at(asked.day, max(-1, min(which, 1)))
    return periods.one_day(month.first.replace(day=asked.values["dom"]))


def _month_or_day(year: int, values: Mapping[str, int]) -> Period:
    if "dom" in values:
        return periods.one_day(datetime.date(year, values["month"], values["dom"]))
    return periods.months(year, values["month"])
