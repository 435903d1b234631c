"""The live replay: its order, and that it sees what a system does wrong."""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Callable

import pytest

from eval import caches, data, longlife, replay, systems
from eval.result import Result


def conversation(sessions: int = 4, turns: int = 4, days: int = 1) -> data.Conversation:
    """Sessions of alternating turns, with one question about the first turn of each session."""
    said: list[data.Turn] = []
    held: list[data.Session] = []
    questions: list[data.Question] = []
    for s in range(sessions):
        start = datetime.datetime(2023, 5, 1) + datetime.timedelta(days=days * s)
        lo = len(said)
        for t in range(turns):
            role = "user" if t % 2 == 0 else "assistant"
            said.append(data.Turn(f"D{s + 1}:{t + 1}", role, f"turn {t} of {s} " + "." * 300, f"day {s}", s))
        held.append(data.Session(f"day {s}", start, lo, len(said)))
        questions.append(data.Question(f"made/{s}", f"what was said first in {s}?", 4, (lo,)))
    return data.Conversation("made", tuple(said), tuple(held), tuple(questions))


def test_a_request_precedes_each_user_turn_and_asks_with_its_words() -> None:
    steps = list(replay.script(conversation(), questions=False))
    for before, step in itertools.pairwise(steps):
        if step.turn and step.turn.role == "user":
            assert before.query == step.turn.text
    assert sum(step.query is not None for step in steps) == 8
    assert [s.turn.id for s in steps if s.turn] == [t.id for t in conversation().turns]


def test_a_question_is_asked_two_sessions_after_its_evidence_or_at_the_end() -> None:
    appended, asked = 0, {}
    for step in replay.script(conversation()):
        appended += step.turn is not None
        if step.question:
            asked[step.question.id] = appended
    assert asked == {"made/0": 12, "made/1": 16, "made/2": 16, "made/3": 16}


def test_time_never_runs_back_and_sessions_start_when_the_data_says() -> None:
    steps = list(replay.script(conversation()))
    assert [s.at for s in steps] == sorted(s.at for s in steps)
    starts = [next(s.at for s in steps if s.turn and s.turn.session == n) for n in range(4)]
    assert [round(start / 86400) for start in starts] == [0, 1, 2, 3]


def test_the_full_history_recalls_everything_and_never_breaks() -> None:
    lived = replay.live(systems.FullHistory, conversation())
    assert lived.mean("recall").value == 1.0
    assert lived.mean("exchange").value == 1.0
    assert lived.total("broken") == 0


def test_the_full_history_reads_what_it_wrote_and_writes_what_is_new() -> None:
    lived = replay.live(systems.FullHistory, conversation(sessions=12, turns=12))
    last = lived.requests[-2]
    assert last["read"] > 0.9 * last["sent"] - 400
    assert last["effective"] < 0.2 * last["sent"]


def test_a_window_keeps_the_newest_turns_and_says_that_its_start_moved() -> None:
    lived = replay.live(lambda: systems.Window(4), conversation())
    assert lived.requests[1]["rebuilt"] == 0
    assert lived.requests[-1]["rebuilt"] == 1
    assert lived.mean("recall").value == pytest.approx(1 / 4)


class Liar(systems.FullHistory):
    """Changes its first block at the fourth request; ``honest`` says so, ``heavy`` passes its own limit."""

    def __init__(self, *, honest: bool, heavy: bool = False) -> None:
        super().__init__()
        self.honest = honest
        self.limit = 10 if heavy else None
        self.asked = 0

    def compose(self, query: str) -> systems.Sent:
        self.asked += 1
        sent = super().compose(query)
        changed = self.asked == 4
        blocks = [("user", "changed"), *sent.blocks[1:]] if changed else sent.blocks
        # The changed block is broken against what was sent before, and so is the one that comes after it.
        told = self.honest and self.asked in (4, 5)
        return systems.Sent(blocks, sent.stable, sent.included - {0}, told, "full")


@pytest.mark.parametrize(("honest", "unreported"), [(True, 0), (False, 2)])
def test_a_prefix_that_breaks_unreported_is_counted(honest: bool, unreported: int) -> None:
    lived = replay.live(lambda: Liar(honest=honest), conversation())
    assert lived.total("broken") == 2
    assert lived.total("unreported") == unreported


def test_requests_past_a_promised_limit_are_counted() -> None:
    lived = replay.live(lambda: Liar(honest=True, heavy=True), conversation())
    assert lived.over == len(lived.requests) - 1  # the first one holds nothing but the query


def test_a_turn_that_is_left_out_costs_recall() -> None:
    lived = replay.live(lambda: Liar(honest=True), conversation())
    assert lived.mean("recall").value == pytest.approx(3 / 4)


def test_broken_promises_of_byheart_are_failures_of_the_run() -> None:
    result = Result(replay.NAME)
    lived = replay.live(lambda: Liar(honest=False, heavy=True), conversation())
    replay.report(result, {"byheart": lived}, {"byheart": (3, 18)}, providers=False, budget=10)
    said = " ".join(result.failures)
    assert "2 prefix breaks were not reported" in said
    assert "past the ceiling" in said
    assert "3 of 18 rebuilt" in said


def composer(build: Callable[[], systems.System]) -> replay.Lived:
    return replay.live_all(build, [conversation(), conversation(sessions=3)], providers=True)


def test_costs_are_averaged_within_each_conversation_first_and_recall_over_questions() -> None:
    lived = composer(systems.FullHistory)
    assert lived.mean("recall").count == 7
    assert lived.mean("sent").count == 1  # both conversations of this test share their name


def test_every_provider_is_charged_and_none_charges_less_than_a_tenth() -> None:
    lived = composer(systems.FullHistory)
    for rules in caches.PROVIDERS:
        for request in lived.requests:
            assert request[rules.name] >= 0.1 * request["sent"] - 1e-9


def test_two_subjects_in_turn_rebuild_nothing_where_everything_is_sent() -> None:
    assert replay.alternate(systems.FullHistory, conversation()) == (0, 18)
    assert replay.alternate(lambda: systems.Window(4), conversation()) == (18, 18)


def test_joined_conversations_keep_their_turns_questions_and_order_in_time() -> None:
    one, two = conversation(), conversation(sessions=3)
    joined = longlife.join([one, two])
    assert len(joined.turns) == len(one.turns) + len(two.turns)
    assert [joined.turns[q.gold[0]].text for q in joined.questions[4:]] == [
        two.turns[q.gold[0]].text for q in two.questions
    ]
    starts = [s.start for s in joined.sessions if s.start]
    assert starts == sorted(starts)
    assert len(starts) == 7


def test_byheart_keeps_its_promises_in_a_small_replay() -> None:
    lived = replay.live(lambda: systems.Byheart(budget=2000, ceiling=2.0), conversation(sessions=8))
    assert lived.total("unreported") == 0
    assert lived.over == 0
    assert all(r["present"] for r in lived.requests if r["present"] is not None)
    assert any(r["rebuilt"] for r in lived.requests)
