"""Where a phrase of time is no statement about time: code, addresses, quotations, names.

All of it is found in time linear in the text: every pattern is bounded or runs to a single closing character.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from byheart.dates.language import Language

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*$", re.M)
_TICKS = re.compile(r"`+|\n[ \t]*\n")
# Every alternative begins with its own characters, so that most of a text is skipped at once.
_OTHER = re.compile(
    r"""
      "(?<![\w"]")(?=[^\s"])[^"\n]{1,300}"(?!\w)                    # quotations and titles
    | “[^”\n]{1,300}” | „[^“”"\n]{1,300}[“”"] | «[^»\n]{1,300}» | »[^«\n]{1,300}«
    | '(?<![\w']')(?=[^\s'])(?:[^'\n]|(?<=\w)'(?=\w)){1,80}'(?!\w)
    | ‘(?:[^’\n]|(?<=\w)’(?=\w)){1,80}’(?!\w)
    | ://\S+                                                        # addresses
    | <(code|pre)\b[^>\n]{0,100}>
    | >(?<![^\n]>)[^\n]*                                            # quoted mail
    | \n(?:[ ]{1,3}>[^\n]*|\n(?:(?:[ ]{4}|\t)[^\n]*(?:\n|\Z))+)     # quoted mail, indented code
    """,
    re.X,
)
_MARKS = "*_~\"'“‘«([{<>#-–—•·|"  # what may stand between a word and the beginning of a sentence or title
_BY = re.compile(r"\s+by\s+(?:[Tt]he\s+)?[^\W\d_a-z]")
_AND = re.compile(r"\s*,|\s+(?:and|&|or)\b")
_WORD = re.compile(r"[^\W\d_]+")


class Zones:
    """The stretches of one text in which no phrase is read."""

    __slots__ = ("_ends", "_starts")

    def __init__(self, text: str) -> None:
        zones = sorted(_zones(text))
        self._starts: list[int] = []
        self._ends: list[int] = []
        for start, end in zones:
            if self._ends and start <= self._ends[-1]:
                self._ends[-1] = max(end, self._ends[-1])
            else:
                self._starts.append(start)
                self._ends.append(end)

    def touch(self, start: int, end: int) -> bool:
        """Whether ``text[start:end]`` lies in one of them, wholly or in part."""
        at = bisect_right(self._starts, end - 1) - 1
        return at >= 0 and self._ends[at] > start


def _zones(text: str) -> Iterator[tuple[int, int]]:
    fences = []
    if "```" in text or "~~~" in text:
        fences = list(_fences(text))
        yield from fences
    if "`" in text:
        yield from _code_spans(text, fences)
    covered = 0
    for found in _OTHER.finditer(text):
        if found.start() < covered:
            continue
        end = found.end()
        if found[1]:
            close = text.find(f"</{found[1]}", end)
            end = covered = close if close >= 0 else len(text)
        yield found.start(), end


def _fences(text: str) -> Iterator[tuple[int, int]]:
    """Fenced blocks; one that is never closed runs to the end."""
    opened: re.Match[str] | None = None
    for fence in _FENCE.finditer(text):
        if opened is None:
            opened = fence
        elif fence[1].startswith(opened[1]) and fence[0].strip() == fence[1]:
            yield opened.start(), fence.end()
            opened = None
    if opened is not None:
        yield opened.start(), len(text)


def _code_spans(text: str, fences: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Runs of backticks of one length, paired within a paragraph."""
    starts = [start for start, _ in fences]
    runs: list[tuple[int, int]] = []
    for found in [*_TICKS.finditer(text), None]:
        if found is not None and found[0][0] == "`":
            at = bisect_right(starts, found.start()) - 1
            if at < 0 or fences[at][1] <= found.start():
                runs.append(found.span())
            continue
        yield from _pairs(runs)
        runs = []


def _pairs(runs: list[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    following: dict[int, list[int]] = {}
    for index, (start, end) in reversed(list(enumerate(runs))):
        following.setdefault(end - start, []).append(index)
    index = 0
    while index < len(runs):
        start, end = runs[index]
        same = following[end - start]
        while same and same[-1] <= index:
            same.pop()
        if same:
            index = same[-1]
            yield start, runs[index][1]
        index += 1


def adjoins_code(text: str, start: int, end: int) -> bool:
    """Whether the characters around ``text[start:end]`` make it part of an identifier, a path or a number."""
    before = text[start - 1] if start else " "
    after = text[end] if end < len(text) else " "
    beyond = text[end + 1] if end + 1 < len(text) else " "
    if before in "_/\\@#$=<&+~^" or after in "_/\\@=(&+^":
        return True
    if before == "-" and start > 1 and not text[start - 2].isspace() and text[start - 2] != "-":
        return True
    if before == "-" and start > 2 and text[start - 2] == "-" and not text[start - 3].isalnum():
        return True
    if before in ".,:'’" and start > 1 and text[start - 2].isalnum():
        if text[start].isdigit() or before in "'’":
            return True
        if before == "." and not text[start].isupper():
            return True
    if text[start].isdigit() and before in "-–—€£%":
        return True
    if text[end - 1].isdigit() and (
        after in "%°$€£" or (after in ".,:-/–'’" and beyond.isdigit()) or text[end : end + 3].strip()[:1] in ("'", "’")
    ):
        return True
    return (after == "." and (beyond.islower() or beyond.isdigit())) or (after == "-" and beyond.isalnum())


def is_name(text: str, start: int, end: int, language: Language) -> bool:
    """Whether capitals make ``text[start:end]`` a title or a name: "USA Today", the song "Yesterday"."""
    phrase = text[start:end]
    if phrase.islower() or phrase.isupper():
        return False  # without capitals, or shouted
    words = [(found[0], found.start()) for found in _WORD.finditer(phrase)]
    proper = [language.words.get(slot, {}) for slot in ("weekday", "weekdays", "month")]
    named = [any(word.lower() in names for names in proper) for word, _ in words]
    if not language.capitals and any(
        word[0].isupper() and not (position == 0 or name) for (word, position), name in zip(words, named, strict=True)
    ):
        return True
    if not phrase[0].isupper() or (named and named[0]):
        return False
    before = text[max(0, start - 40) : start].rstrip(" \t" + _MARKS)
    if before and (before[-1].isalnum() or before[-1] in "&’'"):
        return True
    if before.endswith(",") and _AND.match(text, end):
        return True
    return _BY.match(text, end) is not None
