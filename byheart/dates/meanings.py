"""What phrases mean, by the names that the tables use.

A meaning takes what it is asked to a period, or to None: silence, because the phrase names no date or more than
one is possible.
"""

from __future__ import annotations

from collections.abc import Callable

from byheart.dates import absolute, by_tense, counted, which
from byheart.dates.asked import Asked
from byheart.dates.periods import Period

Meaning = Callable[[Asked], "Period | None"]


def silent(asked: Asked) -> Period | None:
    """A phrase that looks like a date and is none."""
    return None


MEANINGS: dict[str, Meaning] = {
    "silent": silent,
    "day": counted.offset,
    "last-night": counted.last_night,
    "anchor": counted.anchored,
    "span": counted.shifted,
    "which": which.which,
    "weekday-of-week": which.weekday_of_week,
    "of-year": which.of_year,
    "day-of-month": which.day_of_month,
    "count": counted.count,
    "weekday-ago": counted.weekday_ago,
    "ahead": by_tense.ahead,
    "earlier": by_tense.ago_earlier,
    "near-weekday": by_tense.near_weekday,
    "near-weekend": by_tense.near_weekend,
    "near-night": by_tense.near_night,
    "near-date": by_tense.near_date,
    "near-day": by_tense.near_day_of_month,
    "weekday-range": by_tense.weekday_range,
    "date-range": by_tense.date_range,
    "day-range": by_tense.day_of_month_range,
    "absolute": absolute.absolute,
    "dated": silent,  # a date whose order is open
    "part-of-month": absolute.part_of_month,
    "week-of": absolute.week_of,
    "any-month": silent,  # read by questions
    "any-season": silent,
}
"""The meanings a table may name."""
