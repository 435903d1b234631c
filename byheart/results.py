"""From a context to what ``Memory.compose`` returns."""

from __future__ import annotations

from byheart import rendering
from byheart.composer import Question
from byheart.context import Context
from byheart.log import Log
from byheart.messages import Composed, messages


def composed(log: Log, context: Context, question: Question, asked: Log, part: str | None, *, stored: bool) -> Composed:
    """The messages, and what is in them, as for a first request below the budget.

    ``asked`` holds the question alone, as the turn that it is (``stored``) or will be; ``part`` is outside material.
    """
    parts = [(piece.role(log), text) for piece, text in zip(context.pieces, context.texts, strict=True)]
    sent = messages(parts)
    stable = len(sent) - 1
    included = set(context.whole)
    if part is not None:
        sent += messages([("user", part)])
    if not asked.blank(0):
        key = asked.day_key(0)
        dated = key is not None and key != context.day
        sent += messages([("user", rendering.itself(asked, 0, dated=dated))])
        included |= {question.upto} if stored else set()
    touched = {question.before.at(turn) for turn in (*context.whole, *context.parts)}
    return {
        "messages": sent,
        "mode": "passthrough",
        "chars": context.size,
        "reselected": False,
        "selected": len(touched),
        "of_units": len(question.before),
        "included": sorted(included),
        "excerpts": [
            {"turn": excerpt.turn, "spans": [list(span) for span in excerpt.spans]} for excerpt in context.excerpts()
        ],
        "stable_upto": stable,
    }
