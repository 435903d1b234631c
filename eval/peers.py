"""Rankings by others, and the filling that is the same for all of them.

Each peer is given the same stretches as byheart, rendered the same way, and the room is filled
from its order: best first, whole stretches, passing over one that does not fit.
"""

from __future__ import annotations

import itertools
import re
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .data import parse_date

MARKER_SIZE = len("[from earlier in the conversation]\n")

#: A query's ranking: positions of the stretches, best first; those with nothing in common left out.
Rank = Callable[[str], Sequence[int]]

_WORD = re.compile(r"\w+")


def words(text: str) -> list[str]:
    """Lower-case runs of word characters.

    >>> words("It's 5 o'clock")
    ['it', 's', '5', 'o', 'clock']
    """
    return _WORD.findall(text.lower())


def okapi(docs: Sequence[str]) -> Rank:
    """BM25Okapi of rank-bm25 over plain words."""
    from rank_bm25 import BM25Okapi

    index = BM25Okapi([words(text) for text in docs])

    def rank(query: str) -> Sequence[int]:
        scores = index.get_scores(words(query))
        return sorted(range(len(docs)), key=lambda i: (-scores[i], -i))

    return rank


def bm25s(docs: Sequence[str]) -> Rank:
    """bm25s as its documentation sets it up for English: its stop words, Snowball stemming."""
    import bm25s as library
    import Stemmer

    stemmer = Stemmer.Stemmer("english")

    def tokens(texts: list[str]) -> Any:
        return library.tokenize(texts, stopwords="en", stemmer=stemmer, show_progress=False)

    index = library.BM25()
    index.index(tokens(list(docs)), show_progress=False)

    def rank(query: str) -> Sequence[int]:
        found, scores = index.retrieve(tokens([query]), k=len(docs), show_progress=False)
        return [int(i) for i, score in zip(found[0], scores[0], strict=True) if score > 0]

    return rank


def any_word(query: str) -> str:
    """A query for SQLite's full-text index: any of these words; "" where there is none.

    >>> any_word("Who's there, who?")
    '"who" OR "s" OR "there"'
    """
    return " OR ".join(f'"{word}"' for word in dict.fromkeys(words(query)))


def fts5(docs: Sequence[str]) -> Rank:
    """SQLite's full-text index with its porter tokenizer, any of the query's words, its own bm25()."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE VIRTUAL TABLE stretch USING fts5(text, tokenize = 'porter unicode61')")
    database.executemany("INSERT INTO stretch(rowid, text) VALUES (?, ?)", enumerate(docs, 1))

    def rank(query: str) -> Sequence[int]:
        wanted = any_word(query)
        if not wanted:
            return []
        rows = database.execute(
            "SELECT rowid FROM stretch WHERE stretch MATCH ? ORDER BY bm25(stretch), rowid DESC", (wanted,)
        )
        return [row[0] - 1 for row in rows]

    return rank


def newest(docs: Sequence[str]) -> Rank:
    """The newest stretches, whatever is asked: the sliding window as a baseline."""
    order = list(range(len(docs) - 1, -1, -1))
    return lambda query: order


RANKINGS: dict[str, Callable[[Sequence[str]], Rank]] = {
    "rank-bm25 Okapi": okapi,
    "bm25s": bm25s,
    "SQLite FTS5 porter": fts5,
    "newest first": newest,
}


def day(when: str) -> str:
    """A date as byheart shows it; what is no date of LoCoMo's stays as it is.

    >>> day("1:56 pm on 8 May, 2023"), day("2024-01-09")
    ('8 May 2023', '2024-01-09')
    """
    date = parse_date(when)
    return f"{date.day} {date:%B %Y}" if date else when


@dataclass(frozen=True)
class Stretches:
    """Stretches as texts to rank, and what sending one costs.

    A date line is paid for once, however many stretches of that day are sent, as in byheart's blocks.
    """

    cuts: tuple[int, ...]
    days: list[str]
    bodies: list[str]

    @classmethod
    def cut(cls, rows: Sequence[tuple[str, str, str]], starts: Sequence[int]) -> Stretches:
        cuts = (*starts, len(rows))
        bodies = ["\n".join(f"{role}: {text}" for role, text, _ in rows[lo:hi]) for lo, hi in itertools.pairwise(cuts)]
        return cls(cuts, [day(rows[lo][2]) for lo in starts], bodies)

    @property
    def texts(self) -> list[str]:
        """Each as it would be sent alone: its date line, then each turn behind its role."""
        return [f"[{date}]\n{body}" if date else body for date, body in zip(self.days, self.bodies, strict=True)]

    def turns(self, position: int) -> range:
        return range(self.cuts[position], self.cuts[position + 1])

    def fill(self, order: Sequence[int], budget: int) -> list[int]:
        """Positions that fit into ``budget`` characters, taken in order, one that does not fit passed over.

        >>> stretches = Stretches.cut([("user", "x" * n, "") for n in (60, 30, 50)], [0, 1, 2])
        >>> stretches.fill([2, 0, 1], 150)
        [2, 1]
        """
        taken, room, dated = [], budget - MARKER_SIZE, {""}
        for position in order:
            date = self.days[position]
            cost = len(self.bodies[position]) + 1 + (0 if date in dated else len(date) + 3)
            if cost <= room:
                taken.append(position)
                dated.add(date)
                room -= cost
        return taken


def plain_cuts(rows: Sequence[tuple[str, str, str]], size: int = 500, long: int = 1000) -> list[int]:
    """Simple stretches for when byheart's own are not asked for: a new one where the date changes,
    at a user turn once ``size`` characters are reached, and around a turn longer than ``long``."""
    cuts, held = [0], 0
    for index, (role, text, when) in enumerate(rows):
        if index and (
            when != rows[index - 1][2]
            or len(text) > long
            or len(rows[index - 1][1]) > long
            or (held >= size and role == "user")
        ):
            cuts.append(index)
            held = 0
        held += len(text)
    return cuts
