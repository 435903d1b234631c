"""Conversations of any length: seeded text whose vocabulary grows as that of people does.

Half of the words are function words of English. Content words are made up, and their frequencies follow Zipf's law as
B. Mandelbrot amended it, 1 / (rank + shift), up to a few thousand words; behind those the exponent is nearly
two (R. Ferrer i Cancho and R. V. Solé, "Two regimes in the frequency of words", 2001), drawn from a distribution without
an end. So words that were never said keep appearing, and more and more slowly. Each sitting has a few subjects, whose words
come up again and again in it and then rarely.

A longer conversation of the same seed begins with the shorter one.
"""

from __future__ import annotations

import bisect
import datetime
import itertools
import random
from collections.abc import Iterator
from typing import Final

Row = tuple[str, str, str]
"""A turn: role, text, when."""

# In about the order of their frequency.
_FUNCTION: Final = (
    "the and to a i you it of that in is so for was on with my have but we they me this be are not just at your what "
    "do can he she how about up there all if her him from them out as when will would had some then who were really "
    "an our by or did has been which been more after us their than very too because where before into over any"
).split()
_DATED: Final = ("yesterday", "last week", "tomorrow", "three days ago", "next month", "last Saturday")
_SHARE_FUNCTION: Final = 0.48  # of all words
_SHARE_DATED: Final = 0.003
_SHARE_SUBJECT: Final = 0.15  # of content words: those of the sitting's subjects
_SUBJECTS: Final = 6  # words a sitting
_SITTING: Final = 24  # turns
_A_DAY: Final = 8  # sittings
_KERNEL: Final = 2_500  # words up to which the exponent is one
_SHIFT: Final = 8
_EXPONENT: Final = 1.9  # behind them
_ENDINGS: Final = (*[""] * 9, "s", "ed", "ing")
_SYLLABLES: Final = [c + v for v in "aoiue" for c in "bdfgklmnprstvz"]
_LENGTHS: Final = (12, 16, 20, 24, 28, 32, 36, 42, 57)  # words a turn, all as likely
_OPENINGS: Final = (
    "What did you say about {}?", "When did we talk about {}?", "Do you remember {}?", "How was it with {}?",
    "Who was it that told us about {}?",
)  # fmt: skip


def word(rank: int) -> str:
    """The content word of this rank, from 0 on: no two are the same.

    >>> word(0), word(1), word(4_900)
    ('baba', 'bada', 'babada')
    """
    base, length = len(_SYLLABLES), 2
    while rank >= base**length:
        rank -= base**length
        length += 1
    syllables = []
    for _ in range(length):
        rank, place = divmod(rank, base)
        syllables.append(_SYLLABLES[place])
    return "".join(reversed(syllables))


class Talk:
    """Words and turns of one seed, drawn one after the other."""

    def __init__(self, seed: int = 1) -> None:
        self._draw = random.Random(seed)
        self._function = list(itertools.accumulate(1 / (rank + 3) for rank in range(len(_FUNCTION))))
        kernel = list(itertools.accumulate(1 / (rank + _SHIFT) for rank in range(_KERNEL)))
        # what lies behind the kernel, had it the same frequency at its edge
        behind = (_KERNEL / (_KERNEL + _SHIFT)) / (_EXPONENT - 1)
        self._content = [*kernel, kernel[-1] + behind]

    def _rank(self) -> int:
        """Of a content word."""
        at = bisect.bisect(self._content, self._draw.random() * self._content[-1])
        if at < _KERNEL:
            return at
        return int(_KERNEL * (1 - self._draw.random()) ** (-1 / (_EXPONENT - 1)))

    def _words(self, count: int, subjects: list[str]) -> Iterator[str]:
        draw = self._draw
        for _ in range(count):
            kind = draw.random()
            if kind < _SHARE_FUNCTION:
                at = bisect.bisect(self._function, draw.random() * self._function[-1])
                yield _FUNCTION[at]
            elif kind < _SHARE_FUNCTION + _SHARE_DATED:
                yield draw.choice(_DATED)
            else:
                chosen = draw.choice(subjects) if draw.random() < _SHARE_SUBJECT else word(self._rank())
                yield chosen + draw.choice(_ENDINGS)

    def _text(self, subjects: list[str]) -> str:
        sentences = []
        words = list(self._words(self._draw.choice(_LENGTHS), subjects))
        for at in range(0, len(words), 9):
            sentence = " ".join(words[at : at + 9])
            sentences.append(sentence[0].upper() + sentence[1:])
        return ". ".join(sentences) + "."

    def rows(self, turns: int | None = None) -> Iterator[Row]:
        """``turns`` turns, without end if it is None; about 150 characters each, user and assistant by turns."""
        day = datetime.date(2001, 1, 1)
        subjects: list[str] = []
        when = ""
        for at in itertools.count() if turns is None else range(turns):
            if at % _SITTING == 0:
                sitting = at // _SITTING
                date = day + datetime.timedelta(days=sitting // _A_DAY)
                subjects = [word(int(20 * 500 ** self._draw.random())) for _ in range(_SUBJECTS)]
                when = f"{1 + sitting % _A_DAY}:{self._draw.randrange(60):02} pm on {date.day} {date:%B}, {date.year}"
            yield ("assistant" if at % 2 else "user"), self._text(subjects), when


def question(text: str, draw: random.Random) -> str:
    """A question about a turn with this text: two to four of its content words, as people ask."""
    said = dict.fromkeys(word.strip(".").lower() for word in text.split())
    content = [each for each in said if each not in _FUNCTION]
    asked = draw.sample(content, min(len(content), draw.randint(2, 4)))
    return draw.choice(_OPENINGS).format(" and ".join(asked))
