"""The outside gate: what is offered, and how what is let in is told."""

from __future__ import annotations

from typing import Any

import pytest

from eval import data, gate


def conversation(name: str, word: str) -> data.Conversation:
    turns = tuple(
        data.Turn(
            f"D1:{n}", "user" if n % 2 else "assistant", f"{word}{n} talks of {word}{n}. " * 12, f"day {n // 6}", 0
        )
        for n in range(40)
    )
    questions = tuple(data.Question(f"{name}/{n}", f"what of {word}{n}?", 4, (n,)) for n in range(1, 40, 3))
    return data.Conversation(name, turns, (data.Session("day", None, 0, 40),), questions)


@pytest.fixture
def conversations() -> list[data.Conversation]:
    pytest.importorskip("rank_bm25")
    return [conversation("one", "apple"), conversation("two", "river")]


def test_offers_are_the_same_for_the_same_seed_and_others_for_another(conversations: Any) -> None:
    assert gate.offers(conversations, 20, 1) == gate.offers(conversations, 20, 1)
    assert gate.offers(conversations, 20, 1) != gate.offers(conversations, 20, 2)


def test_junk_is_from_elsewhere_and_what_is_needed_holds_the_answer(conversations: Any) -> None:
    junk, needed = gate.offers(conversations, 20, 1)
    by_name = {c.id: c for c in conversations}
    for offer in junk:
        assert not offer.good
        assert offer.question.startswith(offer.conversation)
        assert len(offer.texts) <= 5
    for offer in needed:
        assert offer.question.startswith(offer.other)
        question = next(q for q in by_name[offer.other].questions if q.id == offer.question)
        answer = by_name[offer.other].turns[question.gold[0]].text
        assert any(answer in offer.texts[n] for n in offer.good)
        assert len(offer.texts) - len(offer.good) <= 4


def test_a_text_is_seen_however_it_was_indented_and_not_where_it_is_absent() -> None:
    messages = [{"parts": [{"text": "Material:\n  user: the long line that\n  counts here"}]}]
    assert gate.shown("user: the long line that\ncounts here", messages)
    assert not gate.shown("user: another long line entirely", messages)


class Fake:
    """Lets in what its answers say, as a memory of either package would send it."""

    def __init__(self, external: Any, **options: Any) -> None:
        self.external = external

    def append(self, role: str, text: str, when: str) -> None: ...

    def compose(self, query: str) -> dict[str, Any]:
        taken = self.external(query)[:1]
        middle = [{"role": "user", "parts": [{"type": "text", "text": m["text"]}]} for m in taken]
        ends = {"role": "user", "parts": [{"type": "text", "text": "the conversation itself"}]}
        return {"messages": [ends, *middle, ends], "stable_upto": 0}


def test_what_a_memory_lets_in_is_told_by_position(conversations: Any) -> None:
    gated = gate.Composing(Fake, conversations[0])
    assert gated.admitted("?", ["the first text offered", "the second text offered"]) == {0}
