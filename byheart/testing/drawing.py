"""What a memory hands to plugins, drawn by hypothesis or plain: texts of stretches, questions, turns."""

from __future__ import annotations

from typing import Any

from byheart.testing.driving import hypothesis

Turn = dict[str, Any]
"""A turn with ``role``, ``text`` and ``when``."""

PLAIN_INDEXES: list[list[str]] = [
    ["user: the cat likes tuna", "user: we moved to Lyon with the cat", "assistant: so Lyon\n  it is"],
    [],
    ["user: we moved to Lyon with the cat", "user: the cat likes tuna", "user: we moved to Lyon with the cat"],
    ["", " ", "user: ", "\n", "user: the cat likes tuna", ""],
    ["user: the cat likes tuna"] * 4,
    [""],
]
"""Texts inserted, deleted, moved, repeated, blank, and none at all: each is fitted after the one before."""

PLAIN_QUERIES = ["has the cat moved to Lyon", "tuna", "zebra", "", " \n"]

PLAIN_CUTS: list[tuple[int, list[str]]] = [
    (0, ["user: we moved to Lyon", "user: the cat likes tuna"]),
    (2, ["", "user: the cat likes tuna"]),
    (1, ["user: the cat likes tuna"]),
    (2, []),
    (1, []),
    (1, ["user: we moved to Lyon", "assistant: Lyon it is"]),
    (0, []),
]
"""Where an index is cut, and what follows from there."""

PLAIN_CONVERSATION: list[Turn] = [
    {"role": ("user", "assistant")[at % 2], "text": text, "when": f"{1 + at // 2} May 2023"}
    for at, text in enumerate(
        f"{subject} {what}"
        for what in ("came up first", "again, of course", "and the weather in Lyon", "at last")
        for subject in ("the cat", "our house", "that price of 55 euro", "moving", "tuna", "кошка")
    )
]
"""Long enough to be selected from by a memory with a budget of 400 characters."""

PLAIN_TURNS: list[list[Turn]] = [
    [],
    [{"role": "user", "text": "", "when": None}],
    [{"role": "user", "text": "the cat likes tuna " * 400, "when": "8 May 2023"}],
    [{"role": ("user", "assistant")[at % 2], "text": f"turn {at}", "when": None} for at in range(40)],
]

_WORDS = [
    *("the", "a", "we", "to", "moved", "moving", "movers", "house", "houses", "cat", "cats", "tuna", "Lyon"),
    *("55", "55.50", "2031", "euro", "café", "naïve", "don't", "e-mail", "snake_case", "C++", "x", "…", "😀"),
    *("кошка", "кошки", "дом", "猫が好き", "東京", "كتاب", "한국어", "Straße", "İstanbul"),
]
_DATES = [None, "8 May 2023", "9 May, 2023", "2023-05-10", "2023-05-10T09:30:00", "some day"]


def texts() -> Any:
    """One text of a stretch: a date line perhaps, then a line a turn; now and then blank or anything."""
    st = hypothesis().strategies
    words = st.lists(st.sampled_from(_WORDS), max_size=8).map(" ".join)
    ends = st.sampled_from(("", "\n  more"))
    turn = st.builds("{}: {}{}".format, st.sampled_from(("user", "assistant")), words, ends)
    lines = st.lists(turn, min_size=1, max_size=4).map("\n".join)
    dated = st.builds("{}{}".format, st.sampled_from(("", "[8 May 2023]\n")), lines)
    blank = st.sampled_from(("", " ", "\n", "\t \u3000", "user: ", "...", "the the the"))
    return st.one_of(dated, dated, dated, blank, st.text(max_size=20))


def indexes(count: int) -> Any:
    """``count`` lists of texts from one small pool: each is the last with texts come, gone or moved."""
    st = hypothesis().strategies
    pool = st.lists(texts(), min_size=1, max_size=6)
    return pool.flatmap(
        lambda pool: st.lists(st.lists(st.sampled_from(pool), max_size=7), min_size=count, max_size=count)
    )


def queries() -> Any:
    """A question: known words, unknown ones, nothing at all, anything."""
    st = hypothesis().strategies
    words = st.lists(st.sampled_from((*_WORDS, "zebra", "Unbekanntes")), min_size=1, max_size=5).map(" ".join)
    return st.one_of(words, words, st.sampled_from(("", "  ", "?", "why?")), st.text(max_size=12))


def cuts() -> Any:
    """Changes to the end of an index: where it is cut (modulo its length), and what follows."""
    st = hypothesis().strategies
    change = st.tuples(st.integers(0, 7), st.lists(texts(), max_size=3))
    return st.lists(change, min_size=1, max_size=4)


def turns() -> Any:
    """The turns of an open stretch, some of them blank, some longer than a stretch is meant to be."""
    st = hypothesis().strategies
    long = st.builds(str.__mul__, st.sampled_from(("long reply. ", "猫", "\n")), st.integers(0, 300))
    turn = st.fixed_dictionaries(
        {
            "role": st.sampled_from(("user", "assistant")),
            "text": st.one_of(texts(), long),
            "when": st.sampled_from(_DATES),
        }
    )
    return st.lists(turn, max_size=12)
