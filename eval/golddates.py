"""LoCoMo's answers to temporal questions as dates: "The week before 9 June 2023" and its like.

Read by rules of its own, not by the library's, so that the one can check the other.
"""

from __future__ import annotations

import calendar
import datetime
import re
from collections.abc import Iterator

Days = tuple[datetime.date, datetime.date]

_MONTHS = [calendar.month_name[number].lower() for number in range(1, 13)]
_WEEKDAYS = [name.lower() for name in calendar.day_name]
_NUMBERS = {"a": 1, "one": 1, "two": 2, "three": 3, "four": 4, "first": 1, "second": 2, "third": 3, "fourth": 4}
_NAMES = "|".join(_MONTHS)
_MONTH = rf"(?P<month>{_NAMES})"
_DATE = re.compile(
    rf"(?:(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?(?: of)? ?(?P<m1>{_NAMES}),? ?(?P<y1>\d{{4}})|"
    rf"(?P<m2>{_NAMES}) (?P<d2>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<y2>\d{{4}}))",
    re.I,
)
_RANGE = re.compile(
    rf"(?P<month>{_NAMES}) (?P<d1>\d{{1,2}})(?: ?- ?| to | and )(?P<d2>\d{{1,2}}),? (?P<year>\d{{4}})", re.I
)
_BEFORE = re.compile(
    r"(?:(?P<n>a|one|two|three|four|\d+|few|a few) )?"
    rf"(?P<unit>days?|nights?|weeks?|weekends?|{'|'.join(_WEEKDAYS)}|mon|tues|wed|thurs|fri|sat|sun)s? before",
    re.I,
)
_PART = re.compile(r"(?P<nth>first|second|third|fourth|last) (?P<unit>week|weekend) of", re.I)
_MONTH_YEAR = re.compile(rf"\b{_MONTH}[,.]? ?(?P<year>\d{{4}})", re.I)
_SEASON = re.compile(r"\b(spring|summer|autumn|fall|winter),? (?:of )?(\d{4})", re.I)
_FIRST_MONTH = {"spring": 3, "summer": 6, "autumn": 9, "fall": 9, "winter": 12}
_YEAR = re.compile(r"(?:in |since )?(\d{4})\.?", re.I)


def gold_days(answer: str) -> list[Days]:
    """The spans of days an answer may mean; none where it names no date. More than one where it is loose:
    "the week before 9 June" is the calendar week before, or the seven days."""
    text = " ".join(str(answer).split())
    days = _RANGE.search(text)
    if days:
        first = datetime.date(int(days["year"]), _MONTHS.index(days["month"].lower()) + 1, int(days["d1"]))
        return [(first, first.replace(day=int(days["d2"])))]
    dates = [_date(found) for found in _DATE.finditer(text)]
    if len(dates) == 2 and text.lower().startswith(("between", "from")):
        return [(dates[0], dates[1])]
    if len(dates) == 1:
        return list(_around(text, dates[0]))
    if dates:
        return []
    part = _PART.search(text)
    month = _MONTH_YEAR.search(text)
    if month:
        first = datetime.date(int(month["year"]), _MONTHS.index(month["month"].lower()) + 1, 1)
        return [_part(first, part["nth"].lower(), part["unit"].lower())] if part else [(first, _month_end(first))]
    season = _SEASON.search(text)
    if season:
        first = datetime.date(int(season[2]), _FIRST_MONTH[season[1].lower()], 1)
        return [(first, _month_end(_month_end(_month_end(first) + _DAY) + _DAY))]
    year = _YEAR.fullmatch(text)
    if year:
        return [(datetime.date(int(year[1]), 1, 1), datetime.date(int(year[1]), 12, 31))]
    return []


_DAY = datetime.timedelta(days=1)


def _date(found: re.Match[str]) -> datetime.date:
    month = found["m1"] or found["m2"]
    return datetime.date(
        int(found["y1"] or found["y2"]), _MONTHS.index(month.lower()) + 1, int(found["d1"] or found["d2"])
    )


def _around(text: str, day: datetime.date) -> Iterator[Days]:
    monday = day - day.weekday() * _DAY
    before = _BEFORE.search(text)
    if re.search(r"week of", text, re.I):
        yield monday, monday + 6 * _DAY
    elif after := re.search(r"weekend (of|after)", text, re.I):
        saturday = monday + 5 * _DAY
        saturday += 7 * _DAY if after[1] == "after" and saturday <= day else 0 * _DAY
        yield saturday, saturday + _DAY
    elif before is None:
        yield day, day
    else:
        number = _NUMBERS.get((before["n"] or "one").lower()) or (
            int(before["n"]) if before["n"] and before["n"].isdigit() else 0
        )
        unit = before["unit"].lower()
        if not number:
            return
        if unit.startswith(("day", "night")):
            yield day - number * _DAY, day - number * _DAY
        elif unit.startswith("weekend"):
            saturday = monday - (7 * number - 5) * _DAY
            yield saturday, saturday + _DAY
        elif unit.startswith("week"):
            yield monday - 7 * number * _DAY, monday - (7 * number - 6) * _DAY
            yield day - 7 * number * _DAY, day - (7 * number - 6) * _DAY
        else:
            weekday = next(index for index, name in enumerate(_WEEKDAYS) if name.startswith(unit.rstrip("s")[:3]))
            back = (day.weekday() - weekday) % 7 or 7
            yield day - back * _DAY, day - back * _DAY


def _part(first: datetime.date, nth: str, unit: str) -> Days:
    end = _month_end(first)
    if unit == "weekend":
        saturday = first + ((5 - first.weekday()) % 7 + 7 * (_NUMBERS.get(nth, 1) - 1)) * _DAY
        if nth == "last":
            saturday = end - ((end.weekday() - 5) % 7) * _DAY
        return saturday, saturday + _DAY
    if nth == "last":
        return end - 9 * _DAY, end  # answers call any days near the end the last week
    start = first + 7 * (_NUMBERS[nth] - 1) * _DAY
    return start, min(start + 9 * _DAY, end)


def _month_end(day: datetime.date) -> datetime.date:
    following = (day.replace(day=28) + 4 * _DAY).replace(day=1)
    return following - _DAY
