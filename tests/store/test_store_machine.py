"""A conversation in a store, lived at random by several hands, against one memory that hears the same."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from byheart import Memory, store

WORDS = ["garden", "trombone", "price", "Lyon", "yesterday", "кошка", "the", "of", "\0", "\ud83d", "\U0001f63a"]
TEXTS = st.lists(st.sampled_from(WORDS), max_size=12).map(" ".join) | st.text(max_size=20)
TEXTS |= st.integers(20, 200).map(lambda many: "a long reply about the price of Lyon. " * many)
WHENS = st.sampled_from(
    [None, None, "8 May 2023", "9 May, 2023", "03/04/2023", "29/12/2023", "12/29/2023", "soon", "\ud800 \0", ""]
)
TURNS = st.tuples(st.sampled_from(["user", "assistant"]), TEXTS, WHENS)
QUERIES = st.sampled_from(["trombone", "price of Lyon?", "why?", "thanks!", "кошка где?", "what about 9 May 2023?"])
HANDS = st.integers(0, 1)


def every_third(turns: Any) -> list[int]:
    return list(range(3, len(turns) + 1, 3))


OPTIONS = st.fixed_dictionaries(
    {
        "budget": st.sampled_from([600, 3_000]),
        "chunk": st.sampled_from([None, 30]),
        "stability": st.sampled_from([0, 0.5, 0.7]),
        "boundaries": st.sampled_from([None, every_third]),
        "day_first": st.sampled_from([None, None, True]),
    }
)


class Life(RuleBasedStateMachine):
    """``hands`` are conversations opened on their own, as other processes would; whoever acts, ``memory`` hears it."""

    place: Any  # makes the address of a store, and a name that no conversation in it has

    @initialize(options=OPTIONS, turns=st.lists(TURNS, max_size=30))
    def begin(self, options: dict[str, Any], turns: list[Any]) -> None:
        self.options = options
        self.address, self.name = type(self).place()
        self.memory = Memory(**options)
        self.stores = [store.open(self.address) for _ in range(2)]
        self.hands = [each.conversation(self.name, **options) for each in self.stores]
        self.hands[0].extend(turns)
        self.memory.extend(turns)

    def teardown(self) -> None:
        if hasattr(self, "stores"):
            for hand in self.hands:
                assert hand.to_dict() == self.memory.to_dict()
            for each in self.stores:
                each.close()

    @rule(hand=HANDS, turn=TURNS)
    def append(self, hand: int, turn: Any) -> None:
        assert self.hands[hand].append(*turn) == self.memory.append(*turn)

    @rule(hand=HANDS, turns=st.lists(TURNS, max_size=6))
    def extend(self, hand: int, turns: Any) -> None:
        assert self.hands[hand].extend(turns) == self.memory.extend(turns)

    @rule(hand=HANDS, query=QUERIES, dry=st.booleans())
    def compose(self, hand: int, query: str, dry: bool) -> None:
        composed = self.hands[hand].compose(query, dry_run=dry)
        assert composed == self.memory.compose(query, dry_run=dry)

    @rule(hand=HANDS, query=QUERIES)
    def search(self, hand: int, query: str) -> None:
        assert self.hands[hand].search(query) == self.memory.search(query)

    @precondition(lambda self: bool(len(self.memory)))
    @rule(hand=HANDS, data=st.data())
    def truncate(self, hand: int, data: Any) -> None:
        index = data.draw(st.integers(max(0, len(self.memory) - 8), len(self.memory)))
        self.hands[hand].truncate(index)
        self.memory.truncate(index)

    @precondition(lambda self: bool(len(self.memory)))
    @rule(hand=HANDS, data=st.data())
    def redact(self, hand: int, data: Any) -> None:
        index = data.draw(st.integers(-len(self.memory), len(self.memory) - 1))
        self.hands[hand].redact(index)
        self.memory.redact(index)

    @precondition(lambda self: bool(len(self.memory)))
    @rule(hand=HANDS, data=st.data())
    def bounds(self, hand: int, data: Any) -> None:
        starts = data.draw(st.sets(st.integers(0, len(self.memory) - 1), max_size=9))
        self.hands[hand].bounds = sorted(starts | {0})
        self.memory.bounds = sorted(starts | {0})

    @rule(hand=HANDS, whole=st.booleans())
    def come_back(self, hand: int, whole: bool) -> None:
        """A process ends, and another begins."""
        self.stores[hand].close()
        self.stores[hand] = store.open(self.address)
        self.hands[hand] = self.stores[hand].conversation(self.name, **self.options)
        if whole:
            assert self.hands[hand].to_dict() == self.memory.to_dict()


@pytest.mark.parametrize(("kind", "examples"), [("sqlite", 25), ("postgres", 6)])
def test_several_hands_on_one_conversation_are_as_one_memory(
    kind: str, examples: int, request: pytest.FixtureRequest, tmp_path_factory: Any, effort: Callable[[int], int]
) -> None:
    numbers = itertools.count()
    server = request.getfixturevalue("server").place() if kind == "postgres" else None

    def place() -> tuple[str, str]:
        number = next(numbers)
        return server or str(tmp_path_factory.mktemp("store") / "chats.db"), f"\ud800 \0 {number}"

    class Lives(Life):
        pass

    Lives.place = staticmethod(place)
    run_state_machine_as_test(Lives, settings=settings(max_examples=effort(examples), stateful_step_count=30))
