"""``python -m eval list``, ``python -m eval NAME ...``, ``python -m eval all``, ``python -m eval report``."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from . import registry, result
from .data import DataMissingError
from .text import table_to_text


def _shown(path: Path) -> str:
    """A path as a result file states it: below the repository, or its name alone, since where it lay is nobody's business."""
    return str(path.relative_to(result.ROOT)) if path.is_relative_to(result.ROOT) else path.name


def parser() -> argparse.ArgumentParser:
    main = argparse.ArgumentParser(prog="python -m eval", description="Benchmarks of byheart.")
    commands = main.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("list", help="what there is, and what of it cannot run here")
    every = commands.add_parser("all", help="every benchmark that is not marked as slow, then the report")
    common(every)
    every.add_argument("--jobs", type=int, default=min(2, os.cpu_count() or 1), help="how many at a time")
    every.add_argument("--slow", action="store_true", help="the slow ones too")
    for name, module in registry.benchmarks().items():
        command = commands.add_parser(
            name, help=module.HELP, description=module.__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
        )
        common(command)
        command.add_argument("--name", help="name of the result file, instead of the benchmark's")
        module.add_arguments(command)
    report = commands.add_parser("report", help="tables and plots from the result files")
    report.add_argument("--results", type=Path, default=result.FOLDER)
    report.add_argument("--docs", type=Path, default=None)
    report.add_argument("--check", action="store_true", help="write nothing; fail if a page is out of step")
    return main


def common(command: argparse.ArgumentParser) -> None:
    command.add_argument("--data", help="folder of the data sets, or locomo10.json itself")
    command.add_argument("--quick", action="store_true", help="a small part of the questions, to see it work")
    command.add_argument("--seed", type=int, default=1, help="for whatever is drawn at random")
    command.add_argument(
        "--out",
        type=Path,
        default=None,
        help="folder for the result file (default: eval/results; nothing with --quick)",
    )


def run_one(name: str, options: argparse.Namespace) -> list[str]:
    """Runs one benchmark, prints its tables, writes its file; the promises it found broken."""
    module = registry.benchmarks()[name]
    started = time.perf_counter()
    found = module.run(options)
    seconds = time.perf_counter() - started
    for table in found.tables:
        print(table_to_text(table.to_json()), end="\n\n")
    for note in found.notes:
        print(f"note: {note}")
    folder = options.out or (None if options.quick else result.FOLDER)
    if folder is not None:
        stated = {
            k: _shown(v) if isinstance(v, Path) else v for k, v in vars(options).items() if k not in ("command", "name")
        }
        path = result.write(found, stated, seconds, folder, getattr(options, "name", None))
        result.say(f"{name}: {seconds:.0f} s, written to {path}")
    for failure in found.failures:
        print(f"BROKEN PROMISE: {failure}")
    return [f"{name}: {failure}" for failure in found.failures]


def main(arguments: Sequence[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    if options.command == "list":
        for name, module in registry.benchmarks().items():
            print(f"{name:14} {module.HELP}")
        for name, error in registry.broken().items():
            print(f"{name:14} cannot be imported here: {error}")
        return 0
    if options.command == "report":
        from . import report

        changed = report.render(options.results, options.docs, check=options.check)
        for path in changed if options.check else ():
            print(f"out of step with the results: {path}")
        return 1 if options.check and changed else 0
    if options.command == "all":
        return run_all(options)
    try:
        return 1 if run_one(options.command, options) else 0
    except (DataMissingError, result.NotReadyError) as missing:
        print(missing, file=sys.stderr)
        return 2


def run_all(options: argparse.Namespace) -> int:
    """Every benchmark in a process of its own, ``--jobs`` at a time; what each printed, in order; the report."""
    given = ["--seed", str(options.seed)]
    given += ["--quick"] if options.quick else []
    given += ["--data", options.data] if options.data else []
    given += ["--out", str(options.out)] if options.out else []
    names = [
        name
        for name, module in registry.benchmarks().items()
        if not getattr(module, "COSTS_MONEY", False) and (options.slow or not getattr(module, "SLOW", False))
    ]

    def run(name: str) -> subprocess.CompletedProcess[str]:
        result.say(f"== {name}")
        # Progress goes straight through; tables are kept together.
        return subprocess.run(
            [sys.executable, "-m", "eval", name, *given], stdout=subprocess.PIPE, text=True, check=False
        )

    failed = []
    with ThreadPoolExecutor(options.jobs) as pool:
        for name, ran in zip(names, pool.map(run, names), strict=True):
            print(ran.stdout)
            failed += [name] if ran.returncode else []
    folder = options.out or (None if options.quick else result.FOLDER)
    if folder is not None:
        from . import report

        report.render(folder, options.out and options.out / "docs")
    if failed:
        print(f"failed, or with a broken promise: {', '.join(failed)}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
