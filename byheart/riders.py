"""What always rides along: the open stretch and the last exchange.

A follow-up such as "why?" has no words of its own, and a reply that forgets the line before it is useless.
"""

from __future__ import annotations

from byheart.excerpts import best_spans
from byheart.log import Log
from byheart.options import Measure
from byheart.rendering import Excerpt

_MOST_IN_A_ROW = 3
# What marking an excerpt costs beside its words, generously: its note, gaps and indentation.
OVERHEAD = 80


def last_exchange(log: Log, upto: int) -> int:
    """Where the last exchange before turn ``upto`` begins: what the user said last, and what was answered.

    Of several turns in a row by one side, at most three count.
    """
    at = upto
    for role in ("user", "assistant", "user"):
        taken = 0
        while at > 0 and taken < _MOST_IN_A_ROW and (log.role(at - 1) == role or log.blank(at - 1)):
            at -= 1
            taken += not log.blank(at)
            if role == "user" and at < upto - 1 and log.role(upto - 1) == "assistant" and not log.blank(at):
                break
        if role == "user" and taken and at == 0:
            break
    return min(at, max(0, upto - 1))


def choose(log: Log, upto: int, open_from: int, query: str, room: float, measure: Measure) -> list[int | Excerpt]:
    """Turns to ride along, ascending, within ``room``; those too long for it as excerpts around what matches.

    The last exchange has its place; the open stretch has what is left, the newest first.
    """
    exchange = [turn for turn in range(last_exchange(log, upto), upto) if not log.blank(turn)]
    riders: list[int | Excerpt] = []
    used = 0.0
    for place, turn in enumerate(reversed(exchange)):
        size = measure(log.shown(turn))
        share = (room - used) / (len(exchange) - place)
        if size > share and used + size > room / 2:
            spans = best_spans(log.shown(turn), query, max(share - OVERHEAD, share / 2), measure)
            riders.append(Excerpt(turn, spans))
            used += share
        else:
            riders.append(turn)
            used += size
    for turn in range((exchange[0] if exchange else upto) - 1, open_from - 1, -1):
        if log.blank(turn):
            continue
        used += measure(log.shown(turn))
        if used > room:
            break
        riders.append(turn)
    riders.reverse()
    return riders
