"""Options that several benchmarks share: which conversations, and which options of byheart's Memory."""

from __future__ import annotations

import argparse
import json
from typing import Any

from . import data


def add_selection(parser: argparse.ArgumentParser) -> None:
    """Which of LoCoMo's conversations."""
    parser.add_argument(
        "--split",
        choices=("all", "tuning", "held-out"),
        default="all",
        help="all conversations, those everything was tuned on, or the others",
    )
    parser.add_argument("--conversations", nargs="+", metavar="ID", help="only these, by sample_id")


def chosen(options: argparse.Namespace, *, long_replies: bool = False) -> list[data.Conversation]:
    """The conversations that were selected."""
    conversations = data.load(options.data, long_replies=long_replies, only=options.conversations)
    if options.split == "tuning":
        return [c for c in conversations if c.id in data.TUNING]
    if options.split == "held-out":
        return [c for c in conversations if c.id not in data.TUNING]
    return conversations


def add_memory(parser: argparse.ArgumentParser) -> None:
    """Settings of byheart to try."""
    parser.add_argument("--memory", type=json.loads, default={}, metavar="JSON", help="options of byheart's Memory")
    parser.add_argument("--bm25", type=json.loads, default={}, metavar="JSON", help="options of its built-in retriever")


def memory(options: argparse.Namespace) -> dict[str, Any]:
    """Options for a Memory; the retriever, if it has options, as a function that builds one."""
    given = dict(options.memory)
    if options.bm25:
        from byheart.bm25 import BM25

        settings = dict(options.bm25)
        given["retriever"] = lambda: BM25(**settings)
    return given
