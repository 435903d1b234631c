"""Annotating what a turn says about time with the dates it means, beside its words.

Nothing here changes a word: a note says where its label is to be inserted, and ``unmark`` takes the labels out
again.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from byheart.dates import quiet
from byheart.dates.asked import LAST, NEXT, Asked
from byheart.dates.language import Language
from byheart.dates.meanings import MEANINGS
from byheart.dates.moment import MONTHS
from byheart.dates.periods import Period
from byheart.dates.scanner import BESIDE, Found, Scanner, lower, scanner
from byheart.dates.tense import Tenses

_MONTH = f"(?:{'|'.join(MONTHS)})"
_YEAR = "[0-9]{4}"
_SPAN = rf"(?:[0-9]{{1,2}}(?: {_MONTH})?(?: {_YEAR})?-)?[0-9]{{1,2}} {_MONTH} {_YEAR}(?:, [0-9]{{2}}:[0-9]{{2}})?"
_LABEL = re.compile(
    rf"\[(?:{_SPAN}|(?:{_MONTH}-)?{_MONTH} {_YEAR}|(?:spring|summer|autumn|fall|winter) {_YEAR}(?:-{_YEAR})?"
    rf"|{_YEAR})\]"
)
"""An annotation as ``mark`` writes it, without the blank before it: to begin with a bracket makes it fast to find."""
_EARLIEST = 1000
"""Years before this one are not labelled: nobody means the year 23 by "2000 years ago"."""


class Note(NamedTuple):
    """A date beside a phrase. Positions are characters of the text that was annotated.

    ``start`` to ``end`` is the phrase with what it carries ("last night's"), ``phrase_start`` where the phrase
    itself begins; the label belongs at ``end``. ``first`` and ``last`` are the days it names, both included.
    """

    start: int
    end: int
    phrase_start: int
    label: str
    first: datetime.date
    last: datetime.date


def annotate(text: str, day: datetime.date | None, languages: Sequence[str | Language] = ("en",)) -> list[Note]:
    """The dates that the phrases of ``text`` mean, said on ``day``; in the order of the text.

    >>> [note.label for note in annotate("I ran a race last Saturday", datetime.date(2023, 5, 25))]
    ['20 May 2023']

    Nothing where no day is known. Text that carries annotations already gets none a second time.
    """
    if day is None or not languages:
        return []
    known = scanner(tuple(languages))
    if not known.may_match(text):
        return []
    if "[" in text and _LABEL.search(text):
        bare, cuts = _without_labels(text)
        return _moved(_read(bare, day, known), cuts)
    return _read(text, day, known)


def mark(text: str, notes: Sequence[Note]) -> str:
    """The text with each label in brackets behind its phrase.

    >>> text = "last night's concert"
    >>> mark(text, annotate(text, datetime.date(2023, 8, 14)))
    "last night's [13 August 2023] concert"
    """
    if not notes:
        return text
    parts: list[str] = []
    at = 0
    for note in notes:
        parts += (text[at : note.end], f" [{note.label}]")
        at = note.end
    return "".join((*parts, text[at:]))


def unmark(marked: str, notes: Sequence[Note]) -> str:
    """The text that ``mark`` was given, from what it returned and the same notes."""
    parts = []
    at = shift = 0
    for note in notes:
        parts.append(marked[at : note.end + shift])
        shift += len(note.label) + len(" []")
        at = note.end + shift
    return "".join((*parts, marked[at:]))


def _without_labels(text: str) -> tuple[str, list[tuple[int, int]]]:
    """The text without its annotations, and where they were: position in the bare text, and length."""
    parts = []
    cuts = []
    at = removed = 0
    for found in _LABEL.finditer(text):
        start, end = found.span()
        start -= text[at:start].endswith(" ")
        parts.append(text[at:start])
        cuts.append((start - removed, end - start))
        removed += end - start
        at = end
    parts.append(text[at:])
    return "".join(parts), cuts


def _moved(notes: list[Note], cuts: list[tuple[int, int]]) -> list[Note]:
    """Notes of the bare text as notes of the annotated one, without those that are there already."""
    moved = []
    annotated = {position for position, _ in cuts}
    shift = 0
    rest = iter(cuts)
    cut = next(rest, None)
    for note in notes:
        starts = []
        for position in (note.start, note.end):
            while cut is not None and cut[0] < position + (position == note.start):
                shift += cut[1]
                cut = next(rest, None)
            starts.append(position + shift)
        if note.end not in annotated:
            start, end = starts
            moved.append(note._replace(start=start, end=end, phrase_start=start))
    return moved


def _read(text: str, day: datetime.date, known: Scanner) -> list[Note]:
    lowered = lower(text)
    found = known.find(lowered, to_annotate=True)
    if not found:
        return []
    if len(found) > 1:
        found = _undated(found, text)
    tenses = Tenses(lowered)
    zones: quiet.Zones | None = None
    notes = []
    for phrase in found:
        if phrase.kind in _NO_NOTE:
            continue
        period = resolve(phrase, day, tenses)
        if period is None or period.first.year < _EARLIEST or not spoken(text, phrase):
            continue
        zones = zones or quiet.Zones(text)
        if not zones.touch(phrase.start, phrase.end):
            first, last, label = period
            notes.append(Note(phrase.start, phrase.end, phrase.start, label, first, last))
    return notes


_GAP = re.compile(r"[\s,;:(\[–—-]*(?:on|the|i\.?e\.?|that is|am|el|es decir|то есть)?[\s,:(]*")
"""What may stand between a phrase and the date that it has beside it."""
_NO_NOTE = frozenset(("absolute", "dated", "silent"))
_DATES = frozenset(("absolute", "dated", "near-date", "date-range"))


def _undated(found: list[Found], text: str) -> list[Found]:
    """The phrases that have no date beside them."""
    beside = set()
    for index, (one, other) in enumerate(pairwise(found)):
        if (one.kind in _DATES) != (other.kind in _DATES):
            gap = text[one.end : other.start]
            if len(gap) <= BESIDE and _GAP.fullmatch(gap):
                beside |= {index, index + 1}
    return [phrase for index, phrase in enumerate(found) if index not in beside]


def resolve(phrase: Found, day: datetime.date, tenses: Tenses) -> Period | None:
    """The period a phrase means, said on ``day``; None where it means none or the calendar has none."""
    start, end, kind, argument, values, _, language = phrase
    try:
        return MEANINGS[kind](Asked(values, argument, day, tenses, start, end, language))
    except (ValueError, OverflowError):
        return None


def spoken(text: str, phrase: Found, *, strict: bool = True) -> bool:
    """Whether the phrase is one as the text writes it: neither code, nor a name, nor another word.

    Who asks in lower case may mean the month by "may"; ``strict`` does not believe it.
    """
    if quiet.adjoins_code(text, phrase.start, phrase.end):
        return False
    unless = phrase.language.unless.get(phrase.kind)
    if unless:
        before = text[max(0, phrase.start - 24) : phrase.start].lower().split()
        if before and before[-1] in unless:
            return False
    if strict and phrase.values.get("which") not in (LAST, NEXT):
        for word, start in phrase.words:
            if word in phrase.language.proper and not text[start].isupper():
                return False
    return not quiet.is_name(text, phrase.start, phrase.end, phrase.language)
