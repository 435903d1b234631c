"""What a meaning is asked: a phrase's values, the day, and the tense around it."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import NamedTuple

from byheart.dates.language import Language
from byheart.dates.periods import plus
from byheart.dates.tense import Tenses

PAST_WEEK, LAST, THIS, NEXT, COMING = -2, -1, 0, 1, 2
"""Values of the slot ``which``: "this past", "last", "this", "next", "coming"."""


class Asked(NamedTuple):
    """One phrase as a meaning sees it: its values, and where it stands, for a meaning that needs its tense."""

    values: Mapping[str, int]
    argument: str
    day: datetime.date
    tenses: Tenses
    start: int
    end: int
    language: Language

    def tense(self) -> str:
        """The tense of the clause around the phrase, as ``tense`` names it."""
        return self.tenses.at(self.start, self.end, self.language)

    def recurs(self) -> bool:
        """Whether the sentence is about something that comes every year."""
        return self.tenses.recurs(self.start, self.end, self.language)


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
