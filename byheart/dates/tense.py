"""Whether what a phrase belongs to lies behind the speaker or ahead.

"On Friday" alone is either of two days. The verbs of its clause decide, by cues that the language's table
lists; where the clause has none, those of the sentence. Cues that disagree decide nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from byheart.dates.language import Language, expand

PAST, PRESENT, FUTURE, HABIT, NONE, CONFLICT = "past", "present", "future", "habit", "none", "conflict"

REACH = 240
"""How far, in characters, a cue may stand from its phrase."""
_BLOCK = 4096
_KINDS = ("clause", "habit", "recurring", "unsure", "future", "past", "present", "auxiliary")
# Tried in this order at every place, so a table can let a longer form of one kind hide a shorter of another.
_STOP = r"[!?…\n]|\.(?![\w.])"
_CLAUSE = frozenset(("mark", "clause"))
_BORDERS = _CLAUSE | {"stop"}
_FEW = 2
"""A clause of no more words than this, besides the phrase, can do without a verb of its own."""
_MARK = r"[,;:()—–]|\s-{1,2}\s|--"


class _Cue(NamedTuple):
    start: int
    end: int
    kind: str


@lru_cache(maxsize=32)
def _cues(language: Language) -> re.Pattern[str]:
    branches = []
    for kind in _KINDS:
        if kind in language.cues:
            pattern, _ = expand(language.cues[kind], language.words, capture=False)
            branches.append(f"(?P<{kind}>{pattern})")
    words = rf"|(?<!\w)(?:{'|'.join(branches)})(?!\w)" if branches else ""
    return re.compile(f"(?P<stop>{_STOP})|(?P<mark>{_MARK}){words}")


class Tenses:
    """The tense around places of one lower-cased text, asked for in ascending order."""

    __slots__ = ("_cues", "_from", "_text", "_to")

    def __init__(self, lowered: str) -> None:
        self._text = lowered
        self._cues: dict[str, list[_Cue]] = {}
        self._from = self._to = 0

    def at(self, start: int, end: int, language: Language) -> str:
        """The tense of the clause around ``text[start:end]``, one of the constants of this module."""
        before, after = self._around(start, end, language)
        before.reverse()
        left, right = _clauses(before), _clauses(after)
        own = _kinds(left[0]) | _kinds(right[0])
        if own:
            return _agreed(own)
        opened = next((cue.end for cue in before if cue.kind in _BORDERS), max(0, start - REACH))
        closed = next((cue.start for cue in after if cue.kind in _BORDERS), end + REACH)
        rest = f"{self._text[opened:start]} {self._text[end:closed]}"
        if len(rest.split()) > _FEW:
            return NONE  # it has a verb that the table does not know
        # The nearest clause that has one: what follows, where the phrase opens its own.
        opens = not self._text[opened:start].strip()
        for side in (right, left) if opens else (left, right):
            for clause in side[1:]:
                if kinds := _kinds(clause):
                    return _agreed(kinds)
        return NONE

    def recurs(self, start: int, end: int, language: Language) -> bool:
        """Whether the sentence is about something that comes every year."""
        before, after = self._around(start, end, language)
        before.reverse()
        return any(
            cue.kind in ("recurring", "habit")
            for side in (before, after)
            for clause in _clauses(side)
            for cue in clause
        )

    def _around(self, start: int, end: int, language: Language) -> tuple[list[_Cue], list[_Cue]]:
        low, high = max(0, start - REACH), min(len(self._text), end + REACH)
        if not (self._from <= low and high <= self._to):
            # A block at a time: many phrases of one text share it.
            self._from, self._to = low, max(high, low + _BLOCK)
            self._cues.clear()
        cues = self._cues.get(language.code)
        if cues is None:
            found = _cues(language).finditer(self._text, self._from, self._to)
            cues = [_Cue(match.start(), match.end(), match.lastgroup or "") for match in found]
            self._cues[language.code] = cues
        first, split = bisect_left(cues, (low,)), bisect_left(cues, (start,))
        after, last = bisect_left(cues, (end,)), bisect_left(cues, (high,))
        return cues[first:split], cues[after:last]


def _clauses(cues: Iterable[_Cue]) -> list[list[_Cue]]:
    """The cues of one side as far as the sentence goes, by clause, the nearest first."""
    clauses: list[list[_Cue]] = [[]]
    for cue in cues:
        if cue.kind == "stop":
            break
        if cue.kind in _CLAUSE:
            clauses.append([])
        else:
            clauses[-1].append(cue)
    return clauses


def _kinds(cues: Iterable[_Cue]) -> set[str]:
    return {cue.kind for cue in cues} - {"recurring"}


def _agreed(kinds: set[str]) -> str:
    if "habit" in kinds:
        return HABIT
    if "unsure" in kinds:
        return CONFLICT
    if "past" in kinds:
        return PAST if kinds <= {"past", "auxiliary"} else CONFLICT
    if kinds == {"auxiliary"}:
        return FUTURE
    return FUTURE if "future" in kinds else PRESENT
