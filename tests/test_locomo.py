"""The main job on real conversations: what answers a question is in what is sent, and the prefix repeats.

Needs LoCoMo, which is not part of the repository; skips with where it was looked for.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from byheart import Memory


def test_the_data_is_what_the_figures_are_about(locomo: Sequence[Any]) -> None:
    assert len(locomo) == 10
    assert sum(len(each.questions) for each in locomo) == 1_982
    assert all(each.sessions[0][0] == 0 and each.sessions[-1][1] == len(each.turns) for each in locomo)


@pytest.mark.parametrize(("budget", "least"), [(20_000, 0.90), (5_000, 0.78)])
def test_what_answers_a_question_is_in_what_is_sent(
    budget: int, least: float, locomo: Sequence[Any], effort: Callable[[int], int]
) -> None:
    """Mean share of the turns that answer a question among those sent whole; one question in eleven, or all of them."""
    step = 11 // min(11, effort(1))
    shares = []
    for conversation in locomo:
        memory = Memory(budget=budget, stability=0)
        memory.extend(conversation.turns)
        for query, gold in conversation.questions[::step]:
            result = memory.compose(query)
            assert result["chars"] <= budget
            shares.append(len(gold.intersection(result["included"])) / len(gold))
    assert len(shares) >= 1_982 // step
    assert sum(shares) / len(shares) >= least


def test_a_conversation_lived_through_repeats_its_prefix_and_recalls_what_is_asked(
    locomo: Sequence[Any], read: Callable[..., Any]
) -> None:
    """A request before each of the user's turns, questions at the end: growth, promise, last exchange, restart."""
    conversation = min(locomo, key=lambda each: len(each.turns))
    memory = Memory(budget=6_000)
    before: list[tuple[str, str]] = []
    requests = rebuilds = new = total = 0
    for role, text, when in conversation.turns:
        if role == "user":
            result = memory.compose(text, when=when)
            request = read(result)
            assert result["chars"] <= 12_000
            assert request.query.text.split()[0] == text.split()[0]
            if len(memory) > 1:
                sent = {*result["included"], *(each["turn"] for each in result["excerpts"])}
                assert {len(memory) - 2, len(memory) - 1} <= sent
            if result["reselected"]:
                rebuilds += 1
                new += int(result["chars"])
            else:
                assert request.context[: len(before)] == before
                new += sum(len(text) for _, text in request.context[len(before) :])
            requests += 1
            total += int(result["chars"])
            before = request.stable
        memory.append(role, text, when)
    assert requests > 100
    assert rebuilds < requests / 8
    assert new < total / 3, "most of what is sent was sent before"
    memory = Memory.from_dict(json.loads(json.dumps(memory.to_dict())), budget=6_000)
    shares = []
    for query, gold in conversation.questions[::3]:
        result = memory.compose(query)
        request = read(result)
        assert result["chars"] <= 12_000
        if not result["reselected"]:
            assert request.context[: len(before)] == before
        before = request.stable
        shares.append(len(gold.intersection(result["included"])) / len(gold))
    assert sum(shares) / len(shares) >= 0.75
