"""What a language has to say about dates, as a table.

A ``Language`` is data: words with their values, phrases with their meanings, and cues of tense. The engine
(``scanner``, ``meanings``, ``tense``) knows no language. Another language is another table, and whoever
needs one passes it where a code such as ``"en"`` would stand.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

SPACE = r"\s{1,3}"
"""What a blank in a pattern matches. Bounded, so that a run of blanks costs no more than its length."""

_SLOT = re.compile(r"<([a-z]+)([0-9]?)>")
_DIGITS = {
    "n": r"[0-9]{1,4}",
    "dom": r"0?[1-9]|[12][0-9]|3[01]",
    "year": r"[12][0-9]{3}",
}


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class Language:
    """One language's table. Everything in it is lower case, and matched against lower-cased text.

    - ``code``: what names it, such as ``"en"``.
    - ``words``: a slot, its words and their values. ``weekday`` (Monday is 0), ``weekdays`` (their plurals),
      ``month`` (1 to 12), ``season`` and ``seasons``, ``unit`` and ``span`` (see ``periods``), ``n`` (numbers),
      ``tens`` (what may stand before such a number: "twenty-one"), ``dom`` (days of the month), ``which`` and
      ``far`` (see ``meanings``), ``anchor`` (today is 0), ``nth``.
    - ``phrases``: pairs of a pattern and a meaning, tried in this order at every word. The first that matches is
      taken, and no other may overlap it. A pattern is a regular expression without capturing groups, in which a
      blank stands for whitespace (" ?": for some or none), an apostrophe for either kind of apostrophe, and
      ``<slot>`` for any word of that slot (``<n>``, ``<dom>`` and ``<year>`` for digits as well). A slot that
      occurs twice is written ``<dom2>`` the second time. It begins with a word or a slot. Meanings are those of
      ``meanings.MEANINGS``; ``silent`` claims what looks like a date and is none.
    - ``cues``: patterns of the same kind that tell the tense: ``past``, ``future``, ``present`` (what may be said
      of the future), ``auxiliary`` (makes a past together with another verb, a present alone), ``habit`` and
      ``unsure`` (forbid a reading), ``clause`` (begins another clause), ``recurring`` (is there every year).
    - ``triggers``: words one of which every phrase contains: texts without any are not searched. None: all are.
    - ``unless``: by meaning, words that take it away when they stand right before: "my last week".
    - ``suffix``: what a phrase may carry, and the annotation follows: "last night's".
    - ``proper``: words that name a month or a weekday only with a capital. ``capitals``: nouns have one anyway.
    - ``dated``: patterns of dates with their year. ``asked``: further phrases, which only questions use.
    """

    code: str
    words: Mapping[str, Mapping[str, int]]
    phrases: Sequence[tuple[str, str]]
    cues: Mapping[str, str] = field(default_factory=dict)
    triggers: Sequence[str] = ()
    unless: Mapping[str, frozenset[str]] = field(default_factory=dict)
    suffix: str = ""
    proper: frozenset[str] = frozenset()
    dated: Sequence[str] = ()
    asked: Sequence[tuple[str, str]] = ()
    capitals: bool = False

    def __repr__(self) -> str:
        return f"Language({self.code!r})"

    @property
    def suffix_pattern(self) -> str:
        """The suffix as a regular expression."""
        return self.suffix.replace("'", "['’]")


def numbered(*names: str, start: int = 0) -> dict[str, int]:
    """Words by number: each argument holds the words of one number, separated by commas.

    >>> numbered("monday, mon", "tuesday, tue")
    {'monday': 0, 'mon': 0, 'tuesday': 1, 'tue': 1}
    """
    return {word.strip(): number for number, words in enumerate(names, start) for word in words.split(",")}


def same(value: int, words: str) -> dict[str, int]:
    """Words, separated by commas, that all have one value."""
    return {word.strip(): value for word in words.split(",")}


def any_of(words: Iterable[str]) -> str:
    """A pattern for any of these words, the longest that fits; written as a tree of their letters.

    >>> any_of(["may", "march", "mar"])
    'ma(?:r(?:ch)?|y)'
    """
    tree: dict[str, list[str]] = {}
    ends = False
    for word in words:
        if word:
            tree.setdefault(word[0], []).append(word[1:])
        else:
            ends = True
    branches = []
    for letter, rests in sorted(tree.items()):
        start = SPACE if letter == " " else re.escape(letter)
        branches.append(start + any_of(rests))
    if not branches:
        return ""
    if len(branches) == 1 and not ends:
        return branches[0]
    return f"(?:{'|'.join(branches)})" + ("?" if ends else "")


@lru_cache(maxsize=256)
def _tree(words: tuple[str, ...]) -> str:
    return any_of(words)


def expand(pattern: str, words: Mapping[str, Mapping[str, int]], *, capture: bool) -> tuple[str, list[str]]:
    """A table's pattern as a regular expression, and its slots in order."""
    slots: list[str] = []

    def slot(found: re.Match[str]) -> str:
        name = found[1]
        slots.append(name + found[2])
        choices = words.get(name, {})
        if not choices and name not in _DIGITS:
            raise ValueError(f"pattern {pattern!r}: expected a slot with words, got <{name}>")
        body = _tree(tuple(choices))
        if name == "n" and "tens" in words:
            body = f"{_tree(tuple(words['tens']))}(?:[- ]{body})?|{body}"
        if name in _DIGITS:
            body = f"{body}|{_DIGITS[name]}" if body else _DIGITS[name]
        return f"({body})" if capture else f"(?:{body})"

    # The blanks of the pattern first: words bring their own.
    spaced = pattern.replace(" ?", r"\s{0,3}").replace(" ", SPACE).replace("'", "['’]")
    return _SLOT.sub(slot, spaced), slots


def tokens(row: str) -> list[str]:
    """A table's pattern, cut at the blanks that stand in no group.

    >>> tokens("(?:the )?day before <span>")
    ['(?:the )?day', 'before', '<span>']
    """
    parts = [""]
    depth = 0
    for letter in row:
        depth += (letter in "([") - (letter in ")]")
        if letter == " " and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts
