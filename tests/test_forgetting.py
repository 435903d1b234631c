"""What was redacted or truncated is gone from everything a memory leads to, and what stays is as it was."""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tempfile
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from byheart import Memory, hookimpl, load

Reachable = Callable[[object], str]


# by what turns hold


def said(memory: Memory) -> list[str]:
    return [turn["text"] for turn in memory.turns]


def test_every_turn_that_holds_the_words_is_redacted_and_no_other() -> None:
    memory = Memory()
    memory.extend([("user", "my key is x-47"), ("assistant", "x-47?\nnoted"), ("user", "X-47 is no key, x 47 neither")])
    assert memory.redact_matching("x-47") == [0, 1]
    assert said(memory) == ["[redacted]", "[redacted]", "X-47 is no key, x 47 neither"]
    assert memory.to_dict()["redacted"] == [0, 1]


@pytest.mark.parametrize("words", ["a.b", "(", "$", "\\d", "[a]", "\n", "\0", "\ud800", "猫", "*"])
def test_a_str_is_looked_for_letter_for_letter(words: str) -> None:
    memory = Memory()
    memory.extend([("user", "aXb 7 a"), ("user", f"here {words} it is"), ("user", "nothing of it")])
    assert memory.redact_matching(words) == [1]


def test_a_compiled_pattern_is_searched_for() -> None:
    memory = Memory()
    memory.extend([("user", "call Anna"), ("user", "ANNA and Bob"), ("user", "Hannah"), ("user", "Joanna\nanna!")])
    assert memory.redact_matching(re.compile(r"\banna\b", re.IGNORECASE)) == [0, 1, 3]


@pytest.mark.parametrize(
    ("pattern", "error", "says"),
    [
        ("", ValueError, "must not be empty"),
        (re.compile(""), ValueError, "an empty place"),
        (re.compile("x*"), ValueError, "an empty place"),
        (re.compile(r"\b"), ValueError, r"'\\\\b' matches an empty place"),
        (re.compile("(?=second)"), ValueError, "an empty place"),
        (re.compile(b"x"), TypeError, "must be a str or a compiled re.Pattern of str"),
        (b"x", TypeError, "got b'x'"),
        (5, TypeError, "got 5"),
        (None, TypeError, "got None"),
        (["x"], TypeError, "got"),
    ],
)
def test_a_pattern_that_would_match_everything_or_is_none_is_refused(pattern: Any, error: type, says: str) -> None:
    memory = Memory()
    memory.extend([("user", "the first"), ("assistant", "the second")])
    with pytest.raises(error, match=says):
        memory.redact_matching(pattern)
    assert said(memory) == ["the first", "the second"]


@pytest.mark.parametrize("pattern", ["", re.compile("x*"), re.compile("^")])
def test_a_pattern_that_matches_everything_is_refused_where_there_is_nothing_yet(pattern: Any) -> None:
    with pytest.raises(ValueError, match="pattern must"):
        Memory().redact_matching(pattern)


def test_what_was_redacted_before_is_not_looked_at_and_nothing_found_is_no_error() -> None:
    memory = Memory()
    memory.extend([("user", "a secret"), ("user", "someone said [redacted], in brackets")])
    assert memory.redact_matching("secret") == [0]
    assert memory.redact_matching("secret") == []
    assert memory.redact_matching("[redacted]") == [1]
    assert Memory().redact_matching("x") == []


def test_a_when_that_is_no_date_counts_as_words_and_one_that_is_does_not() -> None:
    memory = Memory()
    memory.append("user", "hello", when="the day of xyzzy")
    memory.append("user", "hello", when="8 May 2023")
    assert memory.redact_matching("xyzzy") == [0]
    assert memory.redact_matching("May") == []
    assert [turn["when"] for turn in memory.turns] == [None, "8 May 2023"]


def test_many_turns_are_redacted_as_one_is_and_indexed_once() -> None:
    class Counting:
        fits = 0

        def fit(self, docs: Any) -> None:
            self.fits += 1
            self.docs = list(docs)

        def rank(self, query: str) -> list[int]:
            return list(range(len(self.docs)))

    retriever = Counting()
    one, other = (Memory(budget=400, chunk=50, retriever=each) for each in (retriever, Counting()))
    for memory in (one, other):
        memory.extend([("user", f"turn {at}, {'secret' if at % 3 == 0 else 'open'}") for at in range(60)])
        memory.compose("turn 5?")
    before = retriever.fits
    assert one.redact_matching("secret") == list(range(0, 60, 3))
    assert retriever.fits == before + 1
    assert "secret" not in "".join(retriever.docs)
    for at in range(0, 60, 3):
        other.redact(at)
    assert one.to_dict() == other.to_dict()
    assert one.compose("turn 7?") == other.compose("turn 7?")


# everything a memory leads to

DIMENSION = 64  # a turn has a number below it, and its vector the direction of that number
WORD = re.compile(r"w(\d+)q")
HANDED: list[str] = []  # what encoders were given


class Numbers:
    """An encoder in whose vectors it shows of which turns they are. It keeps nothing."""

    fails = False

    def encode(self, texts: list[str]) -> Any:
        import numpy as np

        if self.fails:
            raise ConnectionError("no encoder today")
        HANDED.extend(texts)
        rows = np.zeros((len(texts), DIMENSION))
        for row, text in zip(rows, texts, strict=True):
            row[0] = 0.5
            for number in WORD.findall(text):
                row[int(number)] = 1.0
        return rows


class Plain:
    def fit(self, docs: Any) -> None:
        self.docs = list(docs)

    def rank(self, query: str) -> list[int]:
        return list(range(len(self.docs)))


class Around:
    @hookimpl(wrapper=True)
    def rank(self, query: str) -> Any:
        return (yield)


def dense(folder: Path, encoder: object) -> object:
    return load("dense", model=encoder, vectors=folder / "vectors.npz")


def hybrid(folder: Path, encoder: object) -> object:
    return load("hybrid", dense=dense(folder, encoder))


RETRIEVERS: dict[str, Callable[[Path, object], Any]] = {
    "builtin": lambda folder, encoder: None,
    "plain": lambda folder, encoder: Plain(),
    "bm25": lambda folder, encoder: load("bm25"),
    "dense": dense,
    "hybrid": hybrid,
}
NEEDS = {"bm25": ("numpy", "rank_bm25", "Stemmer"), "dense": ("numpy",), "hybrid": ("numpy",)}


def arrays(root: object) -> Iterator[Any]:
    """Every array of numpy that an object leads to."""
    numpy = sys.modules.get("numpy")
    seen: set[int] = set()
    todo = [root]
    while numpy is not None and todo:
        each = todo.pop()
        if id(each) in seen or isinstance(each, (type, str, bytes, int, float)):
            continue
        seen.add(id(each))
        if isinstance(each, numpy.ndarray):
            yield each
            todo.append(each.base)
        elif type(each).__module__.startswith(("byheart", "collections", "builtins", "tests", "test_")):
            todo += each if isinstance(each, (list, tuple, set)) else ()
            todo += [*each.keys(), *each.values()] if isinstance(each, dict) else ()
            todo += vars(each).values() if hasattr(each, "__dict__") else ()
            slots = [name for cls in type(each).__mro__ for name in getattr(cls, "__slots__", ())]
            todo += [getattr(each, name, None) for name in slots]


def modules() -> list[object]:
    """What the modules of byheart and the classes in them hold, the caches of functions included."""
    found = [vars(module) for name, module in sys.modules.items() if name.split(".")[0].startswith("byheart")]
    return [*found, *(dict(vars(each)) for held in found for each in held.values() if isinstance(each, type))]


def where_found(numbers: Collection[int], memory: Memory, reachable: Reachable, folder: Path) -> dict[str, set[int]]:
    """Where something of the turns with these numbers can still be found."""
    places = {
        "the memory": reachable(memory),
        "the saved state": json.dumps(memory.to_dict()),
    }
    found = {place: {int(word) for word in WORD.findall(text)} for place, text in places.items()}
    found["arrays"] = set().union(
        *(set(columns(array)) for array in arrays(memory) if array.ndim == 2 and array.shape[1] == DIMENSION)
    )
    file = folder / "vectors.npz"
    if file.exists():
        import numpy as np

        with np.load(file) as stored:
            found["the file of vectors"] = set(columns(stored["vectors"]))
            prints = stored["fingerprints"].tobytes()
        texts = [text for text in HANDED if hashlib.blake2b(text.encode(), digest_size=16).digest() in prints]
        found["the file's fingerprints"] = {int(word) for text in texts for word in WORD.findall(text)}
    return {place: left for place in found if (left := found[place] & set(numbers))}


def columns(array: Any) -> list[int]:
    """The numbers that show in vectors."""
    return [int(column) for column in (array != 0).any(axis=0).nonzero()[0]]


STEPS = st.lists(
    st.tuples(
        st.sampled_from(
            ["append"] * 5 + ["ask"] * 3 + ["search", "redact", "redact", "matching", "truncate", "bounds", "restart"]
        ),
        st.integers(0, 10_000),
    ),
    min_size=8, max_size=60,
)  # fmt: skip


@pytest.mark.parametrize("name", RETRIEVERS)
def test_nothing_of_a_forgotten_turn_is_anywhere(name: str, reachable: Reachable, effort: Callable[[int], int]) -> None:
    for module in NEEDS.get(name, ()):
        pytest.importorskip(module)

    @settings(max_examples=effort(15))
    @given(STEPS)
    def lives(steps: list[tuple[str, int]]) -> None:
        HANDED.clear()
        with tempfile.TemporaryDirectory() as folder:
            live(name, Path(folder), steps, reachable)

    lives()


def live(name: str, folder: Path, steps: list[tuple[str, int]], reachable: Reachable) -> None:
    encoder = Numbers()

    def options() -> dict[str, Any]:
        return {
            "budget": 300, "chunk": 60, "retriever": RETRIEVERS[name](folder, encoder), "plugins": [Around()],
            "external": lambda query: [{"text": "as is well known, w63q is a number", "source": "wiki"}],
            "languages": ("en", "de"),
        }  # fmt: skip

    memory = Memory(**options())
    number = 0
    held: list[int | None] = []  # for each turn the number of its word, None where it was redacted
    gone: set[int] = set()
    for kind, value in steps:
        encoder.fails = value % 10 == 9  # what is to be forgotten is forgotten whether or not there is an encoder
        if kind == "append" and number < DIMENSION - 3:
            number += 1
            words = " and".join([f" we met w{number}q last Friday"] * (1 + value % 9))
            when = [None, f"{1 + value % 28} May 2023", f"the day of w{number}q", "03/04/2023"][value % 4]
            memory.append("user" if value % 2 else "assistant", words, when=when)
            held.append(number)
        elif kind in ("ask", "search"):
            encoder.fails = False
            known = [each for each in held if each] or [62]
            query = f"who is w{known[value % len(known)]}q, whom we met?"
            if kind == "search":
                memory.search(query, when="9 May 2023")
            else:
                memory.compose(query, when=f"9 May {2023 + value % 2}", dry_run=value % 5 == 0)
        elif kind == "redact" and held:
            at = value % len(held)
            gone |= {held[at]} - {None}  # type: ignore[arg-type]
            memory.redact(at)
            held[at] = None
        elif kind == "matching" and number:
            chosen = re.compile(f"w[0-9]*{value % 10}q")
            found = [at for at, each in enumerate(held) if each is not None and each % 10 == value % 10]
            assert memory.redact_matching(chosen) == found
            gone |= {held[at] for at in found}  # type: ignore[misc]
            held = [None if at in found else each for at, each in enumerate(held)]
        elif kind == "truncate" and held:
            at = max(0, len(held) - 1 - value % 5)
            gone |= {each for each in held[at:] if each is not None}
            memory.truncate(at)
            del held[at:]
        elif kind == "bounds" and held:
            memory.bounds = [0, *range(1 + value % 3, len(held), 2)]
        elif kind == "restart":
            encoder.fails = False
            memory = Memory.from_dict(json.loads(json.dumps(memory.to_dict())), **options())
            memory.search("whom did we meet?")  # a file of vectors is gone through when it is first asked
        else:
            continue
        encoder.fails = False
        if kind not in ("append", "bounds"):
            assert where_found(gone, memory, reachable, folder) == {}, f"after {kind}"
    encoder.fails = False
    restored = Memory.from_dict(memory.to_dict(), **options())
    restored.search("whom did we meet?")
    assert where_found(gone, restored, reachable, folder) == {}
    text = reachable(modules())
    assert not [each for each in gone if f"w{each}q" in text]


def test_an_encoder_that_fails_keeps_no_redacted_word_and_the_next_question_says_what_is_wrong(
    reachable: Reachable, tmp_path: Path
) -> None:
    pytest.importorskip("numpy")
    encoder = Numbers()
    memory = Memory(budget=300, chunk=60, retriever=dense(tmp_path, encoder))
    memory.extend([("user", f"turn {at} is about w{at}q") for at in range(1, 40)])
    memory.compose("w3q?")
    encoder.fails = True
    memory.redact(5)
    assert where_found({6}, memory, reachable, tmp_path) == {}
    with pytest.raises(Exception, match="no encoder today"):
        memory.compose("w3q?")
    encoder.fails = False
    before = len(HANDED)
    assert memory.search("w3q")[0]["score"] > 0
    assert not any("w1q" in text for text in HANDED[before:]), "what stands before it need not be embedded again"
