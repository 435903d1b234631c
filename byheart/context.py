"""What the memory currently sends: a log of parts that only grows until it is rebuilt.

A part is a turn as itself, or a recalled block. A part that was sent never changes; others follow it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from byheart import rendering
from byheart.log import Log
from byheart.rendering import Excerpt


@dataclass(frozen=True, slots=True)
class Piece:
    """One part of the context.

    ``turns`` are the turns sent whole in it, ascending; ``excerpts`` those sent in parts. ``recalled`` pieces are
    blocks in a user message; others hold one turn in its own role, on a new day (``dated``) with its date.
    """

    turns: tuple[int, ...]
    excerpts: tuple[Excerpt, ...] = ()
    recalled: bool = False
    dated: bool = False

    def touches(self) -> Iterator[int]:
        """Every turn it shows anything of."""
        yield from self.turns
        for excerpt in self.excerpts:
            yield excerpt.turn

    def role(self, log: Log) -> str:
        """The role of the message that carries it."""
        return "user" if self.recalled else log.role(next(self.touches()))

    def text(self, log: Log) -> str:
        """The part as it is sent."""
        if self.recalled:
            return rendering.block(log, sorted(self.touches()), self.excerpts)
        if self.excerpts:
            return rendering.itself_in_excerpts(log, self.excerpts[0], dated=self.dated)
        return rendering.itself(log, self.turns[0], dated=self.dated)

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON."""
        return {
            "recalled": self.recalled,
            "dated": self.dated,
            "turns": [[lo, hi] for lo, hi in _ranges(self.turns)],
            "excerpts": [{"turn": e.turn, "spans": [list(span) for span in e.spans]} for e in self.excerpts],
        }


@dataclass(slots=True)
class Context:
    """Pieces in the order they are sent, and what follows from them.

    ``complete`` says that it holds every turn so far, as themselves. ``upto`` is the first turn that has not come in as itself yet.
    """

    pieces: list[Piece] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    size: float = 0
    upto: int = 0
    complete: bool = True
    whole: set[int] = field(default_factory=set)
    parts: dict[int, set[tuple[int, int]]] = field(default_factory=dict)  # spans sent of turns not sent whole
    day: object = None  # of the last turn that stands as itself

    def copy(self) -> Context:
        """One that can be changed without changing this one."""
        return Context(
            list(self.pieces), list(self.texts), self.size, self.upto, self.complete,
            set(self.whole), {turn: set(spans) for turn, spans in self.parts.items()}, self.day,
        )  # fmt: skip

    def add(self, piece: Piece, log: Log, measure: Callable[[str], float]) -> None:
        """Put a piece behind what is there."""
        text = piece.text(log)
        if not self.pieces and piece.role(log) == "assistant":
            self.size += measure(rendering.OPENING)
        self.pieces.append(piece)
        self.texts.append(text)
        self.size += measure(text)
        self.whole.update(piece.turns)
        for excerpt in piece.excerpts:
            self.parts.setdefault(excerpt.turn, set()).update(excerpt.spans)
        if not piece.recalled:
            turn = next(piece.touches())
            self.day = log.day_key(turn) or self.day
            self.upto = max(self.upto, turn + 1)

    def add_turn(self, turn: int, log: Log, measure: Callable[[str], float], excerpt: Excerpt | None = None) -> None:
        """Put a turn, as itself, behind what is there; blank ones only count as having come in."""
        self.upto = max(self.upto, turn + 1)
        if log.blank(turn):
            return
        key = log.day_key(turn)
        dated = key is not None and key != self.day
        piece = Piece((), (excerpt,), dated=dated) if excerpt else Piece((turn,), dated=dated)
        self.add(piece, log, measure)

    def shows(self, excerpt: Excerpt) -> bool:
        """Whether every part of this excerpt is there already."""
        return excerpt.turn in self.whole or all(
            any(start <= span[0] and span[1] <= end for start, end in self.parts.get(excerpt.turn, ()))
            for span in excerpt.spans
        )

    def touches(self, turn: int) -> bool:
        """Whether anything of ``turn`` is there."""
        return turn in self.whole or turn in self.parts

    def before(self, index: int, log: Log, measure: Callable[[str], float]) -> Context:
        """What stands in front of the first piece that shows a turn from ``index`` on."""
        kept = Context(complete=self.complete)
        for piece in self.pieces:
            if any(turn >= index for turn in piece.touches()):
                break
            kept.add(piece, log, measure)
        kept.upto = min(self.upto, index)
        return kept

    def excerpts(self) -> list[Excerpt]:
        """Excerpts in it, one a turn, of turns that are not there whole."""
        return [
            Excerpt(turn, tuple(sorted(spans))) for turn, spans in sorted(self.parts.items()) if turn not in self.whole
        ]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON: turn ranges and positions, no words."""
        return {"complete": self.complete, "upto": self.upto, "pieces": [piece.to_dict() for piece in self.pieces]}


def _ranges(turns: Sequence[int]) -> list[tuple[int, int]]:
    ranges: list[tuple[int, int]] = []
    for turn in turns:
        if ranges and ranges[-1][1] == turn:
            ranges[-1] = (ranges[-1][0], turn + 1)
        else:
            ranges.append((turn, turn + 1))
    return ranges
