"""OpenAI's two interfaces, and what speaks the first of them: Chat Completions and Responses.

Its documented rules, as read in 2026: older models cache by themselves and refuse any mark. From GPT-5.6 on
a cache is written and matched at breakpoints alone. By default one sits at the end of the newest message,
which here changes every time, so that a stable prefix before it may never match; explicit ones go on text of
the user or the system prompt (never on what the assistant said), the latest 4 in a request are written, the
latest 80 are matched. An entry is found only where the next request has a breakpoint on the same block, so
with ``marks`` every user block of the stable prefix gets one, the latest first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from byheart.adapters import marks as _marks
from byheart.adapters.blocks import Block, blocks, by_message, by_role, shown, system_prompt
from byheart.adapters.reading import Transcript, label_of, placeholder, plain, readable, text_of, typed
from byheart.errors import InputError

__all__ = ["MARKS", "TTLS", "chat", "read", "responses"]

MARKS = 80
"""How many breakpoints of a request take part in matching; ``marks=MARKS`` for models from GPT-5.6 on."""

TTLS = ("30m", "12h")


def chat(
    result: Mapping[str, Any],
    *,
    system: str | None = None,
    marks: int = 0,
    ttl: str | None = None,
    key: str | None = None,
    merge: bool = False,
    plain: bool = False,
) -> dict[str, Any]:
    """Arguments for ``client.chat.completions.create`` from a compose result: ``messages`` and options.

    One message for each of the result's, in parts. Servers that are stricter than OpenAI's: ``merge=True``
    makes consecutive messages of one role one message of several parts, for those that want roles to
    alternate; ``plain=True`` sends each part as a message of its own with a string for content, for those
    that take nothing else. Both at once is a ValueError: it could only be done by gluing texts together.

    ``marks`` is for models from GPT-5.6 on (others refuse the fields it adds): how many breakpoints may be
    set, best :data:`MARKS`. They stand on the user blocks of the stable prefix, the latest first, and on the
    system prompt; the changing rest is then left out of the cache. ``ttl`` is how long what they mark is
    kept at least: None (the provider's default, 30 minutes), ``"30m"`` or ``"12h"``. ``key`` is the
    ``prompt_cache_key``: one a conversation routes its requests to the same cache.

    Raises TypeError or ValueError for another result or other options.

    >>> said = {"role": "user", "parts": [{"type": "text", "text": "hi"}]}
    >>> result = {"messages": [said], "stable_upto": -1}
    >>> chat(result, system="Be brief.")["messages"] == [
    ...     {"role": "system", "content": "Be brief."},
    ...     {"role": "user", "content": [{"type": "text", "text": "hi"}]}]
    True
    >>> chat(result, plain=True)["messages"]
    [{'role': 'user', 'content': 'hi'}]
    """
    if merge and plain:
        raise ValueError("merge and plain cannot go together: one message of several texts has no plain content")
    if plain and marks:
        raise ValueError("plain=True sends strings, which carry no breakpoint; leave marks at 0")
    prompt, found, marked, made = _prepare(result, system, marks, ttl, key)
    messages: list[dict[str, Any]] = []
    if prompt is not None:
        part = _part(prompt, "text", True, ttl)
        messages.append({"role": "system", "content": [part] if -1 in marked else prompt})
    if plain:
        messages += [{"role": block.role, "content": block.text} for block in found]
    else:
        messages += [
            {
                "role": found[run[0]].role,
                "content": [_part(found[at].text, "text", at in marked, ttl) for at in run],
            }
            for run in (by_role(found) if merge else by_message(found))
        ]
    return {"messages": messages, **made}


def responses(
    result: Mapping[str, Any],
    *,
    system: str | None = None,
    marks: int = 0,
    ttl: str | None = None,
    key: str | None = None,
) -> dict[str, Any]:
    """Arguments for ``client.responses.create`` from a compose result: ``input`` and options.

    One item for each message of the user; each text of the assistant is an item of its own, as a string, the
    one shape of an earlier answer that needs no id. The system prompt is ``instructions``, or with ``marks``
    an item of its own, so that it can carry a mark. Options as in :func:`chat`.

    >>> said = {"role": "user", "parts": [{"type": "text", "text": "hi"}]}
    >>> result = {"messages": [said], "stable_upto": -1}
    >>> responses(result, system="Be brief.") == {"instructions": "Be brief.", "input": [
    ...     {"role": "user", "content": [{"type": "input_text", "text": "hi"}]}]}
    True
    """
    prompt, found, marked, made = _prepare(result, system, marks, ttl, key)
    items: list[dict[str, Any]] = []
    if prompt is not None and marks:
        items.append({"role": "system", "content": [_part(prompt, "input_text", -1 in marked, ttl)]})
    elif prompt is not None:
        made = {"instructions": prompt, **made}
    for run in by_message(found):
        texts = [found[at].text for at in run]
        if found[run[0]].role == "assistant":
            items += [{"role": "assistant", "content": text} for text in texts]
        else:
            content = [_part(found[at].text, "input_text", at in marked, ttl) for at in run]
            items.append({"role": "user", "content": content})
    return {"input": items, **made}


def _prepare(
    result: Mapping[str, Any], system: str | None, marks: int, ttl: str | None, key: str | None
) -> tuple[str | None, list[Block], set[int], dict[str, Any]]:
    """The system prompt, the blocks, where marks go (-1: on the system prompt), and the options."""
    _marks.check(marks, ttl, most=MARKS, ttls=TTLS, provider="OpenAI")
    if key is not None and not isinstance(key, str):
        raise TypeError(f"key must be a str or None, got {shown(key)}")
    prompt = system_prompt(system)
    found = blocks(result)
    for_system = prompt is not None and marks > 1 and any(block.stable for block in found)
    marked = _marks.latest(found, marks - for_system)
    if for_system:
        marked.add(-1)
    made: dict[str, Any] = {} if key is None else {"prompt_cache_key": key}
    if marked:  # without one, explicit mode would mean no cache at all
        made["prompt_cache_options"] = {"mode": "explicit"}
    return prompt, found, marked, made


def _part(text: str, sort: str, marked: bool, ttl: str | None) -> dict[str, Any]:
    made: dict[str, Any] = {"type": sort, "text": text}
    if marked:
        made["prompt_cache_breakpoint"] = {"mode": "explicit"} if ttl is None else {"mode": "explicit", "ttl": ttl}
    return made


# Reading


def read(messages: Iterable[Any], *, skip_roles: Iterable[str] = ()) -> list[dict[str, Any]]:
    """The turns of a Chat Completions list or of Responses items, as dicts for ``Memory.extend``.

    Takes dicts and the SDK's own objects. A tool call and its result stand in one assistant turn, together
    with what the assistant says before and after; images, sound, files and the like become ``[image]``,
    ``[file: name]``; reasoning is left out. ``when`` is the message's own key ``when``, where it has one.

    Messages whose role is in ``skip_roles`` are left out, such as ``["system", "developer"]``; ``"tool"``
    there leaves out calls and results. Raises :class:`~byheart.errors.InputError`, naming the position, for
    what cannot be read.

    >>> turns = read([
    ...     {"role": "user", "content": "How warm is it?"},
    ...     {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": {
    ...         "name": "weather", "arguments": '{"city": "Ulm"}'}}]},
    ...     {"role": "tool", "tool_call_id": "c1", "content": "18 degrees"},
    ...     {"role": "assistant", "content": "18 degrees."}])
    >>> print(turns[1]["text"])
    [tool call: weather]
      {"city": "Ulm"}
    [tool result: weather]
      18 degrees
    18 degrees.
    """
    transcript = Transcript(skip_roles)
    for where, message in transcript.messages(messages):
        if message.get("type", "message") != "message" and "role" not in message:
            _item(transcript, message, where)
        else:
            _message(transcript, message, where)
    return transcript.turns()


def _message(transcript: Transcript, message: Mapping[str, Any], where: str) -> None:
    roles = {"user": "user", "assistant": "assistant", "tool": "tool", "function": "tool"}
    role = transcript.role(message, where, roles)
    if role == "tool":
        text = readable(message.get("content"), f"{where}.content")
        transcript.result(message.get("tool_call_id"), message.get("name"), text, where)
    elif role is not None:
        transcript.begin(role, message, where)
        content = message.get("content")
        for here, part in transcript.parts([content] if isinstance(content, str) else content, f"{where}.content"):
            _content_part(transcript, part, here)
        if message.get("refusal"):
            transcript.text(text_of(message, "refusal", where))
        if message.get("audio"):
            spoken = plain(message["audio"], f"{where}.audio").get("transcript")
            if isinstance(spoken, str):
                transcript.text(spoken)
            else:
                transcript.note(placeholder("audio"))
        for here, call in transcript.parts(message.get("tool_calls"), f"{where}.tool_calls"):
            kind = "custom" if "custom" in call else "function"
            called = plain(call.get(kind), f"{here}.{kind}")
            transcript.call(called.get("name"), called.get("arguments", called.get("input")), [call.get("id")], here)
        if message.get("function_call"):
            called = plain(message["function_call"], f"{where}.function_call")
            transcript.call(called.get("name"), called.get("arguments"), [], where)
        transcript.end()


def _content_part(transcript: Transcript, part: Mapping[str, Any], where: str) -> None:
    sort = typed(part, where)
    if sort in ("text", "input_text", "output_text", "refusal"):
        transcript.text(text_of(part, "refusal" if sort == "refusal" else "text", where))
    elif sort.startswith("reasoning"):
        pass
    else:
        held = part.get("file")
        transcript.note(placeholder(sort, label_of(held if isinstance(held, Mapping) else part)))


_ARGUMENTS = ("arguments", "input", "action", "actions", "operation", "code", "queries")
_RESULTS = ("output", "outputs", "results", "result", "error")


def _item(transcript: Transcript, item: Mapping[str, Any], where: str) -> None:
    """An item of the Responses interface that is no message: mostly a call of some tool, or its output."""
    sort = typed(item, where)
    if sort == "item_reference":
        raise InputError(f"{where}: refers to an item stored at the provider; pass the item itself")
    if sort == "reasoning":
        return
    if sort.endswith("_call_output"):
        # A local shell's output has its call's id where all others have their own.
        key = item.get("call_id") or item.get("id")
        transcript.result(key, item.get("name"), readable(item.get("output"), f"{where}.output"), where)
        return
    transcript.begin("assistant", item, where, goes_on=True)
    if sort.endswith("_call"):
        name = item.get("name") or sort.removesuffix("_call").replace("_", " ")
        keys = [item.get("call_id"), item.get("id")]
        transcript.call(name, _first(item, _ARGUMENTS), keys, where)
        answer = _first(item, _RESULTS)
        if answer is not None:  # the provider's own tools bring their results along
            drawn = sort == "image_generation_call" and item.get("result")
            text = placeholder("image") if drawn else readable(answer, where)
            transcript.result(_first(item, ("call_id", "id")), name, text, where, failed=bool(item.get("error")))
    else:
        transcript.note(placeholder(sort))
    transcript.end(goes_on=True)


def _first(item: Mapping[str, Any], keys: Sequence[str]) -> Any:
    return next((item[key] for key in keys if item.get(key) is not None), None)
