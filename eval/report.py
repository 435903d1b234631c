"""Tables and plots for the documentation, from result files alone.

``docs/results.md`` is written whole: the protocol (``eval/protocol.md``), then plots and tables. In
other pages and in the README, what stands between marks is written anew::

    <!-- eval: figure replay byheart.recall .3f -->0.958<!-- /eval -->
    <!-- eval: table recall 0 -->
    ...
    <!-- /eval -->

so that prose never quotes a figure no result file has. With ``check`` nothing is written, and the
pages that would change are named.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from . import plots
from .data import ROOT
from .result import say
from .text import table_to_markdown

PROTOCOL = ROOT / "eval" / "protocol.md"

_MARKED = re.compile(r"(<!-- eval: ([^>]*?) -->)(.*?)(<!-- /eval -->)", re.DOTALL)

Results = Mapping[str, Mapping[str, Any]]


class ReportError(ValueError):
    """A page asks for what no result file has."""


def load(folder: Path) -> dict[str, dict[str, Any]]:
    """Every result file of a folder, by its name without ending."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def render(results: Path, docs: Path | None = None, *, check: bool = False, figures: bool = True) -> list[str]:
    """Writes ``docs/results.md``, the plots, and the marked parts of README.md and of the pages.

    Returns what changed (with ``check``: would change), plots left out: their bytes depend on
    matplotlib's version.
    """
    docs = docs or ROOT / "docs"
    loaded = load(results)
    if not loaded:
        raise ReportError(f"no result files in {results}: run `python -m eval all` first")
    drawn = plots.available(loaded)
    changed = []
    for path, text in _pages(loaded, docs, drawn):
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            changed.append(str(path))
            if not check:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
                say(f"written: {path}")
    if figures and not check:
        for name in drawn:
            say(f"written: {plots.draw(name, loaded, docs / 'figures')}")
    return changed


def _pages(loaded: Results, docs: Path, drawn: list[str]) -> Iterator[tuple[Path, str]]:
    yield docs / "results.md", results_page(loaded, drawn)
    for path in [docs.parent / "README.md", *sorted(docs.rglob("*.md"))]:
        if path.exists() and path.name != "results.md":
            text = path.read_text(encoding="utf-8")
            filled = fill(text, loaded, path.name)
            if filled != text:
                yield path, filled


def fill(text: str, loaded: Results, page: str = "the page") -> str:
    """``text`` with every marked part written anew from the results.

    >>> fill("<!-- eval: figure a x .2f -->?<!-- /eval -->", {"a": {"figures": {"x": 0.5}}})
    '<!-- eval: figure a x .2f -->0.50<!-- /eval -->'
    """

    def anew(found: re.Match[str]) -> str:
        kind, name, *rest = found[2].split(maxsplit=2)
        if name not in loaded:
            raise ReportError(f"{page} asks for a {kind} of {name!r}, which has no result file")
        what = rest[0] if rest else ""
        if kind == "figure":
            key, _, form = what.rpartition(" ")
            return found[1] + figure(loaded[name], key, form, page) + found[4]
        if kind == "table":
            number, _, level = what.partition(" ")
            tables = loaded[name]["tables"]
            if not number.isdigit() or int(number) >= len(tables):
                raise ReportError(f"{page} asks for table {number} of {name!r}, which has {len(tables)}")
            body = table_to_markdown(tables[int(number)], int(level) if level else 3)
            return f"{found[1]}\n{body}{found[4]}"
        raise ReportError(f"{page}: expected `figure` or `table` after `eval:`, got {kind!r}")

    return _MARKED.sub(anew, text)


def figure(result: Mapping[str, Any], key: str, form: str, page: str = "the page") -> str:
    """One figure in a format of :func:`format`."""
    if key not in result["figures"]:
        raise ReportError(f"{page} asks for the figure {key!r}; there are {', '.join(sorted(result['figures']))}")
    value = result["figures"][key]
    return format(value["value"] if isinstance(value, dict) else value, form)


def results_page(loaded: Results, drawn: list[str]) -> str:
    """``docs/results.md``: every table of every result, with what it was run on."""
    parts = [
        "# Results\n\nWritten by `python -m eval report` from the files in `eval/results/`; do not edit. "
        "`python -m eval all` writes those anew, given the data.",
        PROTOCOL.read_text(encoding="utf-8").strip(),
    ]
    captions = {name: plots.PLOTS[name].caption for name in drawn}
    parts += [f"![{text}](figures/{name}.svg)\n\n*{text}*" for name, text in captions.items()]
    for name, result in loaded.items():
        machine, code = result["machine"], result["code"]
        commit = (code["commit"] or "no commit")[:12] + (" with changes" if code["changed"] else "")
        packages = ", ".join(f"{k} {v}" for k, v in sorted(result["packages"].items()))
        parts.append(
            f"## {name}\n\n`{command(name, result)}`, {result['ran']['at'][:10]}, "
            f"{result['ran']['seconds']:.0f} seconds, {machine['implementation']} {machine['python']} on "
            f"{machine['cores']} cores, code {commit} ({code['sources_sha256'][:12]}); {packages}."
        )
        parts += [table_to_markdown(table).strip() for table in result["tables"]]
        parts += [f"Note: {note}" for note in result["notes"]]
        parts += [f"**Broken promise:** {failure}" for failure in result["failures"]]
    return "\n\n".join(parts) + "\n"


def command(name: str, result: Mapping[str, Any]) -> str:
    """The command line that repeats a result."""
    words = ["python -m eval", result["benchmark"]]
    words += [f"--name {name}"] if name != result["benchmark"] else []
    defaults = defaults_of(result["benchmark"])
    for key, value in sorted(result["options"].items()):
        if defaults.get(key, value) == value or value is None:
            continue
        flag = "--" + key.replace("_", "-")
        if value is True:
            words.append(flag)
        elif isinstance(value, list) and not any(isinstance(v, (dict, list)) for v in value):
            words.append(" ".join([flag, *(f"'{v}'" if " " in str(v) else str(v) for v in value)]))
        elif isinstance(value, (dict, list)):
            words.append(f"{flag} '{json.dumps(value)}'")
        else:
            words.append(f"{flag} {value}")
    return " ".join(words)


def defaults_of(benchmark: str) -> dict[str, Any]:
    """What the options of a benchmark are when nothing is given."""
    from .__main__ import parser
    from .registry import benchmarks

    if benchmark not in benchmarks():
        return {}
    return {k: str(v) if isinstance(v, Path) else v for k, v in vars(parser().parse_args([benchmark])).items()}
