"""Memories by others: the room they get, how they are stored, and what is written where one cannot run."""

from __future__ import annotations

import contextlib
import json
import os
import urllib.request
from collections.abc import Iterator

import pytest

from eval import data, embedding_server, memories, models, others
from eval.recall import OURS


@pytest.fixture
def conversation() -> data.Conversation:
    """Forty turns over four days, a question about every fifth."""
    turns = tuple(
        data.Turn(
            f"D{n // 10 + 1}:{n % 10}",
            "user" if n % 2 == 0 else "assistant",
            f"Ann: number {n} " + "x" * 80,
            day,
            n // 10,
        )
        for n in range(40)
        for day in [f"1:00 pm on {n // 10 + 1} May, 2023"]
    )
    sessions = tuple(
        data.Session(turns[lo].when, data.parse_date(turns[lo].when), lo, lo + 10) for lo in range(0, 40, 10)
    )
    asked = tuple(data.Question(f"q/{n}", f"what was number {n}?", 4, (n,)) for n in range(0, 40, 5))
    return data.Conversation("conv-made", turns, sessions, asked)


def test_turns_are_taken_in_the_order_of_the_search_as_long_as_they_fit(conversation: data.Conversation) -> None:
    held = memories.filled(conversation, lambda query: [7, 30, 31, *range(7)])
    assert list(held(30_000)("?")) == [7, 30, 31, 0, 1, 2, 3, 4, 5, 6]
    few = list(held(400)("?"))
    assert few == [7, 30, 31]  # each a line of "role: text", a date line for each of the two days, one marker


def test_a_question_is_searched_for_once_however_many_budgets_there_are(conversation: data.Conversation) -> None:
    searched = []
    held = memories.filled(conversation, lambda query: searched.append(query) or [0])  # type: ignore[func-returns-value]
    for budget in (5_000, 10_000, 20_000):
        list(held(budget)("what?"))
    assert searched == ["what?"]


@pytest.mark.parametrize(
    ("package", "kept"),
    [
        ("langchain_core", memories.langchain),
        ("llama_index.core", memories.llama_buffer),
        ("llama_index.core", memories.llama_memory),
    ],
    ids=["langchain", "llama buffer", "llama memory"],
)
def test_a_window_holds_the_newest_turns_and_no_more_than_its_room(
    conversation: data.Conversation, package: str, kept: object
) -> None:
    pytest.importorskip(package, reason="needs eval/requirements-peers.txt")
    lines = memories.dated(conversation)
    turns = kept(lines, 1_000)  # type: ignore[operator]
    assert turns == list(range(turns[0], 40))
    assert lines[turns[0]][0] == "user"
    assert 300 < sum(len(lines[turn][1]) for turn in turns) <= 1_000


def test_a_day_is_named_once_in_a_window(conversation: data.Conversation) -> None:
    texts = [text for _, text in memories.dated(conversation)]
    assert [n for n, text in enumerate(texts) if text.startswith("[")] == [0, 10, 20, 30]


def test_a_transcript_for_mempalace_has_every_turn_in_order_under_its_position(conversation: data.Conversation) -> None:
    records = [json.loads(line) for line in memories._claude_lines(conversation)]
    assert [record["uuid"] for record in records] == [str(n) for n in range(40)]
    assert [record["message"]["content"] for record in records] == [turn.text for turn in conversation.turns]
    times = [record["timestamp"] for record in records]
    assert times == sorted(times)
    assert times[10].startswith("2023-05-02T13:00:10")


def test_of_texts_that_were_cut_otherwise_only_the_turns_that_stand_in_them_whole_count(
    conversation: data.Conversation,
) -> None:
    texts = [turn.text for turn in conversation.turns]
    drawers = [
        memories.Drawer.of(f"> {texts[10]}\n\n{texts[11]}", 1),
        memories.Drawer.of(texts[12][:50], 1),
        memories.Drawer.of(texts[30], 3),
    ]
    assert memories.whole(conversation, drawers, 5_000) == [10, 11, 30]
    # the second and the third do not fit any more: marker, date line, a text of 190 characters and its end
    assert memories.whole(conversation, drawers, 250) == [10, 11]


def test_a_server_of_embeddings_answers_each_text_in_its_place() -> None:
    with embedding_server.serving(lambda texts: [[float(len(text))] for text in texts]) as address:
        body = json.dumps({"model": "m", "input": ["a", "bbb"]}).encode()
        request = urllib.request.Request(f"{address}/v1/embeddings", body, {"Content-Type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            rows = json.loads(answer.read())["data"]
    assert [(row["index"], row["embedding"]) for row in rows] == [(0, [1.0]), (1, [3.0])]


def test_what_the_environment_held_is_there_again_afterwards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BYHEART_ONE", "before")
    monkeypatch.delenv("BYHEART_TWO", raising=False)
    with memories.environment({"BYHEART_ONE": "now", "BYHEART_TWO": "now"}):
        assert os.environ["BYHEART_ONE"] == os.environ["BYHEART_TWO"] == "now"
    assert os.environ["BYHEART_ONE"] == "before"
    assert "BYHEART_TWO" not in os.environ


# A memory that cannot run


@contextlib.contextmanager
def _missing(conversation: data.Conversation) -> Iterator[memories.Held]:
    raise models.ModelMissingError("the package of the model is not installed")
    yield lambda budget: lambda query: []


def test_a_memory_that_cannot_run_has_an_empty_row_and_a_note_that_says_why(
    conversation: data.Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = {
        OURS: others.OTHERS[OURS],
        "Absent": others.Other("no-such-package", "not at all", _missing),
    }
    monkeypatch.setattr(others, "OTHERS", made)
    monkeypatch.setattr(others, "chosen", lambda options: [conversation])
    monkeypatch.setattr(others.data, "checksum", lambda folder: "")
    monkeypatch.setattr(others.logging, "disable", lambda level: None)
    from eval.__main__ import parser

    result = others.run(parser().parse_args(["peers", "--budgets", "1000"]))
    rows = {row[0]: row for row in result.tables[0].rows}
    assert rows["Absent"] == ["Absent", None, 1000, None, None, None, None]
    assert rows[OURS][3] is not None
    assert result.notes == ["Absent did not run: ModelMissingError: the package of the model is not installed"]
    assert "Absent.1000" not in result.figures
