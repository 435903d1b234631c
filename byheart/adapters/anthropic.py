"""The Messages API of Anthropic: strictly alternating roles, cache marks on blocks.

Its documented rules, as read in 2026: an entry is written at each marked block and nowhere else; a request
reads the entry found by looking back from a mark over 20 blocks, the marked one included; at most 4 marks a
request, the ones on ``tools`` and ``system`` included; blank text is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from byheart.adapters import marks as _marks
from byheart.adapters.blocks import blocks, by_role, system_prompt
from byheart.adapters.reading import Transcript, label_of, placeholder, readable, text_of, typed

__all__ = ["LOOK_BACK", "MARKS", "TTLS", "read", "request"]

MARKS = 4
"""The most cache marks a request may carry."""

LOOK_BACK = 20
"""How many blocks a mark looks back over for an earlier entry, the marked one included."""

TTLS = ("5m", "1h")


def request(
    result: Mapping[str, Any], *, system: str | None = None, marks: int = MARKS, ttl: str | None = None
) -> dict[str, Any]:
    """Arguments for ``client.messages.create`` from a compose result: ``messages`` and, if given, ``system``.

    Consecutive messages of one role become one message of several blocks; every text stays as it is. The
    last stable block carries a cache mark, then the system prompt, then blocks 20 apart before the last
    stable one, up to ``marks`` in all (0: none; 3 where your ``tools`` carry one). Nothing is marked where
    nothing is stable. ``ttl`` is the lifetime: None (the provider's default, 5 minutes), ``"5m"`` or
    ``"1h"``.

    Raises TypeError or ValueError for another result or other options.

    >>> result = {"messages": [
    ...     {"role": "user", "parts": [{"type": "text", "text": "55 euro?"}]},
    ...     {"role": "user", "parts": [{"type": "text", "text": "a month?"}]}], "stable_upto": 0}
    >>> request(result)["messages"] == [{"role": "user", "content": [
    ...     {"type": "text", "text": "55 euro?", "cache_control": {"type": "ephemeral"}},
    ...     {"type": "text", "text": "a month?"}]}]
    True
    """
    _marks.check(marks, ttl, most=MARKS, ttls=TTLS, provider="Anthropic")
    prompt = system_prompt(system)
    found = blocks(result)
    # After a rebuild the system prompt is all that repeats, so it is worth a mark of its own.
    for_system = prompt is not None and marks > 1 and any(block.stable for block in found)
    marked = _marks.spaced(found, marks - for_system, LOOK_BACK)
    made: dict[str, Any] = {}
    if prompt is not None:
        made["system"] = [_block(prompt, for_system, ttl)]
    made["messages"] = [
        {"role": found[run[0]].role, "content": [_block(found[at].text, at in marked, ttl) for at in run]}
        for run in by_role(found)
    ]
    return made


def _block(text: str, marked: bool, ttl: str | None) -> dict[str, Any]:
    made: dict[str, Any] = {"type": "text", "text": text}
    if marked:
        made["cache_control"] = {"type": "ephemeral"} if ttl is None else {"type": "ephemeral", "ttl": ttl}
    return made


def read(messages: Iterable[Any], *, skip_roles: Iterable[str] = ()) -> list[dict[str, Any]]:
    """The turns of a Messages API list, as dicts with ``role``, ``text`` and ``when``, for ``Memory.extend``.

    Takes dicts and the SDK's own objects. A tool call and its result stand in one assistant turn, together
    with what the assistant says before and after; images, documents and the like become ``[image]``,
    ``[document: title]``; thinking is left out. ``when`` is the message's own key ``when``, where it has
    one.

    Messages whose role is in ``skip_roles`` are left out; ``"tool"`` there leaves out calls and results.
    Raises :class:`~byheart.errors.InputError`, naming the position, for what cannot be read.

    >>> turns = read([
    ...     {"role": "user", "content": "How warm is it?"},
    ...     {"role": "assistant", "content": [
    ...         {"type": "tool_use", "id": "t1", "name": "weather", "input": {}}]},
    ...     {"role": "user", "content": [
    ...         {"type": "tool_result", "tool_use_id": "t1", "content": "18 degrees"}]},
    ...     {"role": "assistant", "content": "18 degrees."}])
    >>> print(turns[1]["text"])
    [tool call: weather]
    [tool result: weather]
      18 degrees
    18 degrees.
    """
    transcript = Transcript(skip_roles)
    for where, message in transcript.messages(messages):
        role = transcript.role(message, where, {"user": "user", "assistant": "assistant"})
        if role is None:
            continue
        transcript.begin(role, message, where)
        content = message.get("content")
        if isinstance(content, str):
            transcript.text(content)
            transcript.end()
            continue
        cited = False
        for here, part in transcript.parts(content, f"{where}.content"):
            # A cited answer comes cut into blocks at every citation, in the middle of sentences.
            previously, cited = cited, bool(part.get("citations"))
            _part(transcript, part, here, glued=previously or cited)
        transcript.end()
    return transcript.turns()


def _part(transcript: Transcript, part: Mapping[str, Any], where: str, *, glued: bool) -> None:
    sort = typed(part, where)
    if sort == "text":
        transcript.text(text_of(part, "text", where), glued=glued)
    elif sort in ("thinking", "redacted_thinking"):
        pass
    elif sort.endswith("tool_use"):
        transcript.call(part.get("name"), part.get("input"), [part.get("id")], where)
    elif sort.endswith("tool_result"):
        answer, failed = readable(part.get("content"), where), bool(part.get("is_error"))
        transcript.result(part.get("tool_use_id"), None, answer, where, failed=failed)
    else:
        source = part.get("source")
        name = label_of(part) or (label_of(source) if isinstance(source, Mapping) else None)
        transcript.note(placeholder(sort, name))
