"""Parts of the ranking, each with the way to switch it off.

An ablation must not need a second copy of the library nor an option nobody else would use, so a
part is switched off by other options where there are some, and by replacing what does it otherwise.
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any
from unittest import mock


@dataclass(frozen=True)
class Switch:
    """``memory``: options of Memory; ``retriever``: options of the built-in retriever; ``replaced``:
    from "module:name" to a function of what is there that returns what is to stand there."""

    what: str
    memory: Mapping[str, Any] = field(default_factory=dict)
    retriever: Mapping[str, Any] = field(default_factory=dict)
    replaced: Mapping[str, Callable[[Any], Any]] = field(default_factory=dict)

    def options(self) -> dict[str, Any]:
        """Options for a Memory with this part off; the retriever as a function that builds one."""
        options = dict(self.memory)
        if self.retriever:
            from byheart.bm25 import BM25

            settings = dict(self.retriever)
            options["retriever"] = lambda: BM25(**settings)
        return options

    @contextlib.contextmanager
    def off(self) -> Iterator[None]:
        """While this lasts, what ``replaced`` names is replaced."""
        with contextlib.ExitStack() as stack:
            for target, replace in self.replaced.items():
                module_name, _, path = target.partition(":")
                holder: Any = importlib.import_module(module_name)
                *inner, name = path.split(".")
                for step in inner:
                    holder = getattr(holder, step)
                stack.enter_context(mock.patch.object(holder, name, replace(getattr(holder, name))))
            yield


def constant(value: Any) -> Callable[[Any], Any]:
    """Puts ``value`` there, whatever is there."""
    return lambda there: value


def answering(answer: Callable[..., Any]) -> Callable[[Any], Any]:
    """Puts a function there."""
    return lambda there: answer


def _always_enough(there: Any) -> Any:
    from byheart.queries import Says

    return lambda query: Says.ENOUGH


def _no_new_day(add: Any) -> Any:
    signature = inspect.signature(add)

    def added(*arguments: Any, **rest: Any) -> Any:
        bound = signature.bind(*arguments, **rest)
        bound.arguments["new_day"] = False
        return add(*bound.args, **bound.kwargs)

    return added


def _never_alone(init: Any) -> Any:
    def built(self: Any, **options: Any) -> None:
        init(self, **{**options, "alone": math.inf})

    return built


#: Every part that an ablation reports on.
OFF: dict[str, Switch] = {
    "stretches begin with a new day": Switch(
        "a stretch ends where the date changes", replaced={"byheart.stretches:Stretches.add": _no_new_day}
    ),
    "small stretches": Switch("off: 900 characters, as the original has them", memory={"chunk": 900}),
    "a long turn stands alone": Switch(
        "off: counted like any other", replaced={"byheart.counter:Counter.__init__": _never_alone}
    ),
    "passages": Switch(
        "a long turn is scored by its best passage", replaced={"byheart.inverted:_LONG_TURN": constant(10**9)}
    ),
    "stop words": Switch(
        "words that say nothing are left out", replaced={"byheart.english:STOP_WORDS": constant(frozenset())}
    ),
    "stemming": Switch(
        "English endings are taken off", replaced={"byheart.english:stem": answering(lambda word: word)}
    ),
    "compounds": Switch(
        "parts of identifiers, and whole addresses",
        replaced={"byheart.tokens:_compounds": answering(lambda piece, folded: [])},
    ),
    "best turn": Switch("a stretch gains a share of its best turn's score", retriever={"best_turn": 0.0}),
    "speaker": Switch("a turn gains where the question names its speaker", retriever={"speaker": 0.0}),
    "subject": Switch("related words count a little", retriever={"subject": 0.0}),
    "feedback": Switch("words borrowed from the best stretches", retriever={"feedback": 0.0}),
    "neighbours": Switch(
        "a stretch gains a share of its neighbours' scores", replaced={"byheart.ranking:NEIGHBOUR": constant(0.0)}
    ),
    "dates in questions": Switch(
        "a stretch gains where the question names its day", replaced={"byheart.ranking:DATED": constant(0.0)}
    ),
    "score for size": Switch(
        "off: room is filled by score alone", replaced={"byheart.ranking:SIZE_POWER": constant(0.0)}
    ),
    "riders": Switch(
        "the last exchange and the open stretch ride along; off: room for others, follow-ups suffer",
        replaced={"byheart.riders:choose": answering(lambda *arguments, **options: [])},
    ),
    "follow-ups": Switch(
        "a question that leans on the line before is ranked with the last exchange too",
        replaced={
            "byheart.queries:says": _always_enough,
            "byheart.queries:lean": answering(lambda query: 0.0),
        },
    ),
}
