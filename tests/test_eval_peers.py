"""The rankings byheart is compared with get the same stretches and the same room."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval import data, peers, recall

DOCS = [
    "[day 1]\nuser: the train leaves at seven",
    "user: my sister paints boats in the harbour",
    "assistant: trains were late, and leaving early helped",
]


@pytest.mark.parametrize("name", sorted(peers.RANKINGS))
def test_every_peer_ranks_each_stretch_at_most_once(name: str) -> None:
    for package in ("rank_bm25", "bm25s", "Stemmer"):
        pytest.importorskip(package)
    rank = peers.RANKINGS[name](DOCS)
    order = list(rank("who paints boats?"))
    assert sorted(order) == sorted(set(order))
    assert set(order) <= set(range(len(DOCS)))
    if name != "newest first":
        assert order[0] == 1


def test_sqlite_stems_and_does_not_choke_on_its_own_syntax() -> None:
    rank = peers.fts5(DOCS)
    assert set(rank("train")) == {0, 2}
    assert list(rank('paints" OR NEAR(* -')) == [1]
    assert list(rank("?!")) == []


rows = st.lists(
    st.tuples(st.just("user"), st.integers(0, 300).map("x".__mul__), st.sampled_from(["", "day 1", "day 2"])),
    min_size=1,
    max_size=20,
)


@given(rows, st.integers(0, 2000), st.randoms())
def test_what_is_filled_fits_the_room_and_what_is_passed_over_would_not(
    said: list[tuple[str, str, str]], budget: int, shuffled: Random
) -> None:
    cut = peers.Stretches.cut(said, range(len(said)))
    order = list(range(len(said)))
    shuffled.shuffle(order)
    taken = cut.fill(order, budget)

    def size(positions: list[int]) -> int:
        dates = {cut.days[i] for i in positions} - {""}
        lines = [f"[{date}]" for date in dates] + [cut.bodies[i] for i in positions]
        return peers.MARKER_SIZE + sum(len(line) + 1 for line in lines)

    assert not taken or size(taken) <= budget
    for left in set(order) - set(taken):
        before = [i for i in taken if order.index(i) < order.index(left)]
        assert size([*before, left]) > budget


def test_plain_stretches_begin_with_a_new_date_and_leave_a_long_turn_alone() -> None:
    rows = [
        ("user", "a" * 300, "day 1"),
        ("assistant", "b" * 300, "day 1"),
        ("user", "c", "day 1"),
        ("assistant", "d" * 1200, "day 1"),
        ("user", "e", "day 1"),
        ("user", "f", "day 2"),
    ]
    assert peers.plain_cuts(rows) == [0, 2, 3, 4, 5]


def test_recall_is_the_share_of_evidence_turns_that_are_sent() -> None:
    turns = tuple(data.Turn(str(n), "user", "x", "", 0) for n in range(4))
    asked = (data.Question("q/0", "?", 1, (0, 1)), data.Question("q/1", "?", 1, (3,)))
    made = data.Conversation("q", turns, (), asked)
    found = recall.ask_all(lambda conversation, budget: lambda query: [1, 2], [made], 100)
    assert [a.share for a in found] == [0.5, 0.0]
    mean, complete, some = recall.estimates(found)
    assert (mean.value, complete.value, some.value) == (0.25, 0.0, 0.5)
