"""The command ``byheart``: compose and search a chat file or a stored conversation, keep a store, list the plugins.

Exit codes: 0; 2 for wrong input or a plugin that cannot be used, told in one line on standard error; 1 where
the answer cannot be written; 130 after Ctrl-C; 141 where the reader of a pipe has gone.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, NoReturn

from byheart import cli_store
from byheart.cli_memory import Command, declare_chat, declare_options, refused
from byheart.errors import ByheartError, InputError
from byheart.terminal import UnwritableError, abandon_stdout, complain, indented, write, write_json

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line ``argv`` (None: the process's own) and return its exit code."""
    name, *rest = (sys.argv[1:] if argv is None else argv) or [""]
    try:
        if name in COMMANDS:
            parser = _Parser(prog=f"byheart {name}", description=COMMANDS[name].summary, allow_abbrev=False)
            COMMANDS[name].declare(parser)
            # Intermixed, so that the question may stand behind the options as well as before them.
            return COMMANDS[name].run(parser.parse_intermixed_args(rest))
        return _top(name)
    except UnwritableError as error:
        abandon_stdout()
        if isinstance(error.__cause__, BrokenPipeError):
            return 141
        complain(str(error))
        return 1
    except ByheartError as error:
        complain(str(error))
        return 2
    except KeyboardInterrupt:
        return 130


def _top(name: str) -> int:
    """What stands in place of a command: a wish for help, or a mistake."""
    if name in ("-h", "--help"):
        width = max(map(len, COMMANDS))
        listed = "\n".join(f"  {each:{width}}  {command.summary}" for each, command in COMMANDS.items())
        write(f"usage: byheart COMMAND ...\n\n{listed}\n\nbyheart COMMAND --help tells more of each.\n")
        return 0
    if name == "--version":
        from byheart import __version__

        write(f"byheart {__version__}\n")
        return 0
    got = f", got {name!r}" if name else ""
    raise InputError(f"expected a command ({', '.join(COMMANDS)}){got}; byheart --help tells more")


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise InputError(f"{self.prog.removeprefix('byheart ')}: {message}; {self.prog} --help tells more")


# Commands


def _declare_memory(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("chat", metavar="CHAT", help="a chat file, -: standard input; or a store, by file or URL")
    add = parser.add_argument
    add(
        "--conversation", metavar="ID", help="which one of a store, or of a LoCoMo file: its name, or its number from 1"
    )
    declare_chat(parser)
    declare_options(parser)


def _declare_compose(parser: argparse.ArgumentParser) -> None:
    _declare_memory(parser)
    parser.add_argument(
        "question",
        metavar="QUESTION",
        nargs="?",
        help="what is asked; without: the newest turn, where it is the user's",
    )
    parser.add_argument("--when", metavar="DATE", help="the day on which it is asked")
    parser.add_argument(
        "--format",
        choices=["text", "json", *_PROVIDERS],
        default="text",
        help="of the output; text is for reading",
    )
    parser.add_argument("--dry-run", action="store_true", help="in a store: do not keep what is sent")


def _compose(args: argparse.Namespace) -> int:
    with cli_store.remembered(args) as memory, refused(ValueError):
        composed = memory.compose(args.question, when=args.when, dry_run=args.dry_run)
        turns = len(memory)
    if args.format == "text":
        write(_composed_text(composed, turns))
    elif args.format == "json":
        write_json(composed)
    else:
        write_json(_for_provider(args.format, composed))
    return 0


_PROVIDERS = ("anthropic", "openai", "gemini")


def _for_provider(name: str, composed: Any) -> Any:
    from byheart import adapters

    if name == "anthropic":
        return adapters.anthropic.request(composed)
    return adapters.openai.chat(composed) if name == "openai" else adapters.gemini.request(composed)


def _composed_text(composed: Mapping[str, Any], turns: int) -> str:
    excerpts = f", {len(composed['excerpts'])} in excerpts" if composed["excerpts"] else ""
    blocks = [
        f"{composed['mode']}: {composed['chars']:,} characters; "
        f"{composed['selected']} of {composed['of_units']} stretches; "
        f"{len(composed['included'])} of {turns} turns whole{excerpts}"
    ]
    for index, message in enumerate(composed["messages"]):
        parts = "\n\n".join(indented(part["text"]) for part in message["parts"])
        blocks.append(f"{message['role']}\n{parts}")
        if index == composed["stable_upto"]:
            blocks.append("---- up to here the next request begins the same")
    return "\n\n".join(blocks) + "\n"


def _declare_search(parser: argparse.ArgumentParser) -> None:
    _declare_memory(parser)
    parser.add_argument("question", metavar="QUESTION", help="what to look for")
    parser.add_argument("--when", metavar="DATE", help="the day on which it is asked")
    parser.add_argument("--limit", metavar="N", type=int, default=5, help="how many stretches at most; 5")
    parser.add_argument("--format", choices=["text", "json"], default="text", help="of the output")


def _search(args: argparse.Namespace) -> int:
    with cli_store.remembered(args) as memory, refused(ValueError):
        hits = memory.search(args.question, limit=args.limit, when=args.when)
    if args.format == "json":
        write_json(hits)
        return 0
    blocks = []
    for hit in hits:
        first, last = hit["turns"][0], hit["turns"][1] - 1
        which = f"turn {first}" if first == last else f"turns {first} to {last}"
        when = f", {hit['when']}" if hit["when"] else ""
        blocks.append(f"{which}{when} (score {hit['score']:.3f})\n{indented(hit['text'])}\n")
    write("\n".join(blocks) or "nothing found\n")
    return 0


def _declare_plugins(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--format", choices=["text", "json"], default="text", help="of the output")


def _plugins(args: argparse.Namespace) -> int:
    from byheart.entry_points import available

    plugins = available()
    if args.format == "json":
        write_json([asdict(plugin) for plugin in plugins])
        return 0
    rows = [("NAME", "KIND", "FROM", "STATE")]
    for plugin in plugins:
        cure = f"; try: {plugin.cure}" if plugin.cure else ""
        state = "ok" if plugin.ok else f"error: {plugin.error}{cure}"
        origin = f"{plugin.distribution or '?'} {plugin.version or ''}"
        rows.append((plugin.name, plugin.kind, origin.strip(), " ".join(state.split())))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        line = "  ".join(f"{cell:{width}}" for cell, width in zip(row, widths, strict=True))
        write(line.rstrip() + "\n")
    return 0


COMMANDS = {
    "compose": Command("Print the messages that a memory of CHAT sends with QUESTION.", _declare_compose, _compose),
    "search": Command("Print the stretches of CHAT that QUESTION is about, best first.", _declare_search, _search),
    "plugins": Command("List the plugins that are installed.", _declare_plugins, _plugins),
    **cli_store.COMMANDS,
}
