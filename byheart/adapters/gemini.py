"""The Gemini API (generateContent): roles ``user`` and ``model``, no marks.

Its cache is implicit on models from 2.5 on and needs nothing in the request; a prefix that stays still is
what it matches. Explicit caches are created apart and bill storage; a context that grows has no use for
them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from byheart.adapters.blocks import blocks, by_role, shown, system_prompt
from byheart.adapters.reading import Transcript, label_of, placeholder, plain, readable, text_of
from byheart.errors import InputError

__all__ = ["read", "request"]

_ROLES = {"user": "user", "assistant": "model"}
_CODE = "code execution"
_ASIDES = frozenset({"type", "thought", "thought_signature", "thoughtSignature", "part_metadata", "partMetadata"})


def request(result: Mapping[str, Any], *, system: str | None = None) -> dict[str, Any]:
    """Arguments for ``client.models.generate_content``: ``contents``, and ``config`` with the system prompt.

    Consecutive messages of one role become one content of several parts; every text stays as it is. In a
    body sent without the SDK, ``config["system_instruction"]`` is the top-level ``{"systemInstruction":
    {"parts": [{"text": ...}]}}``.

    Raises TypeError or ValueError for another result or another system prompt.

    >>> said = {"role": "user", "parts": [{"type": "text", "text": "hi"}]}
    >>> result = {"messages": [said], "stable_upto": -1}
    >>> request(result, system="Be brief.")
    {'contents': [{'role': 'user', 'parts': [{'text': 'hi'}]}], 'config': {'system_instruction': 'Be brief.'}}
    """
    prompt = system_prompt(system)
    found = blocks(result)
    made: dict[str, Any] = {
        "contents": [
            {"role": _ROLES[found[run[0]].role], "parts": [{"text": found[at].text} for at in run]}
            for run in by_role(found)
        ]
    }
    if prompt is not None:
        made["config"] = {"system_instruction": prompt}
    return made


def read(messages: Iterable[Any], *, skip_roles: Iterable[str] = ()) -> list[dict[str, Any]]:
    """The turns of a list of contents, as dicts with ``role``, ``text`` and ``when``, for ``Memory.extend``.

    Takes dicts with keys in either spelling (``function_call``, ``functionCall``), the SDK's own objects (a
    chat's history), and plain strings, which the user said. A function's call and response stand in one
    assistant turn; images, files and the like become ``[image]``, ``[file: name]``; thoughts are left out.
    Contents of the model that follow one another are the pieces of one streamed answer. ``when`` is the
    content's own key ``when``.

    ``skip_roles`` as in :func:`byheart.adapters.anthropic.read`. Raises
    :class:`~byheart.errors.InputError`, naming the position, for what cannot be read.

    >>> read(["hi", {"role": "model", "parts": [{"text": "Hello."}]}])[1]
    {'role': 'assistant', 'text': 'Hello.', 'when': None}
    """
    roles = {"user": "user", "model": "assistant", "function": "user", "tool": "user"}
    transcript = Transcript(skip_roles)
    for where, message in transcript.messages(messages, from_str=lambda text: {"parts": [text]}):
        role = transcript.role({**message, "role": message.get("role") or "user"}, where, roles)
        if role is None:
            continue
        transcript.begin(role, message, where, goes_on=True)
        for here, part in transcript.parts(message.get("parts"), f"{where}.parts"):
            _part(transcript, part, here, streamed=role == "assistant")
        transcript.end()
    return transcript.turns()


def _part(transcript: Transcript, part: Mapping[str, Any], where: str, *, streamed: bool) -> None:
    if part.get("thought"):
        return
    if part.get("text") is not None:
        transcript.text(text_of(part, "text", where), glued=streamed)
    elif (call := _held(part, where, "function_call", "functionCall")) is not None:
        transcript.call(call.get("name"), call.get("args"), [call.get("id")], where)
    elif (answer := _held(part, where, "function_response", "functionResponse")) is not None:
        text, failed = _response(answer.get("response"), where)
        transcript.result(answer.get("id"), answer.get("name"), text, where, failed=failed)
    elif (code := _held(part, where, "executable_code", "executableCode")) is not None:
        transcript.call(_CODE, text_of(code, "code", where), [code.get("id")], where)
    elif (ran := _held(part, where, "code_execution_result", "codeExecutionResult")) is not None:
        outcome = ran.get("outcome", "OUTCOME_OK")
        failed = not isinstance(outcome, str) or "OK" not in outcome
        transcript.result(ran.get("id"), _CODE, readable(ran.get("output"), where), where, failed=failed)
    elif (data := _held(part, where, "inline_data", "inlineData", "file_data", "fileData")) is not None:
        mime = data.get("mime_type") or data.get("mimeType")
        kind = mime.partition("/")[0] if isinstance(mime, str) else ""
        transcript.note(placeholder(kind if kind in ("image", "audio", "video") else "file", label_of(data)))
    else:
        kinds = [key for key in part if key not in _ASIDES]
        if not kinds:
            raise InputError(f"{where}: expected a part with text, data or a function call, got {shown(part)}")
        transcript.note(placeholder(str(kinds[0])))


def _held(part: Mapping[str, Any], where: str, *keys: str) -> Mapping[str, Any] | None:
    """What the part holds under one of the keys."""
    value = next((part[key] for key in keys if part.get(key) is not None), None)
    return None if value is None else plain(value, where)


def _response(response: Any, where: str) -> tuple[str, bool]:
    """What a function answered, and whether it failed; the SDK wraps answers in ``{"result": ...}``."""
    if isinstance(response, Mapping) and len(response) == 1:
        for key in ("result", "output", "error"):
            if key in response:
                return readable(response[key], where), key == "error"
    return readable(response, where), False
