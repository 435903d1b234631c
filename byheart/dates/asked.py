"""What a meaning is asked: a phrase's values, the day, and the tense around it."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Mapping
from typing import NamedTuple

from byheart.dates.periods import Period, plus

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


def date_or_none(year: int, month: int, day: int) -> datetime.date | None:
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None


def weekday_before(day: datetime.date, weekday: int) -> datetime.date:
    """The last such weekday before the day."""
    return plus(day, -((day.weekday() - weekday) % 7 or 7))


def weekday_after(day: datetime.date, weekday: int) -> datetime.date:
    """The first such weekday after the day."""
    return plus(day, (weekday - day.weekday()) % 7 or 7)
