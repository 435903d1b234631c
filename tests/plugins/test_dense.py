"""The plugin ``dense`` with a toy encoder: what is embedded, kept, found, saved and refused."""

from __future__ import annotations

import io
import math
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from byheart import Memory, PluginError, SnapshotError
from byheart.testing import check_retriever

if not os.environ.get("BYHEART_REQUIRE_DENSE"):
    pytest.importorskip("byheart_dense", reason="byheart_dense is not installed: pip install 'byheart[dense]'")

from byheart_dense import build
from byheart_dense.progress import TerminalProgress
from byheart_dense.windows import windows

pytestmark = pytest.mark.usefixtures("_numpy")

DOCS = ["the cat likes tuna", "we moved to Lyon in May", "rain fell all day"]


class Plain:
    """An encoder with nothing but ``encode``."""

    def __init__(self, answer: Any = None) -> None:
        self.seen: list[str] = []
        self.answer = answer

    def encode(self, texts: list[str]) -> Any:
        self.seen += texts
        if self.answer is not None:
            return self.answer(texts)
        return [[len(text), 1.0] for text in texts]


# -- what is found ------------------------------------------------------------------------------------------------


def test_it_keeps_what_a_retriever_promises(new_toy: Callable[..., Any]) -> None:
    encoder = new_toy()
    check_retriever(lambda: build(model=encoder, progress=False), max_examples=15)


def test_distances_are_cosines_and_the_order_is_by_cosines_of_what_texts_have_not_in_common(
    new_toy: Callable[..., Any],
) -> None:
    import numpy as np

    def unit(rows: Any) -> Any:
        return rows / np.linalg.norm(rows, axis=-1, keepdims=True)

    encoder = new_toy()
    docs = [f"all of them say word{i} word{i % 7} word{i % 3}" for i in range(200)]
    retriever = build(model=encoder)
    retriever.fit(docs)
    vectors = unit(encoder.encode_document(docs))
    asked = unit(encoder.encode_query(["all say word3 word5"])[0])
    assert retriever.distances("all say word3 word5") == pytest.approx((1 - vectors @ asked).tolist(), abs=1e-6)
    centre = vectors.sum(axis=0) / (len(docs) + 10)
    near = unit(vectors - centre) @ unit(asked - 0.75 * centre)
    assert retriever.rank("all say word3 word5", 200) == np.argsort(-near).tolist()
    scores = retriever.scores("all say word3 word5", None)
    assert scores == pytest.approx((np.maximum(0, near - near.mean()) + 0.01 * (1 + near) / 2).tolist(), abs=1e-5)


def test_a_text_is_not_raised_for_being_like_all_the_others() -> None:
    class Leaning:
        """One direction is in every vector, as in those of many models; a text may have more or less of it."""

        def encode(self, texts: list[str]) -> Any:
            known = {"usual": [9.0, 0.0, 3.0], "found": [3.0, 2.5, 0.0], "asked": [9.0, 2.0, 0.0]}
            return [known.get(text, [6.0, -1.0, 1.0 if len(text) % 2 else -1.0]) for text in texts]

    retriever = build(model=Leaning())
    retriever.fit(["usual", "found", *("other" * count for count in range(1, 40))])
    usual, found = retriever.distances("asked", [0, 1])
    assert usual is not None
    assert found is not None
    assert usual < found
    assert retriever.rank("asked", 1) == [1]


def test_of_equal_texts_the_newer_comes_first(toy: Any) -> None:
    retriever = build(model=toy)
    retriever.fit(["a cat", "a dog", "a cat"])
    assert retriever.rank("cat", 2) == [2, 0]


def test_scores_fall_in_the_order_of_rank_and_are_near_zero_for_the_average_text(toy: Any) -> None:
    retriever = build(model=toy)
    docs = [*DOCS, *(f"filler{i} text" for i in range(30))]
    retriever.fit(docs)
    scores = retriever.scores("we moved to Lyon", None)
    order = retriever.rank("we moved to Lyon", len(docs))
    assert [scores[at] for at in order] == sorted(scores, reverse=True)
    assert order[0] == 1
    assert scores[1] > 0.2
    assert sorted(scores)[len(scores) // 2] < 0.1
    assert retriever.scores("we moved to Lyon", [2, 1]) == [scores[2], scores[1]]


def test_the_only_text_has_a_score_above_zero(toy: Any) -> None:
    retriever = build(model=toy)
    retriever.fit(["the cat"])
    assert retriever.scores("cat", None)[0] > 0


def test_blank_texts_are_not_embedded_and_not_found(toy: Any) -> None:
    retriever = build(model=toy)
    retriever.fit(["", "a cat", " \n"])
    assert toy.texts == ["a cat"]
    assert retriever.rank("cat", 3) == [1]
    assert retriever.scores("cat", None)[0] == 0.0
    assert retriever.distances("cat")[0] is None


def test_a_blank_question_finds_nothing(toy: Any) -> None:
    retriever = build(model=toy)
    retriever.fit(DOCS)
    assert retriever.rank("  ", 3) == []
    assert retriever.scores("  ", None) == [0.0, 0.0, 0.0]


def test_an_empty_index_gives_an_empty_answer(toy: Any) -> None:
    retriever = build(model=toy)
    assert retriever.rank("cat", 3) == []
    retriever.fit([])
    assert retriever.rank("cat", 3) == []
    assert retriever.scores("cat", None) == []


def test_half_a_character_is_embedded_as_its_replacement(toy: Any) -> None:
    retriever = build(model=toy)
    retriever.fit(["a cat \ud83d", "a dog"])
    assert toy.texts[0] == "a cat \ufffd"
    assert retriever.rank("cat \udc00", 1) == [0]


# -- what is embedded, and when it is forgotten -------------------------------------------------------------------


def test_only_new_texts_are_embedded_whatever_their_place(toy: Any) -> None:
    retriever = build(model=toy)
    retriever.fit(DOCS)
    toy.groups.clear()
    retriever.fit([DOCS[2], "something new", DOCS[0], DOCS[2]])
    assert toy.texts == ["something new"]
    retriever.extend(3, [DOCS[0], "newer still"])
    assert toy.texts == ["something new", "newer still"]


def test_a_text_that_is_gone_is_forgotten(toy: Any) -> None:
    retriever = build(model=toy)
    retriever.fit(DOCS)
    vectors = retriever._table.vectors(DOCS[0])
    assert vectors.any()
    retriever.fit(DOCS[1:])
    assert retriever._table.texts() == DOCS[1:]
    assert not vectors.any()  # the matrix itself holds nothing of it
    toy.groups.clear()
    retriever.fit(DOCS)
    assert toy.texts == [DOCS[0]]


def test_equal_texts_are_embedded_once_and_kept_until_the_last_is_gone(toy: Any) -> None:
    retriever = build(model=toy)
    retriever.fit(["a cat", "a cat", "a dog"])
    assert toy.texts == ["a cat", "a dog"]
    retriever.extend(1, ["a dog"])
    assert toy.texts == ["a cat", "a dog"]
    assert retriever.rank("cat", 2) == [0, 1]


@given(st.lists(st.lists(st.sampled_from("abcdefgh"), max_size=6), min_size=1, max_size=8))
@settings(max_examples=60, deadline=None)
def test_after_any_changes_the_table_holds_the_present_texts_and_no_other(states: list[list[str]]) -> None:
    retriever = build(model=Plain())
    for state in states:
        retriever.fit(state)
    assert set(retriever._table.texts()) == set(states[-1])
    fresh = build(model=Plain())
    fresh.fit(states[-1])
    assert retriever.scores("abc", None) == fresh.scores("abc", None)
    assert retriever.rank("abc", 9) == fresh.rank("abc", 9)


def test_a_score_does_not_depend_on_what_stands_beside_the_text(new_toy: Callable[..., Any]) -> None:
    encoder = new_toy()
    alone, among = build(model=encoder), build(model=encoder)
    alone.fit(["the cat likes tuna"])
    among.fit([f"text number {i}" for i in range(1001)] + ["the cat likes tuna"])
    assert alone.distances("cat food") == among.distances("cat food")[-1:]


def test_vectors_are_float32_and_of_unit_length(toy: Any) -> None:
    import numpy as np

    retriever = build(model=toy)
    retriever.fit(DOCS)
    vectors = retriever._table.vectors(DOCS[1])
    assert vectors.dtype == np.float32
    assert vectors.shape == (1, retriever.dimension)
    assert np.linalg.norm(vectors) == pytest.approx(1)


def test_a_memory_has_the_open_stretch_embedded_again_and_nothing_else(toy: Any) -> None:
    memory = Memory(budget=500, chunk=100, retriever=build(model=toy))
    for number in range(40):
        memory.append("user", f"turn {number}: " + f"word{number} " * 6)
    memory.compose("tell me about word7")
    toy.groups.clear()
    memory.append("user", "one more thing about word40")
    memory.compose("tell me about word9")
    assert 1 <= len(toy.texts) <= 2
    assert all("turn 39" in text or "word40" in text for text in toy.texts)


def test_an_encoder_may_serve_two_memories(toy: Any) -> None:
    for said in ("a cat", "a dog"):
        memory = Memory(retriever=build(model=toy))
        memory.append("user", said)
        assert said in memory.search(said, limit=1)[0]["text"]


# -- encoders -----------------------------------------------------------------------------------------------------


def test_an_encoder_with_encode_alone_will_do() -> None:
    encoder = Plain()
    retriever = build(model=encoder)
    retriever.fit(["ab", "abcdefgh"])
    assert retriever.rank("abcdefg", 1) == [1]
    assert encoder.seen == ["ab", "abcdefgh", "abcdefg"]


def test_prompts_are_put_before_the_texts_of_any_encoder() -> None:
    encoder = Plain()
    retriever = build(model=encoder, prompts={"query": "Q: ", "document": "D: "})
    retriever.fit(["ab"])
    retriever.rank("cd", 1)
    assert encoder.seen == ["D: ab", "Q: cd"]


def test_an_encoder_is_handed_so_many_texts_at_once(toy: Any) -> None:
    retriever = build(model=toy, batch_size=2)
    retriever.fit(["a", "b", "c", "d", "e"])
    assert [len(group) for group in toy.groups] == [2, 2, 1]


def test_a_question_is_embedded_once_for_rank_and_scores() -> None:
    encoder = Plain()
    retriever = build(model=encoder)
    retriever.fit(["ab"])
    retriever.rank("cd", 1)
    retriever.scores("cd", None)
    assert encoder.seen == ["ab", "cd"]


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (lambda texts: [[1.0, 2.0]] * (len(texts) + 1), r"expected shape \(2, dimension\), got \(3, 2\)"),
        (lambda texts: [1.0] * len(texts), r"expected shape \(2, dimension\), got \(2,\)"),
        (lambda texts: [[]] * len(texts), "expected shape"),
        (lambda texts: [[math.nan, 1.0]] * len(texts), "expected finite numbers"),
        (lambda texts: ["x"] * len(texts), "expected an array of numbers, got list"),
        (lambda texts: [[1.0], [1.0, 2.0]], "expected an array of numbers"),
        (lambda texts: None, "expected an array of numbers, got NoneType|expected shape"),
    ],
)
def test_a_wrong_answer_of_an_encoder_is_named(answer: Callable[[list[str]], Any], says: str) -> None:
    retriever = build(model=Plain(answer))
    with pytest.raises(PluginError, match=f"the encoder Plain answered wrongly: .*{says}"):
        retriever.fit(["ab", "cd"])


def test_vectors_that_change_their_width_are_refused() -> None:
    retriever = build(model=Plain(lambda texts: [[1.0] * (2 if texts == ["ab"] else 3)] * len(texts)))
    retriever.fit(["ab"])
    with pytest.raises(PluginError, match="expected 2 numbers a text as before, got 3"):
        retriever.rank("cd", 1)


def test_an_encoder_that_fails_leaves_the_index_as_it_was_and_what_was_ready_is_not_embedded_twice() -> None:
    down = True

    def answer(texts: list[str]) -> Any:
        if down and "c" in texts:
            raise ConnectionError("service unavailable")
        return [[float(len(text)), 1.0] for text in texts]

    encoder = Plain(answer)
    retriever = build(model=encoder, batch_size=1)
    retriever.fit(["old"])
    with pytest.raises(ConnectionError):
        retriever.fit(["a", "b", "c"])
    assert retriever.rank("old", 5) == [0]
    down = False
    encoder.seen.clear()
    retriever.fit(["a", "b", "c"])
    assert encoder.seen == ["c"]
    assert len(retriever.rank("a", 5)) == 3


# -- windows ------------------------------------------------------------------------------------------------------


@given(
    st.text(alphabet="ab \nกе", max_size=80),
    st.integers(1, 15),
    st.sampled_from([0.0, 0.2, 0.5, 0.9]),
)
@settings(max_examples=300)
def test_windows_lose_no_character_and_none_is_too_long(text: str, limit: int, overlap: float) -> None:
    pieces = windows(text, len, limit, overlap)
    assert all(len(piece) <= limit for piece in pieces)
    ends, starts = (
        {0},
        {-1},
    )  # where the pieces so far may end and the last of them begin: some are found at many places
    for piece in pieces:
        places = {
            at
            for at in range(max(ends) + 1)
            if text.startswith(piece, at)
            and any(start < at <= end for start, end in zip(sorted(starts), sorted(ends), strict=True))
        }
        starts, ends = places, {at + len(piece) for at in places}
    assert len(text) in ends
    assert len(pieces) == 1 or len(text) > limit


@given(st.text(alphabet="abc  ", max_size=60), st.integers(1, 10))
@settings(max_examples=200)
def test_windows_measure_what_they_cut_even_where_sizes_do_not_add_up(text: str, limit: int) -> None:
    def words_and_ends(piece: str) -> int:
        return len(piece.split()) + len(piece) // 3

    pieces = windows(text, words_and_ends, limit)
    assert all(words_and_ends(piece) <= limit or len(piece) == 1 for piece in pieces)


def test_a_window_ends_with_a_line_or_a_word_where_one_is_near() -> None:
    text = "one two three\nfour five six seven eight"
    assert windows(text, len, 15, 0.0) == ["one two three\n", "four five six ", "seven eight"]


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="limit must be at least 1, got 0"):
        windows("text", len, 0)


def test_a_text_longer_than_the_window_scores_by_its_best_window(toy: Any) -> None:
    retriever = build(model=toy, window=40)
    retriever.fit(["nothing of note here " * 20 + "the cat likes tuna", "tuna and rice with other things"])
    assert max(map(len, toy.texts)) <= 40
    assert len(toy.texts) > 10
    assert retriever.rank("what does the cat like? the cat likes tuna", 1) == [0]
    best = min(
        build_distance(toy, piece, "the cat likes tuna") for piece in toy.texts[:-1]
    )  # all windows but the second text
    assert retriever.distances("the cat likes tuna")[0] == pytest.approx(best, abs=1e-6)


def build_distance(encoder: Any, text: str, query: str) -> float:
    retriever = build(model=encoder)
    retriever.fit([text])
    distance = retriever.distances(query)[0]
    assert distance is not None
    return distance


# -- saved vectors ------------------------------------------------------------------------------------------------


def test_saved_vectors_spare_the_encoding(new_toy: Callable[..., Any], tmp_path: Path) -> None:
    first = build(model=new_toy())
    first.fit([*DOCS, "", DOCS[0]])
    first.save_vectors(tmp_path / "talk.npz")
    encoder = new_toy()
    second = build(model=encoder)
    second.load_vectors(tmp_path / "talk.npz")
    encoder.groups.clear()
    second.fit([*DOCS, "", DOCS[0]])
    assert encoder.texts == []
    assert second.distances("cat") == first.distances("cat")


def test_loaded_vectors_of_no_present_text_are_forgotten(new_toy: Callable[..., Any], tmp_path: Path) -> None:
    first = build(model=new_toy())
    first.fit(DOCS)
    first.save_vectors(tmp_path / "talk.npz")
    encoder = new_toy()
    second = build(model=encoder)
    second.load_vectors(tmp_path / "talk.npz")
    second.fit(DOCS[:1])
    encoder.groups.clear()
    second.fit(DOCS)
    assert encoder.texts == DOCS[1:]


def test_a_file_of_vectors_is_read_at_the_start_and_written_when_texts_change(
    new_toy: Callable[..., Any], tmp_path: Path
) -> None:
    path = tmp_path / "talk.npz"
    build(model=new_toy(), vectors=path).fit(DOCS)
    encoder = new_toy()
    again = build(model=encoder, vectors=str(path))
    encoder.groups.clear()
    again.fit([*DOCS, "a dog"])
    assert encoder.texts == ["a dog"]
    before = path.read_bytes()
    again.fit([*DOCS, "a dog"])
    assert path.read_bytes() == before
    again.fit(DOCS[1:])
    third = new_toy()
    last = build(model=third, vectors=path)
    third.groups.clear()
    last.fit(DOCS)
    assert third.texts == [DOCS[0]]
    assert list(tmp_path.iterdir()) == [path]


def test_the_file_holds_no_text_and_no_pickle(toy: Any, tmp_path: Path) -> None:
    import numpy as np

    retriever = build(model=toy)
    retriever.fit(DOCS)
    retriever.save_vectors(tmp_path / "talk.npz")
    raw = (tmp_path / "talk.npz").read_bytes()
    assert b"tuna" not in raw
    with np.load(tmp_path / "talk.npz", allow_pickle=False) as stored:
        assert b'"model": "toy"' in bytes(stored["header"])
        assert stored["vectors"].dtype == np.float32


def renamed(encoder: Any, name: str) -> Any:
    encoder.name = name
    return encoder


@pytest.mark.parametrize(
    ("options", "field", "says"),
    [
        ({"name": "other"}, "model", "made with model 'toy', this plugin has 'other'"),
        ({"prompts": {"query": "q: "}}, "prompts", "made with prompts"),
        ({"dimension": 32}, "dimension", "made with dimension 64, this plugin has 32"),
    ],
)
def test_vectors_of_another_model_prompt_or_dimension_are_refused(
    new_toy: Callable[..., Any], tmp_path: Path, options: dict[str, Any], field: str, says: str
) -> None:
    path = tmp_path / "talk.npz"
    build(model=new_toy(), vectors=path).fit(DOCS)
    encoder = renamed(new_toy(options.get("dimension", 64)), options.get("name", "toy"))
    with pytest.raises(SnapshotError, match=says) as caught:
        build(model=encoder, prompts=options.get("prompts"), vectors=path)
    assert caught.value.field == field


def test_vectors_of_another_model_of_the_same_name_are_refused(new_toy: Callable[..., Any], tmp_path: Path) -> None:
    path = tmp_path / "talk.npz"
    build(model=new_toy(), vectors=path).fit(DOCS)
    changed = new_toy()
    changed._encode = lambda texts: [[1.0] * 64] * len(texts)
    with pytest.raises(SnapshotError, match="another model of the same name"):
        build(model=changed, vectors=path)


def test_a_damaged_file_is_refused_and_left_as_it_is(toy: Any, tmp_path: Path) -> None:
    import numpy as np

    path = tmp_path / "talk.npz"
    build(model=toy, vectors=path).fit(DOCS)
    whole = path.read_bytes()
    with np.load(path) as stored:
        parts = dict(stored)
    damaged: dict[str, bytes] = {"cut": whole[: len(whole) // 2], "empty": b"", "text": b"no vectors"}
    for name in parts:
        damaged[f"without {name}"] = packed({k: v for k, v in parts.items() if k != name})
    damaged["short"] = packed({**parts, "vectors": parts["vectors"][:1]})
    damaged["nan"] = packed({**parts, "vectors": parts["vectors"] * np.float32("nan")})
    damaged["header"] = packed({**parts, "header": np.frombuffer(b"[]", np.uint8)})
    damaged["newer"] = packed({**parts, "header": np.frombuffer(b'{"format": 99}', np.uint8)})
    damaged["array"] = packed_array(parts["vectors"])
    for name, raw in damaged.items():
        path.write_bytes(raw)
        with pytest.raises(SnapshotError, match=r"talk\.npz"):
            build(model=toy, vectors=path)
        assert path.read_bytes() == raw, name


def packed(parts: dict[str, Any]) -> bytes:
    import numpy as np

    stream = io.BytesIO()
    np.savez(stream, **parts)
    return stream.getvalue()


def packed_array(array: Any) -> bytes:
    import numpy as np

    stream = io.BytesIO()
    np.save(stream, array)
    return stream.getvalue()


def test_a_file_that_cannot_be_written_leaves_the_old_one(
    toy: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import numpy as np

    path = tmp_path / "talk.npz"
    retriever = build(model=toy)
    retriever.fit(DOCS)
    retriever.save_vectors(path)
    before = path.read_bytes()

    def full(*_args: Any, **_parts: Any) -> None:
        raise OSError("no space left")

    monkeypatch.setattr(np, "savez", full)
    with pytest.raises(OSError, match="no space left"):
        retriever.save_vectors(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


# -- progress -----------------------------------------------------------------------------------------------------


def test_progress_is_told_how_many_of_how_many(toy: Any) -> None:
    told: list[tuple[int, int]] = []
    retriever = build(model=toy, progress=lambda done, total: told.append((done, total)))
    retriever.fit(DOCS)
    retriever.extend(3, ["a dog"])
    assert told == [(1, 3), (2, 3), (3, 3), (1, 1)]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_long_encoding_is_shown_on_a_terminal() -> None:
    now = 0.0
    stream = Terminal()
    report = TerminalProgress(stream, clock=lambda: now)
    for done in range(1, 11):
        now += 1.0
        report(done, 10)
    assert stream.getvalue().startswith("\rembedding: 2 of 10 texts, about 8 s left\rembedding: 3 of 10")
    assert stream.getvalue().endswith("\n")


def test_a_short_encoding_and_one_without_a_terminal_are_silent() -> None:
    terminal, pipe = Terminal(), io.StringIO()
    now = 0.0
    short, unseen = TerminalProgress(terminal, clock=lambda: now), TerminalProgress(pipe, clock=lambda: now)
    for done in range(1, 6):
        now += 0.3
        short(done, 5)
        unseen(done, 5)
    now += 100.0
    unseen(5, 5)
    assert terminal.getvalue() == pipe.getvalue() == ""


def test_by_default_nothing_is_written_where_stderr_is_no_terminal(
    toy: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    build(model=toy).fit(DOCS)
    assert capsys.readouterr() == ("", "")


# -- options ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"model": 3}, TypeError, r"model must be a name, a folder, or an object with encode_query .*got 3 \(int\)"),
        ({"model": ""}, ValueError, "model must be a name or a folder, got an empty one"),
        ({"model": Plain}, TypeError, "got the class Plain: call it"),
        ({"prompts": {"passage": "passage: "}}, ValueError, "got 'passage': the key for texts is 'document'"),
        ({"prompts": {"query": None}}, TypeError, "the prompt 'query' must be a str, got None"),
        ({"prompts": "query: "}, TypeError, "prompts must be a dict"),
        ({"batch_size": 0}, ValueError, "batch_size must be at least 1, got 0"),
        ({"batch_size": 2.0}, TypeError, "batch_size must be an int or None"),
        ({"window": -3}, ValueError, "window must be at least 1, got -3"),
        ({"device": 0}, TypeError, "device must be a str"),
        ({"device": "cpu"}, ValueError, "device belongs to models of sentence-transformers"),
        ({"vectors": 3}, TypeError, "vectors must be a path or None"),
        ({"progress": "yes"}, TypeError, "progress must be True, False or a callable"),
        ({"unknown": 1}, TypeError, "unknown"),
    ],
)
def test_wrong_options_are_refused_at_once(options: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        build(**{"model": Plain(), **options})


# -- without the packages -----------------------------------------------------------------------------------------


def test_without_sentence_transformers_the_cure_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(PluginError, match=r"pip install 'byheart\[dense\]'") as caught:
        build()
    assert caught.value.plugin == "dense"


def test_an_encoder_of_ones_own_needs_no_sentence_transformers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    retriever = build(model=Plain())
    retriever.fit(["ab"])
    assert retriever.rank("ab", 1) == [0]


def test_a_sentence_transformers_that_is_too_old_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from types import ModuleType

    old = ModuleType("sentence_transformers")
    old.__version__ = "4.1.0"  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", old)
    with pytest.raises(PluginError, match=r"5 or newer, found 4\.1\.0: pip install -U"):
        build()


def test_nothing_heavy_is_imported_before_it_is_built() -> None:
    code = (
        "import sys, byheart_dense, byheart_hybrid\n"
        "print([m for m in ('numpy', 'torch', 'transformers', 'sentence_transformers') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"
