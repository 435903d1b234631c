"""Reading the date a turn was said on, in whatever shape it arrives.

What is read must be unmistakable: one date, at most one time, and no word that could change their meaning.
Everything else is left unread, because a wrong day would put every phrase of the turn on a wrong date.
"""

from __future__ import annotations

import datetime
import re
from typing import NamedTuple

from byheart.dates.moment import Moment

LONGEST = 100
"""A date longer than this many characters is not read: it is prose."""

_TIME = re.compile(
    r"""(?:(?<=[0-9])t|(?<![0-9.:/-]))
        (?: (?P<h>[01]?[0-9]|2[0-3]):(?P<m>[0-5][0-9])(?::(?P<s>[0-5][0-9]|60)(?:[.,][0-9]{1,9})?)?
              (?:\s?(?P<half>[ap])\.?\s?m\b\.?)?
          | (?P<h2>1[0-2]|0?[1-9])\s?(?P<half2>[ap])\.?\s?m\b\.?
          | (?P<h3>[01]?[0-9]|2[0-3])\.(?P<m3>[0-5][0-9])(?=\s?uhr\b)
        )(?![0-9:])
        (?:\s?(?:(?:utc|gmt)?\s?[+-][0-9]{1,2}(?::?[0-9]{2})?(?![0-9])|z\b))?""",
    re.X,
)
_COMPACT = re.compile(r"([0-9]{4})([0-9]{2})([0-9]{2})(?:t?([0-9]{2})([0-9]{2})?([0-9]{2})?)?z?")
_UNIX = re.compile(r"([0-9]{10})(?:\.[0-9]{1,9}|[0-9]{3})?")
_ISO_WEEK = re.compile(r"([0-9]{4})-?w([0-9]{2})-?([1-7])")
_TOKEN = re.compile(r"[0-9]+|[^\W\d_]+|\S")
_ZONE_NAME = re.compile(r"\[[a-z_]+/[a-z_/]+\]")
_PUNCTUATION = frozenset(",./-()[]|–—·:")

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jänner enero ene январь января янв",
            "february feb februar febrero февраль февраля фев",
            "march mar märz mär marzo март марта мар",
            "april apr abril abr апрель апреля апр",
            "may mai mayo май мая",
            "june jun juni junio июнь июня июн",
            "july jul juli julio июль июля июл",
            "august aug agosto ago август августа авг",
            "september sep sept septiembre setiembre сентябрь сентября сен сент",
            "october oct oktober okt octubre октябрь октября окт",
            "november nov noviembre ноябрь ноября ноя",
            "december dec dezember dez diciembre dic декабрь декабря дек",
        ),
        1,
    )
    for name in names.split()
}
_WEEKDAYS = {
    name: number
    for number, names in enumerate(
        (
            "monday mon montag lunes lun понедельник пн",
            "tuesday tue tues dienstag di martes вторник вт",
            "wednesday wed weds mittwoch mi miércoles miercoles mié среда ср",
            "thursday thu thur thurs donnerstag do jueves jue четверг чт",
            "friday fri freitag fr viernes vie пятница пт",
            "saturday sat samstag sonnabend sa sábado sabado sáb суббота сб",
            "sunday sun sonntag so domingo dom воскресенье вс",
        )
    )
    for name in names.split()
}
_FILLERS = frozenset(
    "on at of the st nd rd th date time utc gmt z am um uhr den de del a las el г года год в "
    "est edt cst cdt mst mdt pst pdt bst cet cest eet eest msk ist jst aest aedt".split()
)


class _Parts(NamedTuple):
    """A date as written: which of the two small numbers is the day may be open."""

    year: int
    month: int
    day: int
    swappable: bool = False  # numeric and year last: `day` and `month` stand as day-first reading


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
        f"when: expected a str, a datetime.date, a datetime.datetime or None, got {when!r} of type "
        f"{type(when).__name__}; write a Unix time as datetime.datetime.fromtimestamp(seconds, tz)"
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

    __slots__ = ("_fixed", "_last", "_read", "order")

    def __init__(self, day_first: bool | None = None) -> None:
        if day_first is not None and not isinstance(day_first, bool):
            raise TypeError(
                f"day_first: expected True, False or None, got {day_first!r} of type {type(day_first).__name__}"
            )
        self.order: bool | None = day_first
        self._fixed = day_first is not None
        # A session gives one date to many turns: the last one read is kept, with the order it was read under.
        self._last: tuple[str, bool | None] | None = None
        self._read: Moment | None = None

    def read(self, when: str | datetime.date | None) -> Moment | None:
        """The moment ``when`` names, or None where it names none or more than one."""
        if when is None:
            return None
        if isinstance(when, datetime.datetime):
            return Moment(when.date(), when.time())
        if isinstance(when, datetime.date):
            return Moment(when)
        if self._last == (when, self.order):
            return self._read
        read = self._read_text(when)
        self._last, self._read = (when, self.order), read
        return read

    def _read_text(self, when: str) -> Moment | None:
        parsed = _parse(when)
        if parsed is None:
            return None
        parts, time = parsed
        year, month, day, swappable = parts
        if swappable and month != day:
            if max(month, day) > 12:
                day_first = day > 12
                self._settle(day_first)
            elif self.order is None:
                return None
            else:
                day_first = self.order
            if not day_first:
                month, day = day, month
        date = _date(year, month, day)
        return None if date is None else Moment(date, time)

    def _settle(self, day_first: bool) -> None:
        if self._fixed:
            return
        # Dates that contradict each other settle nothing.
        self.order = day_first if self.order in (None, day_first) else None


def _date(year: int, month: int, day: int) -> datetime.date | None:
    try:
        return datetime.date(year, month, day)
    except ValueError:
        return None


def _parse(when: str) -> tuple[_Parts, datetime.time | None] | None:
    if len(when) > LONGEST:
        return None
    text = when.strip().lower()
    if text.isdecimal() or "w" in text or text[:10].isdecimal() or text[:8].isdecimal():
        whole = _parse_compact(text)
        if whole is not None:
            return whole
    text = _ZONE_NAME.sub(" ", text)
    times = list(_TIME.finditer(text))
    if len(times) > 1:
        return None
    time = None
    if times:
        time = _time_of(times[0])
        if time is None:
            return None
        text = f"{text[: times[0].start()]} {text[times[0].end() :]}"
    parts = _parse_date(text)
    return None if parts is None else (parts, time)


def _time_of(found: re.Match[str]) -> datetime.time | None:
    hour = int(found["h"] or found["h2"] or found["h3"])
    minute = int(found["m"] or found["m3"] or 0)
    second = min(int(found["s"] or 0), 59)  # a leap second
    half = found["half"] or found["half2"]
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if half == "p" else 0)
    return datetime.time(hour, minute, second)


def _parse_compact(text: str) -> tuple[_Parts, datetime.time | None] | None:
    found = _COMPACT.fullmatch(text)
    if found and 1900 <= int(found[1]) <= 2100:
        date = _date(int(found[1]), int(found[2]), int(found[3]))
        hour, minute, second = (int(found[n] or 0) for n in (4, 5, 6))
        if date and hour < 24 and minute < 60 and second < 60:
            if found[4] and not found[5]:
                return None  # ten digits: a date with an hour, or Unix seconds
            time = datetime.time(hour, minute, second) if found[4] else None
            return _Parts(date.year, date.month, date.day), time
    found = _UNIX.fullmatch(text)
    if found and int(found[1]) >= 1_000_000_000:
        moment = datetime.datetime.fromtimestamp(int(found[1]), datetime.timezone.utc)
        return _Parts(moment.year, moment.month, moment.day), moment.time()
    found = _ISO_WEEK.fullmatch(text)
    if found:
        try:
            date = datetime.date.fromisocalendar(int(found[1]), int(found[2]), int(found[3]))
        except ValueError:
            return None
        return _Parts(date.year, date.month, date.day), None
    return None


def _parse_date(text: str) -> _Parts | None:
    numbers: list[str] = []
    month: int | None = None
    month_at = 0
    weekday: int | None = None
    for token in _TOKEN.findall(text):
        if token[0] in "0123456789":
            numbers.append(token)
        elif token in _MONTHS:
            if month is not None:
                return None
            month, month_at = _MONTHS[token], len(numbers)
        elif token in _WEEKDAYS:
            if weekday is not None:
                return None
            weekday = _WEEKDAYS[token]
        elif token not in _FILLERS and token not in _PUNCTUATION:
            return None
    parts = _named(numbers, month, month_at) if month is not None else _numeric(numbers)
    if parts is None or (weekday is not None and not _on_weekday(parts, weekday)):
        return None
    return parts


def _named(numbers: list[str], month: int, month_at: int) -> _Parts | None:
    if len(numbers) != 2:
        return None
    years = [n for n in numbers if len(n) == 4]
    days = [n for n in numbers if len(n) <= 2]
    if len(years) != 1 or len(days) != 1:
        return None
    if month_at == 1 and len(numbers[0]) == 4 and len(numbers[1]) > 2:
        return None
    return _Parts(int(years[0]), month, int(days[0]))


def _numeric(numbers: list[str]) -> _Parts | None:
    if len(numbers) != 3:
        return None
    first, second, third = numbers
    if len(second) > 2:
        return None
    if len(first) == 4 and len(third) <= 2:
        return _Parts(int(first), int(second), int(third))
    if len(first) <= 2 and len(third) == 4:
        return _Parts(int(third), int(second), int(first), swappable=True)
    return None


def _on_weekday(parts: _Parts, weekday: int) -> bool:
    """Whether the date falls on the weekday that stands beside it; a contradiction is not read."""
    readings = [_date(parts.year, parts.month, parts.day)]
    if parts.swappable:
        readings.append(_date(parts.year, parts.day, parts.month))
    return any(date is not None and date.weekday() == weekday for date in readings)
