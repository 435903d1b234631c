"""The follow-up test set is well formed, and what is switched off is off only while that lasts."""

from __future__ import annotations

from collections import Counter

import pytest

from eval import followups, scripts, switches, systems


def test_there_are_at_least_forty_follow_ups_and_a_control() -> None:
    kinds = Counter(q.kind for q in followups.read()[1])
    assert sum(count for kind, count in kinds.items() if kind != "self-contained") >= 40
    assert kinds["self-contained"] >= 8


def test_every_answer_was_said_before_the_question_and_not_in_the_last_exchange() -> None:
    conversations, questions = followups.read()
    for q in questions:
        rows = conversations[q.conversation]
        assert 0 <= q.after < len(rows)
        assert q.gold
        assert all(0 <= turn < q.after - 1 for turn in q.gold), q


def test_no_conversation_fits_the_room_so_that_something_must_be_chosen() -> None:
    for rows in followups.read()[0].values():
        assert sum(len(text) for _, text, _ in rows) > 2 * followups.BUDGET


def test_the_unspaced_test_set_has_ten_questions_a_language_with_answers_in_range() -> None:
    talks = scripts.read()
    assert {talk.language for talk in talks} == {"ja", "zh", "th", "ko"}
    for talk in talks:
        assert len(talk.questions) == 10
        assert all(gold and all(0 <= turn < len(talk.rows) for turn in gold) for _, gold in talk.questions)


def test_a_part_that_is_switched_off_is_back_afterwards() -> None:
    import math

    switch = switches.Switch("the sine", replaced={"math:sin": lambda there: lambda x: there(x) + 2})
    before = math.sin
    with switch.off():
        assert math.sin(0.0) == 2.0
    assert math.sin is before


@pytest.mark.parametrize("name", sorted(switches.OFF))
def test_every_part_that_can_be_switched_off_is_there(name: str) -> None:
    from byheart import Memory

    with switches.OFF[name].off():
        memory = Memory(**systems.fresh(switches.OFF[name].options()))
        memory.append("user", "the ferry leaves at nine")
        assert memory.compose("when does the ferry leave?")["included"] == [0]
