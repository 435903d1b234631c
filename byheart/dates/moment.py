"""A point of time as a conversation knows it: a day, and perhaps the time of that day."""

from __future__ import annotations

import datetime
from dataclasses import dataclass

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)
"""Month names as labels show them, whatever the language of the conversation."""


def day_label(day: datetime.date) -> str:
    """A day as labels show it.

    >>> day_label(datetime.date(2023, 5, 8))
    '8 May 2023'
    """
    return f"{day.day} {MONTHS[day.month - 1]} {day.year}"


@dataclass(frozen=True, slots=True)
class Moment:
    """When a turn was said: the speaker's own day, and the time of that day where it is known.

    >>> Moment(datetime.date(2023, 5, 8), datetime.time(13, 56)).label
    '8 May 2023, 13:56'
    """

    date: datetime.date
    time: datetime.time | None = None

    @property
    def label(self) -> str:
        """``8 May 2023``, with the time to the minute behind it where there is one."""
        if self.time is None:
            return day_label(self.date)
        return f"{day_label(self.date)}, {self.time.hour:02}:{self.time.minute:02}"
