"""What always rides along: the open stretch and the last exchange.

A follow-up such as "why?" has no words of its own, and a reply that forgets the line before it is useless.
"""

from __future__ import annotations

from byheart import rendering
from byheart.excerpts import best_spans
from byheart.log import Log
from byheart.options import Measure
from byheart.rendering import Excerpt

_MOST_IN_A_ROW = 3
_MOST_BACK = 100
# What marking an excerpt costs beside its words, generously: its note, gaps and indentation.
OVERHEAD = 80


def last_exchange(log: Log, upto: int) -> int:
    """Where the last exchange before turn ``upto`` begins: what the user said last, and what was answered.

    Where the user spoke last, what was answered to is in it too. Of several turns in a row by one side, at most
    three count; blank ones do not, and nobody looks back further than a hundred turns.
    """
    start = upto
    sides: list[str] = []
    taken = 0
    for at in range(upto - 1, max(-1, upto - 1 - _MOST_BACK), -1):
        if log.blank(at):
            continue
        if log.role(at) not in sides[-1:]:
            sides.append(log.role(at))
            taken = 0
        taken += 1
        if taken > _MOST_IN_A_ROW or len(sides) > 3:
            break
        start = at
        if sides == ["assistant", "user"]:
            break
    return start


def choose(log: Log, upto: int, open_from: int, query: str, room: float, measure: Measure) -> list[int | Excerpt]:
    """Turns to ride along, ascending, within ``room``; those too long for it as excerpts around what matches.

    The last exchange has its place; the open stretch has what is left, the newest first.
    """
    exchange = [turn for turn in range(last_exchange(log, upto), upto) if not log.blank(turn)]
    riders: list[int | Excerpt] = []
    used = 0.0
    for place, turn in enumerate(reversed(exchange)):
        dated = _dated(log, turn)
        size = measure(rendering.itself(log, turn, dated=dated))
        share = max((room - used) / (len(exchange) - place), min(room / 4, 2 * OVERHEAD))
        if size <= share or used + size <= room / 2:
            riders.append(turn)
        else:
            excerpt, size = _excerpt(log, turn, query, share, measure, dated=dated)
            if riders and used + size > room:
                break
            riders.append(excerpt)
        used += size
    for turn in range((exchange[0] if exchange else upto) - 1, open_from - 1, -1):
        if log.blank(turn):
            continue
        used += measure(rendering.itself(log, turn, dated=_dated(log, turn)))
        if used > room:
            break
        riders.append(turn)
    riders.reverse()
    return riders


def _dated(log: Log, turn: int) -> bool:
    """Whether a turn that follows the one before it begins a new day."""
    return turn == 0 or log.day_key(turn) not in (None, log.day_key(turn - 1))


def _excerpt(log: Log, turn: int, query: str, share: float, measure: Measure, *, dated: bool) -> tuple[Excerpt, float]:
    """What of a turn fits ``share``, and what it measures as it is sent."""
    text = log.shown(turn)
    room = max(share - OVERHEAD, share / 2)
    while True:
        excerpt = Excerpt(turn, best_spans(text, query, room, measure))
        size = measure(rendering.itself_in_excerpts(log, excerpt, dated=dated))
        if size <= share or room <= share / 10:
            return excerpt, size
        room *= min(0.7, 0.9 * share / size)  # its further lines are indented, and there may be many
