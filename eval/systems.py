"""What a replay can be run with: memories that take turns and say what a request would hold."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from .data import Turn

MARKER = "[from earlier in the conversation]"

#: A block of a request: the role of its message and its text.
Block = tuple[str, str]


@dataclass(frozen=True)
class Sent:
    """One request.

    ``blocks`` are all parts in order, the query last. The first ``stable`` of them are said to
    repeat next time, and the last of these carries the cache mark. ``included`` are the turns sent
    whole. ``rebuilt``: the system says that the earlier prefix is broken. ``own`` is how many
    characters the memory itself contributes, counted here.
    """

    blocks: list[Block]
    stable: int
    included: frozenset[int]
    rebuilt: bool
    mode: str = ""

    @property
    def own(self) -> int:
        return sum(len(text) for _, text in self.blocks[:-1])

    @property
    def size(self) -> int:
        return sum(len(text) for _, text in self.blocks)


class System(Protocol):
    """A memory in a replay."""

    limit: float | None  # characters it promises not to pass; None: no promise

    def append(self, turn: Turn) -> None: ...

    def compose(self, query: str) -> Sent: ...


Factory = Callable[[], System]


def from_composed(composed: Mapping[str, Any]) -> Sent:
    """A compose result as blocks: the parts of its messages."""
    blocks = [(m["role"], part["text"]) for m in composed["messages"] for part in m["parts"]]
    stable = sum(len(m["parts"]) for m in composed["messages"][: composed["stable_upto"] + 1])
    return Sent(blocks, stable, frozenset(composed["included"]), bool(composed["reselected"]), composed["mode"])


class Byheart:
    """byheart's own Memory."""

    def __init__(self, **options: Any) -> None:
        from byheart import Memory

        self.memory = Memory(**fresh(options))
        self.limit: float | None = options.get("budget", 20_000) * options.get("ceiling", default_of("ceiling"))
        if options.get("stability") == 0:
            self.limit = options.get("budget", 20_000)

    def append(self, turn: Turn) -> None:
        self.memory.append(turn.role, turn.text, when=turn.when or None)

    def compose(self, query: str) -> Sent:
        return from_composed(self.memory.compose(query))


def fresh(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options for one more memory. A retriever serves one memory only, so it is given as a function
    that builds one, and built here."""
    retriever = options.get("retriever")
    if callable(retriever) and not hasattr(retriever, "rank"):
        return {**options, "retriever": retriever()}
    return dict(options)


def default_of(option: str) -> Any:
    """The default of an option of byheart's Memory."""
    import inspect

    from byheart import Memory

    return inspect.signature(Memory).parameters[option].default


class Original:
    """yait-byheart 0.1.1 as published."""

    def __init__(self, **options: Any) -> None:
        from yait_byheart import Memory

        self.memory = Memory(**options)
        self.limit: float | None = self.memory.budget * self.memory.ceiling

    def append(self, turn: Turn) -> None:
        self.memory.append(turn.role, turn.text, when=turn.when)

    def compose(self, query: str) -> Sent:
        return from_composed(self.memory.compose(query))


class FullHistory:
    """Everything that was said, one block a turn, the date on the first turn of a day."""

    limit: float | None = None

    def __init__(self) -> None:
        self.turns: list[Block] = []
        self.when = ""

    def append(self, turn: Turn) -> None:
        dated = turn.when and turn.when != self.when
        self.turns.append((turn.role, f"[{turn.when}]\n{turn.text}" if dated else turn.text))
        self.when = turn.when

    def compose(self, query: str) -> Sent:
        everything = frozenset(range(len(self.turns)))
        return Sent([*self.turns, ("user", query)], len(self.turns), everything, False, "full")


class Window(FullHistory):
    """The last ``turns`` turns. Its start moves with every turn, so nothing of it is worth a mark
    once it is full; before that it is the full history."""

    def __init__(self, turns: int) -> None:
        super().__init__()
        self.length = turns

    def compose(self, query: str) -> Sent:
        start = max(0, len(self.turns) - self.length)
        stable = len(self.turns) if start == 0 else 0
        included = frozenset(range(start, len(self.turns)))
        return Sent([*self.turns[start:], ("user", query)], stable, included, start > 0, "window")
