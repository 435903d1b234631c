"""Finding the phrases of the chosen languages: one pass over the words a phrase can begin with."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from byheart.dates.heads import DIGITS, heads
from byheart.dates.language import SPACE, Language, any_of, expand, tokens
from byheart.dates.meanings import MEANINGS

_NUMERIC = Language(
    code="",
    words={"month": {f"{number:0{width}}": number for number in range(1, 13) for width in (1, 2)}},
    phrases=(
        (r"<year>[-/.]<month>[-/.]<dom>", "absolute"),
        (r"[0-9]{1,2}[-/.][0-9]{1,2}[-/.][0-9]{2}(?:[0-9]{2})?", "dated"),
        (r"[0-9]{1,2}[/.][0-9]{1,2}\.?(?=[)\]])", "dated"),
        (r"<year>(?=[)\]])", "absolute"),
    ),
)
"""What is a date in every language. Which number is the day may be open: then it only counts as a date beside."""


_CAPTURING = re.compile(r"(?<!\\)\((?!\?(?:[:=!]|<[=!]))")
_LETTERS = bytes(ord(chr(code).lower()) if code < 128 and chr(code).isalpha() else 32 for code in range(256))
"""Letters in lower case, blanks for all else."""
_WORDS = bytes(code if code < 128 and (chr(code).isalnum() or chr(code) == "_") else 32 for code in range(256))
"""What a word may have, blanks for all else."""
_WORD = re.compile(r"\w+")
_BEHIND_DIGITS = ":"
"""What begins with a digit is less."""
_SHORT_NUMBER = re.compile(r"[0-9]{1,4}(?![0-9])")
BESIDE = 12
"""Characters that may stand between a phrase and the date beside it, at most."""
_LONG = 20_000
"""Characters from which on a text is not cut into words all at once, which takes memory."""


def lower(text: str) -> str:
    """Lower case, every character in its place."""
    lowered = text.lower()
    # One capital letter alone becomes two characters: I with a dot above.
    return lowered if len(lowered) == len(text) else text.replace("İ", "I").lower()


class Found(NamedTuple):
    """A phrase in a text: where it stands, what it means, and the values of its slots."""

    start: int
    end: int
    kind: str
    argument: str
    values: Mapping[str, int]
    words: Sequence[tuple[str, int]]  # each slot's word and where it starts
    language: Language


class _Phrase(NamedTuple):
    kind: str
    argument: str
    tokens: tuple[str, ...]  # the row, cut at its blanks
    slots: tuple[tuple[str, Mapping[str, int]], ...]  # the slots, each with its words
    language: Language


class _Branches:
    """The phrases that begin with one word, compiled when that word is first met."""

    __slots__ = ("_count", "_groups", "_phrases", "match")

    def __init__(self, phrases: Sequence[_Phrase]) -> None:
        self._phrases = phrases
        self._groups: dict[str, tuple[_Phrase, tuple[int, ...]]] = {}
        self._count = 0
        self.match: Callable[[str, int], re.Match[str] | None] = self._compile_and_match

    def found(self, match: re.Match[str]) -> Found:
        assert match.lastgroup is not None  # every branch is a named group
        phrase, groups = self._groups[match.lastgroup]
        kind, argument, _, slots, language = phrase
        values: dict[str, int] = {}
        words: list[tuple[str, int]] = []
        for group, (slot, known) in zip(groups, slots, strict=True):
            word = match[group]
            if word is not None:
                value = known.get(word)
                values[slot] = _number(word, known, language) if value is None else value
                words.append((word, match.start(group)))
        start, end = match.span()
        return Found(start, end, kind, argument, values, words, language)

    def _compile_and_match(self, lowered: str, start: int) -> re.Match[str] | None:
        self._count = 0
        branches = self._factored([(row, row.tokens, ()) for row in self._phrases])
        self.match = re.compile(rf"(?:{branches})(?!\w)").match
        return self.match(lowered, start)

    def _factored(self, rows: Sequence[tuple[_Phrase, Sequence[str], tuple[int, ...]]]) -> str:
        """The rows as alternatives in their order; neighbours that begin alike are matched together."""
        branches = []
        for (language, token), same in groupby(rows, key=lambda row: (row[0].language, row[1][0])):
            alike = list(same)
            if len(alike) == 1 or any(len(tokens) == 1 for _, tokens, _ in alike):
                branches += [self._branch(*row) for row in alike]
                continue
            pattern, slots = expand(token, language.words, capture=True)
            groups = tuple(range(self._count + 1, self._count + 1 + len(slots)))
            self._count += len(slots)
            rest = self._factored([(row, tokens[1:], (*before, *groups)) for row, tokens, before in alike])
            branches.append(f"{pattern}{SPACE}(?:{rest})")
        return "|".join(branches)

    def _branch(self, phrase: _Phrase, tokens: Sequence[str], before: tuple[int, ...]) -> str:
        self._count += 1
        name = f"p{self._count}"
        pattern, slots = expand(" ".join(tokens), phrase.language.words, capture=True)
        groups = (*before, *range(self._count + 1, self._count + 1 + len(slots)))
        self._count += len(slots)
        self._groups[name] = (phrase, groups)
        return f"(?P<{name}>{pattern}){phrase.language.suffix_pattern}"


class Scanner:
    """Finds phrases in lower-cased text, left to right, none overlapping another."""

    __slots__ = ("_branches", "_names", "_trigger_words", "_triggers")

    def __init__(self, languages: Sequence[Language], *, questions: bool = False) -> None:
        starting: dict[str, list[_Phrase]] = {}
        for language in (*languages, _NUMERIC):
            for row, meaning in _rows(language, questions):
                phrase = _phrase(row, meaning, language)
                for head in heads(row, language.words):
                    starting.setdefault(head, []).append(phrase)
        # Words that begin the same phrases, such as the weekdays, share one compiled pattern.
        shared: dict[tuple[int, ...], _Branches] = {}
        self._branches = {
            head: shared.setdefault(tuple(map(id, phrases)), _Branches(phrases)) for head, phrases in starting.items()
        }
        self._names: frozenset[str] | None = None  # the triggers' letters, where all of them have some
        self._trigger_words: frozenset[bytes] | None = None  # the same of those that have some
        self._triggers: re.Pattern[str] | None = None
        if not questions and all(language.triggers for language in languages):
            triggers = [trigger for language in languages for trigger in language.triggers]
            plain = {trigger: re.findall(r"[a-z]+", trigger) for trigger in triggers if trigger.isascii()}
            self._trigger_words = frozenset(letters[-1].encode() for letters in plain.values() if letters)
            others = any_of(trigger for trigger in triggers if not plain.get(trigger))
            if not others:
                self._names = frozenset(word.decode() for word in self._trigger_words)
            else:
                # A set of characters to begin with lets the search skip from word to word.
                self._triggers = re.compile(rf"[^a-z]{others}(?!\w)")

    def may_match(self, text: str) -> bool:
        """Whether searching this text can find a phrase that needs an annotation; cheap.

        Most turns are only looked at here. So the words are cut out of the text without a pattern, as bytes;
        of a trigger such as "5th" they hold the letters. A long text has a trigger anyway, most likely.
        """
        triggers = self._trigger_words
        if triggers is None or len(text) > _LONG:
            return True
        letters = text.encode() if text.isascii() else lower(text).encode("ascii", "replace")
        if not triggers.isdisjoint(letters.translate(_LETTERS).split()):
            return True
        return self._triggers is not None and self._triggers.search(f" {lower(text)}") is not None

    def find(self, lowered: str, *, to_annotate: bool = False) -> list[Found]:
        """The phrases of a lower-cased text. ``end`` includes a suffix such as "'s".

        ``to_annotate`` leaves out some of those that get no annotation and take none from another.
        """
        branches = self._branches
        phrases = []
        end = 0
        heads, last = self._heads(lowered)
        for start, word in heads:
            if start < end:
                continue
            if to_annotate and start > last and start > end + BESIDE:
                break  # behind the last trigger is at most a date, and that only counts right behind a phrase
            branch = branches.get(word)
            if branch is None:
                if not _SHORT_NUMBER.match(word):
                    continue
                branch = branches[DIGITS]
            match = branch.match(lowered, start)
            if match is not None:
                end = match.end()
                phrases.append(branch.found(match))
        return phrases

    def _heads(self, lowered: str) -> tuple[Iterable[tuple[int, str]], int]:
        """Where the words stand that a phrase can begin with, and all that begin with a digit.

        And where the last trigger stands, or anything behind it.
        """
        names = self._names
        if len(lowered) > _LONG or not lowered.isascii():
            return self._matched(lowered), len(lowered)
        # The same without a pattern, which is faster: the words first, then where they stand between blanks.
        spaced = f" {lowered.encode().translate(_WORDS).decode()} "
        words = spaced.split()
        last = len(lowered)
        if names is not None:
            for word in reversed(words):
                if word in names or word < _BEHIND_DIGITS:
                    last = spaced.rindex(f" {word} ")
                    break
        return self._placed(words, spaced), last

    def _matched(self, lowered: str) -> Iterator[tuple[int, str]]:
        branches = self._branches
        for run in _WORD.finditer(lowered):
            word = run[0]
            if word in branches or word < _BEHIND_DIGITS:
                yield run.start(), word

    def _placed(self, words: Iterable[str], spaced: str) -> Iterator[tuple[int, str]]:
        branches = self._branches
        start = 0
        for word in words:
            if word in branches or word < _BEHIND_DIGITS:
                start = spaced.index(f" {word} ", start)
                yield start, word
                start += len(word) + 1


def _rows(language: Language, questions: bool) -> Iterator[tuple[str, str]]:
    asked = language.asked if questions else ()
    yield from (row for row in asked if not row[1].startswith("any-"))
    yield from ((pattern, "absolute") for pattern in language.dated)
    yield from language.phrases
    # What is of any year comes last: what says which year is found before.
    yield from (row for row in asked if row[1].startswith("any-"))


def _phrase(row: str, meaning: str, language: Language) -> _Phrase:
    _, slots = expand(row, language.words, capture=False)
    if _CAPTURING.search(row):
        raise ValueError(f"pattern {row!r}: expected non-capturing groups only")
    kind, _, argument = meaning.partition(" ")
    if kind not in MEANINGS:
        raise ValueError(f"pattern {row!r}: expected a meaning among {', '.join(MEANINGS)}, got {kind!r}")
    known = tuple((slot, language.words.get(slot.rstrip("0123456789"), {})) for slot in slots)
    return _Phrase(kind, argument, tuple(tokens(row)), known, language)


def _number(word: str, known: Mapping[str, int], language: Language) -> int:
    """The value of a slot's word that is not in the table as it stands: digits, "twenty-one", further blanks."""
    word = " ".join(word.split())
    if word in known:
        return known[word]
    if word[0].isdigit():
        return int(word)
    tens, _, rest = word.replace("-", " ").partition(" ")
    return language.words["tens"][tens] + (known[rest] if rest else 0)


@lru_cache(maxsize=32)
def scanner(languages: tuple[str | Language, ...], *, questions: bool = False) -> Scanner:
    """The scanner for these languages, built once."""
    from byheart.dates.languages import table  # the tables are large, and many programs never need them

    return Scanner([table(language) for language in languages], questions=questions)


def check_languages(languages: object) -> tuple[str | Language, ...]:
    """Languages as a tuple, each a code with a table or a table that can be used.

    Raises TypeError for anything else, ValueError for a code without a table and for a table with a wrong pattern.
    """
    from byheart.dates.languages import check

    if isinstance(languages, str) or not isinstance(languages, Iterable):
        raise TypeError(f"languages must be a sequence of codes such as ('en',), got {languages!r}")
    checked = tuple(languages)
    for language in checked:
        check(language)
        if isinstance(language, Language):
            _check_table(language)
    return checked


def _check_table(language: Language) -> None:
    pattern = ""
    try:
        for questions in (False, True):
            scanner((language,), questions=questions)
        for pattern in (*(row for row, _ in _rows(language, questions=True)), *language.cues.values()):
            re.compile(expand(pattern, language.words, capture=False)[0])
    except re.error as error:
        raise ValueError(f"languages: {language!r}: pattern {pattern!r}: {error}") from None
    except ValueError as error:
        raise ValueError(f"languages: {language!r}: {error}") from None
