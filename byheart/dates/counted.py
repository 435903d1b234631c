"""Meanings that count from the day: "tomorrow", "three weeks ago", "the week before last"."""

from __future__ import annotations

from byheart.dates import periods
from byheart.dates.asked import Asked, weekday_after, weekday_before
from byheart.dates.periods import Period, plus
from byheart.dates.which import season_over


def offset(asked: Asked) -> Period | None:
    """So many days from the day: the argument is the number."""
    return periods.one_day(plus(asked.day, int(asked.argument)))


def last_night(asked: Asked) -> Period | None:
    """The night is dated by the day on which it began."""
    return periods.one_day(plus(asked.day, -1))


def anchored(asked: Asked) -> Period | None:
    """Today, yesterday, tomorrow by the slot ``anchor``."""
    return periods.one_day(plus(asked.day, asked.values["anchor"]))


def shifted(asked: Asked) -> Period | None:
    """The unit of the slot ``span`` so many units on: the argument is the number, or the slot ``far``."""
    count = int(asked.argument) if asked.argument else asked.values["far"]
    return periods.unit_at(asked.day, asked.values["span"], count)


def count(asked: Asked) -> Period | None:
    """So many units back or on: slots ``n`` and ``unit``; the argument is the sign.

    With ``anchor`` it is a day ("a week from tomorrow"), with ``weekday`` a day of that week. Weekdays and
    seasons count as well ("two Fridays ago").
    """
    values, day = asked.values, asked.day
    number = values.get("n", 1)
    way = int(asked.argument)
    if number == 0:
        return None
    if "anchor" in values:
        start = plus(day, values["anchor"])
        return periods.one_day(periods.same_day(start, values["unit"], way * number))
    if "weekdays" in values:
        near = weekday_before(day, values["weekdays"]) if way < 0 else weekday_after(day, values["weekdays"])
        return periods.one_day(plus(near, way * 7 * (number - 1)))
    if "seasons" in values:
        season = values["seasons"]
        over = season_over(season, day)
        return periods.season(season, over + 1 - number) if way < 0 else None
    if "weekday" in values:
        if values["unit"] not in (periods.WEEK, periods.FORTNIGHT):
            return None
        week = periods.unit_at(day, values["unit"], way * number)
        return periods.one_day(plus(week.first, values["weekday"]))
    return periods.unit_at(day, values["unit"], way * number)


def weekday_ago(asked: Asked) -> Period | None:
    """ "The Friday before last": the argument says how many ago."""
    near = weekday_before(asked.day, asked.values["weekday"])
    return periods.one_day(plus(near, -7 * (int(asked.argument) - 1)))
