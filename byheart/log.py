"""The turns as they were said: appended, kept verbatim, never reordered.

A turn costs its text and some forty bytes: columns of plain values rather than an object a turn, since a memory
is used for years.
"""

from __future__ import annotations

import datetime
import math
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Final, NamedTuple, TypedDict, cast

from byheart.dates import Language, Moment, WhenReader, annotate, check_when, mark
from byheart.errors import shown

ROLES: Final = ("user", "assistant")
REDACTED: Final = "[redacted]"
"""What stands where a turn was redacted."""

When = str | datetime.date | datetime.datetime | None


class TurnDict(TypedDict):
    """A turn as ``Memory.turns`` lists it."""

    role: str
    text: str
    when: str | None


class Said(NamedTuple):
    """A checked turn on its way into the log."""

    role: str
    text: str
    when: str | None


def check_turn(role: object, text: object, when: object = None) -> Said:
    """The turn with its ``when`` as a string, or a ValueError or TypeError that says what is wrong with it.

    >>> check_turn("user", "hello", datetime.date(2023, 5, 8))
    Said(role='user', text='hello', when='2023-05-08')
    """
    if type(role) is str and role in ROLES and type(text) is str and (when is None or type(when) is str):
        return Said(role, text, when)
    if not isinstance(role, str):
        raise TypeError(f"role must be 'user' or 'assistant', got {shown(role)}")
    if role not in ROLES:
        raise ValueError(
            f"role must be 'user' or 'assistant', got {shown(role)}; a system prompt belongs beside the memory, not in it"
        )
    if not isinstance(text, str):
        raise TypeError(
            f"text must be a str, got {type(text).__name__}; join the text of several parts before appending"
        )
    return Said(ROLES[role == "assistant"], str(text), check_when(when))


def check_turns(turns: Iterable[object]) -> list[Said]:
    """Checked turns from mappings with ``role``, ``text`` and perhaps ``when``, or (role, text[, when]) tuples."""
    checked: list[Said] = []
    for at, turn in enumerate(turns):
        try:
            checked.append(_check_item(turn))
        except (TypeError, ValueError) as error:  # noqa: PERF203 - the message names the turn
            raise type(error)(f"turn {at}: {error}") from None
    return checked


def _check_item(turn: object) -> Said:
    if isinstance(turn, Mapping):
        missing = {"role", "text"} - turn.keys()
        if missing:
            raise ValueError(f"{' and '.join(sorted(missing))} missing; a turn is a mapping with role, text and when")
        return check_turn(turn["role"], turn["text"], turn.get("when"))
    if isinstance(turn, Sequence) and not isinstance(turn, (str, bytes)) and 2 <= len(turn) <= 3:
        return check_turn(*turn)
    raise TypeError(f"expected a mapping or a (role, text, when) tuple, got {type(turn).__name__}")


class Log:
    """Turns by index. Reads each ``when`` once and annotates relative dates once, at append."""

    def __init__(
        self,
        *,
        languages: Sequence[str | Language] = ("en",),
        day_first: bool | None = None,
        measure: Callable[[str], float] = len,
    ) -> None:
        self._languages = tuple(languages)
        self._day_first = day_first
        self._reader = WhenReader(day_first)
        self._orders: list[tuple[int, bool | None]] = []  # turns that changed what is known of the order, and what was
        self._assistant = bytearray()
        self._texts: list[str] = []
        self._whens: list[str | None] = []
        self._days = array("i")  # ordinals; 0: unknown
        self._minutes = array("h")  # of the day; -1: unknown
        self._shown: dict[int, str] = {}  # only where it differs from the text
        self._measure = measure
        self._plain = measure is len
        self._frames = tuple(self._measured(f"{role}: \n") for role in ROLES)
        self._indent = self._measured("  ")
        self._sizes = array("d")
        self._total = 0.0  # of the sizes
        self._runs = array("Q")  # first turns of runs of turns said on one day
        self._latest: Moment | None = None  # the moment that was taken apart last, as turns of a session share it
        self._latest_day, self._latest_minutes = _columns(None)

    def __len__(self) -> int:
        return len(self._texts)

    @property
    def order(self) -> bool | None:
        """Whether the day comes first in 03/04/2023, where that is settled."""
        return self._reader.order

    def read(self, when: str | None) -> Moment | None:
        """``when`` as it would be read now; remembers nothing."""
        before = self._reader.order
        try:
            return self._reader.read(when)
        finally:
            self._reader.order = before

    def append(self, said: Said) -> int:
        """Add a checked turn; returns its index."""
        role, text, when = said
        index = len(self._texts)
        reader = self._reader
        order = reader.order
        moment = reader.read(when)
        try:
            shown = text
            if moment is not None:
                notes = annotate(text, moment.date, self._languages)
                if notes:
                    shown = mark(text, notes)
            assistant = role == "assistant"
            size = (len(shown) if self._plain else self._measured(shown)) + self._frames[assistant]
            if not shown.isprintable():  # it may have further lines, which a block indents
                size += self._indent * len(shown.splitlines())
        except BaseException:
            reader.order = order
            raise
        if reader.order != order:
            self._orders.append((index, order))
        if moment is not self._latest:
            self._latest = moment
            self._latest_day, self._latest_minutes = _columns(moment)
        day = self._latest_day
        if not index or day != self._days[-1]:
            self._runs.append(index)
        self._assistant.append(assistant)
        self._texts.append(text)
        self._whens.append(when)
        self._days.append(day)
        self._minutes.append(self._latest_minutes)
        if shown is not text:
            self._shown[index] = shown
        self._sizes.append(size)
        self._total += size
        return index

    def _measured(self, text: str) -> float:
        size = self._measure(text)
        if type(size) is int and 0 <= size <= sys.maxsize:
            return float(size)
        if isinstance(size, str) or not hasattr(size, "__float__"):
            raise TypeError(f"measure must return a number, got {shown(size)}")
        try:
            number = float(size)
        except OverflowError:  # an int beyond all floats
            number = math.inf
        if not 0 <= number < math.inf:
            raise ValueError(f"measure must return a number from 0 on, got {shown(size)}")
        return number

    def truncate(self, index: int) -> None:
        """Forget the turns from ``index`` on."""
        del self._assistant[index:]
        del self._texts[index:]
        del self._whens[index:]
        del self._days[index:]
        del self._minutes[index:]
        del self._sizes[index:]
        self._total = sum(self._sizes)
        while self._runs and self._runs[-1] >= index:
            self._runs.pop()
        while self._shown and next(reversed(self._shown)) >= index:
            self._shown.popitem()
        while self._orders and self._orders[-1][0] >= index:
            self._reader.order = self._orders.pop()[1]
        self._forget_reading()

    def redact(self, index: int) -> None:
        """Put a placeholder where the turn's words were. Its date stays where it could be read as one."""
        self._texts[index] = REDACTED
        self._shown.pop(index, None)
        self._total -= self._sizes[index]
        self._sizes[index] = self._measured(REDACTED) + self._frames[self._assistant[index]]
        self._total += self._sizes[index]
        if not self._days[index] and index not in dict(self._orders):
            self._whens[index] = None
        self._forget_reading()

    def _forget_reading(self) -> None:
        order, self._reader = self._reader.order, WhenReader(self._day_first)  # it remembers what it read last
        self._reader.order = order

    def matching(self, matches: Callable[[str], bool]) -> list[int]:
        """The turns whose words match; a ``when`` that is no date counts as words."""
        return [
            at
            for at in range(len(self))
            if matches(self._texts[at])
            or (not self._days[at] and (when := self._whens[at]) is not None and matches(when))
        ]

    def role(self, index: int) -> str:
        """``user`` or ``assistant``."""
        return ROLES[self._assistant[index]]

    def text(self, index: int) -> str:
        """The words as they were said."""
        return self._texts[index]

    def shown(self, index: int) -> str:
        """The words with relative dates annotated."""
        return self._shown.get(index, self._texts[index])

    def blank(self, index: int) -> bool:
        """Whether nothing but white space was said: such a turn is kept, and never sent."""
        return not self._texts[index].strip()

    def when(self, index: int) -> str | None:
        """``when`` as it was given."""
        return self._whens[index]

    def day(self, index: int) -> datetime.date | None:
        """The speaker's day, where ``when`` could be read."""
        ordinal = self._days[index]
        return datetime.date.fromordinal(ordinal) if ordinal else None

    def day_key(self, index: int) -> int | str | None:
        """What tells one day from another: the day, or ``when`` itself where it cannot be read."""
        return self._days[index] or self._whens[index]

    def size(self, lo: int, hi: int) -> float:
        """About what turns [lo, hi) measure as lines of a block, dates not counted."""
        return self._sizes[lo] if hi - lo == 1 else sum(self._sizes[lo:hi])

    def total(self, upto: int) -> float:
        """About what the turns before ``upto`` measure."""
        return self._total - self.size(upto, len(self))

    def days(self) -> Iterator[tuple[datetime.date, int, int]]:
        """Runs of turns [lo, hi) said on one known day."""
        for at, lo in enumerate(self._runs):
            if self._days[lo]:
                hi = self._runs[at + 1] if at + 1 < len(self._runs) else len(self)
                yield datetime.date.fromordinal(self._days[lo]), lo, hi

    def label(self, index: int) -> str | None:
        """The date of a turn as it is shown: in words where it could be read, else as given."""
        ordinal = self._days[index]
        return _label(ordinal, self._minutes[index]) if ordinal else self._whens[index]

    def said(self, index: int) -> Said:
        """A turn as it was appended."""
        return Said(self.role(index), self._texts[index], self._whens[index])

    def lines(self, start: int) -> Iterable[tuple[str, str]]:
        """Role and text of each turn from ``start`` on."""
        return zip(map(ROLES.__getitem__, self._assistant[start:]), self._texts[start:], strict=True)

    def turn(self, index: int) -> TurnDict:
        """A turn as a new dict."""
        return {"role": self.role(index), "text": self._texts[index], "when": self._whens[index]}

    def turns(self, start: int = 0, stop: int | None = None) -> list[TurnDict]:
        """Turns as new dicts."""
        columns = zip(self._assistant[start:stop], self._texts[start:stop], self._whens[start:stop], strict=True)
        return [{"role": ROLES[assistant], "text": text, "when": when} for assistant, text, when in columns]


def _columns(moment: Moment | None) -> tuple[int, int]:
    """A moment as its day's ordinal and the minutes of that day, as the log's columns hold them."""
    if moment is None:
        return 0, -1
    return moment.date.toordinal(), -1 if moment.time is None else moment.time.hour * 60 + moment.time.minute


@lru_cache(maxsize=1024)
def _label(ordinal: int, minutes: int) -> str:
    """A moment in words, from what the log's columns hold."""
    time = None if minutes < 0 else datetime.time(minutes // 60, minutes % 60)
    return Moment(datetime.date.fromordinal(ordinal), time).label


def as_index(value: object, length: int, what: str = "index") -> int:
    """``value`` as an index below ``length``, negative ones counted from the end as in a list."""
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        raise TypeError(f"{what} must be an int, got {shown(value)}")
    index = cast("int", value).__index__()
    if not -length <= index < length:
        raise IndexError(f"{what} {shown(index).removesuffix(' (int)')} is out of range: there are {length} turns")
    return index + length if index < 0 else index
