"""Writes docs/api.md from the docstrings: ``python docs/write_api.py``; ``--check`` writes nothing.

What a docstring says stands in one place, the code; this page repeats it for those who read in a browser.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("api.md")

#: Headings, what stands under them, and the names that are documented there: a module, and its names.
SECTIONS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    (
        "The memory",
        "What a *turn*, a *stretch* and the *context* are, and when to change an option: [concepts](concepts.md).",
        "byheart",
        ("Memory", "Composed", "Message", "Part", "Found", "MARKER"),
    ),
    (
        "Plugins by name",
        "How to write one: [plugins](plugins.md), which has the hooks with their signatures.",
        "byheart",
        ("load", "hookimpl", "PluginHost"),
    ),
    (
        "Errors",
        "A wrong argument is a plain `TypeError` or `ValueError`. These carry more:",
        "byheart",
        ("ByheartError", "PluginError", "SnapshotError", "InputError"),
    ),
    (
        "Stores",
        "Conversations on the disk or in PostgreSQL.",
        "byheart.store",
        ("open", "Store", "Listed", "Conversation", "StoreError"),
    ),
    (
        "Adapters: Anthropic",
        "[Adapters](adapters.md) explains all three.",
        "byheart.adapters.anthropic",
        ("request", "read"),
    ),
    ("Adapters: OpenAI", "", "byheart.adapters.openai", ("chat", "responses", "read")),
    ("Adapters: Gemini", "", "byheart.adapters.gemini", ("request", "read")),
    ("Chat files", "The [command line](command-line.md) reads them with this.", "byheart.readers", ("read_chat",)),
    (
        "Dates",
        "[Dates](dates.md) lists what is read and what is left alone.",
        "byheart.dates",
        ("Language", "annotate"),
    ),
    ("Checks for plugins", "", "byheart.testing", ("check_retriever", "check_segmenter")),
)

#: Classes that their users do not build themselves.
HANDED_OUT = ("Store", "Conversation")

#: What is public without a docstring of its own, since it is a value.
VALUES = {
    "MARKER": "The first line of every recalled block.",
    "hookimpl": "Marks a method as a hook: `@hookimpl`, or `@hookimpl(wrapper=True)`; pluggy's own marker for byheart.",
}


def page() -> str:
    """The whole page."""
    parts = [
        "# API",
        "<!-- Written by `python docs/write_api.py` from the docstrings; do not edit. -->",
        "What `from byheart import ...` offers, and what a user needs of its modules.",
    ]
    for heading, text, module, names in SECTIONS:
        parts += [f"## {heading}", *([text] if text else [])]
        for name in names:
            parts += entry(module, name)
    return "\n\n".join(part.strip() for part in parts) + "\n"


def entry(module: str, name: str) -> Iterator[str]:
    """One name: its signature as a heading, its docstring, and for a class its methods."""
    thing = getattr(importlib.import_module(module), name)
    if name in VALUES:
        yield f"### `{module}.{name}`"
        value = f" It is `{thing}`." if isinstance(thing, str) else ""
        yield VALUES[name] + value
        return
    yield f"### `{module}.{name}{'' if _bare(thing) else signature(thing)}`"
    yield markdown(documented(thing, name))
    if inspect.isclass(thing):
        for member, found in methods(thing):
            if isinstance(found, property):
                yield f"#### `{name}.{member}`"
                yield markdown(documented(found, member))
            else:
                yield f"#### `{name}.{member}{signature(found)}`"
                yield markdown(documented(found, member))


def _bare(thing: Any) -> bool:
    """Whether its signature says nothing: errors and some classes are handed out, a TypedDict is a dict."""
    if not inspect.isclass(thing):
        return False
    return issubclass(thing, Exception) or hasattr(thing, "__required_keys__") or thing.__name__ in HANDED_OUT


def methods(owner: type) -> Iterator[tuple[str, Any]]:
    """Its own public methods and properties, in the order in which they are written."""
    if issubclass(owner, Exception):
        return
    for name, found in vars(owner).items():
        function = found.__func__ if isinstance(found, classmethod | staticmethod) else found
        if not name.startswith("_") and (inspect.isfunction(function) or isinstance(function, property)):
            yield name, found if isinstance(found, property) else getattr(owner, name)


def signature(function: Callable[..., Any]) -> str:
    """Its arguments with their defaults, without annotations and without ``self``."""
    found = inspect.signature(function)
    bare = [each.replace(annotation=inspect.Parameter.empty) for each in found.parameters.values()]
    return str(inspect.Signature([each for each in bare if each.name != "self"]))


def documented(thing: Any, name: str) -> str:
    """Its docstring; a public name without one is an error."""
    text = inspect.getdoc(thing)
    if not text:
        raise SystemExit(f"{name} is public and has no docstring")
    return text


def markdown(docstring: str) -> str:
    """A docstring as Markdown: code marks, references as code, examples fenced.

    >>> markdown("See :func:`~byheart.load` and ``None``.")
    'See `load` and `None`.'
    """
    text = re.sub(r":\w+:`~(?:\w+\.)*(\w+)`", r"`\1`", docstring)
    text = re.sub(r":\w+:`([\w.]+)`", r"`\1`", text)
    text = re.sub(r"``(.+?)``", r"`\1`", text, flags=re.DOTALL)
    blocks = []
    for block in re.split(r"\n\n+", text):
        lines = block.split("\n")
        at = next((n for n, line in enumerate(lines) if line.startswith(">>>")), None)
        if at is None:
            blocks.append(block)
            continue
        blocks += ["\n".join(lines[:at])] if at else []
        blocks.append("\n".join(["```python", *lines[at:], "```"]))
    return "\n\n".join(blocks)


def main(arguments: list[str]) -> int:
    text = page()
    current = PAGE.read_text(encoding="utf-8") if PAGE.exists() else ""
    if text == current:
        return 0
    if "--check" in arguments:
        print("docs/api.md is out of step with the docstrings: python docs/write_api.py")
        return 1
    PAGE.write_text(text, encoding="utf-8")
    print("written: docs/api.md")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
