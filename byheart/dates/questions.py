"""The days a question asks about: "what happened last week?", "what did we plan in May?"."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass, field

from byheart.dates.language import Language
from byheart.dates.notes import resolve, spoken
from byheart.dates.periods import season
from byheart.dates.quiet import Zones
from byheart.dates.scanner import Found, lower, scanner
from byheart.dates.tense import Tenses

_NEED_NO_DAY = frozenset(("absolute", "part-of-month", "week-of"))
_ANY_DAY = datetime.date(2000, 1, 1)  # stands in where the meaning does not look at the day


@dataclass(frozen=True, slots=True)
class DateSpan:
    """Days that a question names: from ``first`` to ``last``, or (without these) of any year.

    ``months`` are those of any year ("in May"), ``dom`` the day of that month ("on 5 May").

    >>> span = DateSpan(datetime.date(2023, 5, 1), datetime.date(2023, 5, 31))
    >>> span.matches(datetime.date(2023, 5, 8))
    True
    """

    first: datetime.date | None = None
    last: datetime.date | None = None
    months: frozenset[int] = field(default_factory=frozenset)
    dom: int | None = None

    def matches(self, day: datetime.date) -> bool:
        """Whether ``day`` is one of the days asked about."""
        if self.first is not None and self.last is not None:
            return self.first <= day <= self.last
        return day.month in self.months and self.dom in (None, day.day)

    def overlaps(self, first: datetime.date, last: datetime.date) -> bool:
        """Whether one of the days from ``first`` to ``last`` is asked about."""
        if self.first is not None and self.last is not None:
            return self.first <= last and first <= self.last
        if self.dom is not None:
            return any(
                first <= day <= last
                for year in range(first.year, last.year + 1)
                for month in self.months
                if (day := _date(year, month, self.dom)) is not None
            )
        return any(
            (first.year, first.month) <= (year, month) <= (last.year, last.month)
            for year in range(first.year, last.year + 1)
            for month in self.months
        )


def spans(
    query: str, day: datetime.date | None = None, languages: Sequence[str | Language] = ("en",)
) -> list[DateSpan]:
    """The days ``query`` asks about, in its order; relative ones only where the day of asking is known.

    >>> [(span.first.isoformat(), span.last.isoformat()) for span in spans("What happened in May 2023?")]
    [('2023-05-01', '2023-05-31')]
    """
    if not languages:
        return []
    lowered = lower(query)
    tenses = Tenses(lowered)
    zones: Zones | None = None
    asked: list[DateSpan] = []
    for phrase in scanner(tuple(languages), questions=True).find(lowered):
        if phrase.kind == "silent" or not spoken(query, phrase, strict=False):
            continue
        zones = zones or Zones(query)
        if zones.touch(phrase.start, phrase.end):
            continue
        span = _span(phrase, day, tenses)
        if span is not None and span not in asked:
            asked.append(span)
    return asked


def _span(phrase: Found, day: datetime.date | None, tenses: Tenses) -> DateSpan | None:
    values = phrase.values
    if phrase.kind == "any-month":
        return DateSpan(months=frozenset((values["month"],)))
    if phrase.kind == "any-season":
        running = season(values["season"], 2001)
        return DateSpan(months=frozenset((running.first.month + count - 1) % 12 + 1 for count in range(3)))
    if day is not None or phrase.kind in _NEED_NO_DAY:
        period = resolve(phrase, day or _ANY_DAY, tenses)
        if period is not None:
            return DateSpan(period.first, period.last)
    if phrase.kind == "near-date" and _date(2000, values["month"], values["dom"]) is not None:
        return DateSpan(months=frozenset((values["month"],)), dom=values["dom"])
    return None


def _date(year: int, month: int, day: int) -> datetime.date | None:
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None
