"""Reading the date a turn was said on, in whatever shape it arrives.

What is read must be unmistakable: one date, at most one time, and no word that could change their meaning.
Everything else is left unread, because a wrong day would put every phrase of the turn on a wrong date.
"""

from __future__ import annotations

import datetime
import re
from typing import NamedTuple

from byheart.dates.moment import Moment
from byheart.dates.names import MONTHS, SHORT_WEEKDAYS, WEEKDAYS
from byheart.errors import shown

LONGEST = 100
"""A date longer than this many characters is not read: it is prose."""

_TIME = re.compile(
    r"""(?=[0-9t])(?:(?<=[0-9])t|(?<![0-9.:/-]))
        (?: (?P<h>[01]?[0-9]|2[0-3]):(?P<m>[0-5][0-9])(?::(?P<s>[0-5][0-9]|60)(?:[.,][0-9]{1,9})?)?
              (?:\s?(?P<half>[ap])\.?\s?m\b\.?)?
          | (?P<h2>1[0-2]|0?[1-9])\s?(?P<half2>[ap])\.?\s?m\b\.?
          | (?P<h3>[01]?[0-9]|2[0-3])\.(?P<m3>[0-5][0-9])(?=\s?uhr\b)
        )(?![0-9:])
        (?:\s?(?:(?:utc|gmt)?\s?[+-][0-9]{1,2}(?::?[0-9]{2}(?::[0-9]{2}(?:\.[0-9]+)?)?)?(?![0-9])|z\b))?""",
    re.X,
)
_COMPACT = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})(?:t?([0-9]{2})([0-9]{2})?([0-9]{2})?)?z?")
_UNIX = re.compile(r"([0-9]{10})(?:\.[0-9]{1,9}|[0-9]{3})?")
_ISO_WEEK = re.compile(r"([0-9]{4})-?w([0-9]{2})-?([1-7])")
_TOKEN = re.compile(r"[0-9]+|[^\W\d_]+|\S")
_ZONE_NAME = re.compile(r"\[[a-z_]+/[a-z_/]+\]|\([a-z ]* time\)")
_PUNCTUATION = frozenset(",./-()[]|–—·:")

_MONTHS = {
    name: number for months in MONTHS.values() for number, names in enumerate(months, 1) for name in names.split(", ")
}
_WEEKDAYS = {
    name: number
    for weekdays in (*SHORT_WEEKDAYS.values(), *WEEKDAYS.values())
    for number, names in enumerate(weekdays)
    for name in names.split(", ")
}
_FILLERS = frozenset(
    "on at of the st nd rd th date time utc gmt z am um uhr den de del a las el г года год в est edt cst cdt mst "
    "mdt pst pdt bst cet cest eet eest msk ist jst aest aedt".split()
)
_EARLIEST = 1000
_PIVOT = 70
"""Years of two digits from here on are of the 20th century."""


class _Reading(NamedTuple):
    """A date that the text may mean, and the order that takes: day first, month first, or neither."""

    date: datetime.date
    day_first: bool | None = None


_Parsed = tuple[tuple[_Reading, ...], datetime.time | None]


def check_when(when: object) -> str | None:
    """The string to store for ``when``: a ``str`` as it is, a ``date`` or ``datetime`` in ISO format.

    >>> check_when(datetime.date(2023, 5, 8))
    '2023-05-08'

    Raises ``TypeError`` for anything else, numbers included: a number says nothing about its unit.
    """
    if when is None:
        return None
    if isinstance(when, str):
        return str(when)
    if isinstance(when, datetime.date):  # datetime included
        return when.isoformat()
    raise TypeError(
        f"when: expected a str, a datetime.date, a datetime.datetime or None, got {shown(when)}; "
        f"write a Unix time as datetime.datetime.fromtimestamp(seconds, tz)"
    )


class WhenReader:
    """Reads ``when`` of one conversation, whose earlier dates settle the order of ambiguous later ones.

    >>> reader = WhenReader()
    >>> reader.read("03/04/2023") is None
    True
    >>> reader.read("29/12/2023").label
    '29 December 2023'
    >>> reader.read("03/04/2023").label
    '3 April 2023'

    ``day_first`` (True, False or None) says the order once and for all. ``order`` is what is known of it so
    far; it is the whole state of a reader and may be assigned.
    """

    __slots__ = ("_fixed", "_known", "_only", "_parsed", "order")

    def __init__(self, day_first: bool | None = None) -> None:
        if day_first is not None and not isinstance(day_first, bool):
            raise TypeError(f"day_first: expected True, False or None, got {shown(day_first)}")
        self.order: bool | None = day_first
        self._fixed = day_first is not None
        # A session gives one date to many turns: what was parsed last is kept, which no order can change.
        self._known: str | None = None
        self._parsed: _Parsed = (), None
        self._only: Moment | None = None

    def read(self, when: str | datetime.date | None) -> Moment | None:
        """The moment ``when`` names, or None where it names none or more than one."""
        if when is None:
            return None
        if when != self._known:
            if isinstance(when, datetime.datetime):
                return Moment(when.date(), when.time().replace(microsecond=0))
            if isinstance(when, datetime.date):
                return Moment(when)
            self._parsed = _parse(when)
            self._known = when
            readings, time = self._parsed
            self._only = Moment(readings[0].date, time) if len(readings) == 1 else None
        readings, time = self._parsed
        if self._only is not None:
            day_first = readings[0].day_first
            if day_first is not None:
                self._settle(day_first)
            return self._only
        dates = {date for date, day_first in readings if self.order in (None, day_first)}
        # An order that is not settled leaves more than one, unless day and month are the same number.
        return Moment(dates.pop(), time) if len(dates) == 1 else None

    def _settle(self, day_first: bool) -> None:
        if not self._fixed:
            # Dates that contradict each other settle nothing.
            self.order = day_first if self.order in (None, day_first) else None


def _date(year: int, month: int, day: int) -> datetime.date | None:
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None


def _parse(when: str) -> _Parsed:
    """What the text may mean as a date, and its time; no reading where it is no date, or not only one."""
    if len(when) > LONGEST:
        return (), None
    text = when.strip().lower()
    if text[:8].isdecimal() or "w" in text:
        moment = _parse_compact(text)
        if moment is not None:
            return (_Reading(moment.date),), moment.time
    if "[" in text or "(" in text:
        text = _ZONE_NAME.sub(" ", text)
    times = list(_TIME.finditer(text))
    if len(times) > 1:
        return (), None
    time = None
    if times:
        time = _time_of(times[0])
        if time is None:
            return (), None
        text = f"{text[: times[0].start()]} {text[times[0].end() :]}"
    return tuple(_parse_date(text)), time


def _time_of(found: re.Match[str]) -> datetime.time | None:
    hour = int(found["h"] or found["h2"] or found["h3"])
    minute = int(found["m"] or found["m3"] or 0)
    second = min(int(found["s"] or 0), 59)  # a leap second
    half = found["half"] or found["half2"]
    if half == "a" and hour > 12:
        return None
    if half and hour <= 12:  # "14:21 PM" is 14:21
        hour = hour % 12 + (12 if half == "p" else 0)
    return datetime.time(hour, minute, second)


def _parse_compact(text: str) -> Moment | None:
    """A date in one word: 20230520, perhaps with a time, Unix seconds or milliseconds, an ISO week date."""
    found = _COMPACT.fullmatch(text)
    if found and 1900 <= int(found[1]) <= 2100:
        date = _date(int(found[1]), int(found[2]), int(found[3]))
        hour, minute, second = (int(found[n] or 0) for n in (4, 5, 6))
        if date and hour < 24 and minute < 60 and second < 60:
            if found[4] and not found[5]:
                return None  # ten digits: a date with an hour, or Unix seconds
            return Moment(date, datetime.time(hour, minute, second) if found[4] else None)
    found = _UNIX.fullmatch(text)
    if found and int(found[1]) >= 1_000_000_000:
        moment = datetime.datetime.fromtimestamp(int(found[1]), datetime.timezone.utc)
        return Moment(moment.date(), moment.time())
    found = _ISO_WEEK.fullmatch(text)
    if found:
        try:
            return Moment(datetime.date.fromisocalendar(int(found[1]), int(found[2]), int(found[3])))
        except ValueError:
            return None
    return None


def _parse_date(text: str) -> list[_Reading]:
    numbers: list[str] = []
    month: int | None = None
    weekday: int | None = None
    for token in _TOKEN.findall(text):
        if token[0] in "0123456789":
            numbers.append(token)
        elif month is None and token in _MONTHS:
            month = _MONTHS[token]
        elif weekday is None and token in _WEEKDAYS:
            weekday = _WEEKDAYS[token]
        elif token not in _FILLERS and token not in _PUNCTUATION:
            return []
    readings = _numeric(numbers) if month is None else _named(numbers, month)
    # A date that contradicts the weekday beside it is not read.
    return [reading for reading in readings if weekday is None or reading.date.weekday() == weekday]


def _named(numbers: list[str], month: int) -> list[_Reading]:
    if len(numbers) != 2:
        return []
    day, year = sorted(numbers, key=len)
    if len(year) != 4 or len(day) > 2:
        return []
    return _valid((int(year), month, int(day), None))


def _numeric(numbers: list[str]) -> list[_Reading]:
    if len(numbers) != 3 or len(numbers[1]) > 2:
        return []
    first, second, third = (int(number) for number in numbers)
    lengths = len(numbers[0]), len(numbers[2])
    if lengths[0] == 4 and lengths[1] <= 2:
        return _valid((first, second, third, None))
    if lengths[0] <= 2 and lengths[1] == 4:
        return _valid((third, second, first, True), (third, first, second, False))
    if lengths[0] <= 2 and lengths[1] == 2:
        year = _century(third)
        return _valid((year, second, first, True), (year, first, second, False), (_century(first), second, third, None))
    return []


def _century(year: int) -> int:
    return year + (1900 if year >= _PIVOT else 2000)


def _valid(*readings: tuple[int, int, int, bool | None]) -> list[_Reading]:
    valid = []
    for year, month, day, order in readings:
        date = _date(year, month, day)
        if date is not None and year >= _EARLIEST:
            valid.append(_Reading(date, order))
    return valid
