"""Retrieval within and across languages: XQuAD's questions against its paragraphs.

XQuAD (Artetxe, Ruder, Yogatama, ACL 2020) has the same 240 paragraphs and 1,190 questions in every language. Each
question is ranked against all paragraphs of one language; right is the paragraph it was written for. Pairs: each
language with itself, English questions on texts of the others, and the reverse.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Any

from . import data, models
from .result import Cell, Result, Table, say

NAME = "languages"
HELP = "XQuAD by pair of languages: the built-in ranking, bm25, dense and hybrid"
SLOW = True  # the first run embeds every paragraph and every question in each language

LANGUAGES = ("en", "de", "es", "ru", "ar", "hi", "th", "zh")
STEMMED = ("en", "de", "es", "ru", "ar", "hi")
"""Those that Snowball knows."""

KINDS = ("within one language", "English questions", "English texts")
_POINT = 0.01

Pair = tuple[str, str]
Build = Callable[[str], Any]


@dataclass(frozen=True)
class Paragraphs:
    """One language of XQuAD: its paragraphs, and questions with the position of their paragraph."""

    texts: list[str]
    questions: list[tuple[str, int]]


def read(folder: str | None, language: str, step: int) -> Paragraphs:
    """One language, every ``step``-th question of it."""
    path = data.find(folder) / "xquad" / f"xquad.{language}.json"
    if not path.is_file():
        raise data.DataMissingError(f"expected XQuAD in {path.parent}, found no {path.name}")
    articles = json.loads(path.read_text(encoding="utf-8"))["data"]
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    questions = [(asked["question"], at) for at, paragraph in enumerate(paragraphs) for asked in paragraph["qas"]]
    return Paragraphs([paragraph["context"] for paragraph in paragraphs], questions[::step])


def pairs(languages: Sequence[str]) -> dict[str, list[Pair]]:
    """(language of the questions, of the texts) by kind."""
    others = [language for language in languages if language != "en"]
    across = others if "en" in languages else []
    return {
        KINDS[0]: [(language, language) for language in languages],
        KINDS[1]: [("en", language) for language in across],
        KINDS[2]: [(language, "en") for language in across],
    }


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--languages", nargs="+", choices=LANGUAGES, default=list(LANGUAGES))
    parser.add_argument("--models", nargs="+", choices=models.NAMES, default=list(models.NAMES))
    parser.add_argument("--every", type=int, default=1, help="one question in so many (default: all)")
    parser.add_argument(
        "--hybrids",
        type=json.loads,
        default={},
        metavar="JSON",
        help='further hybrids, by name with their options: {"rrf": {"fusion": "rrf"}}',
    )


def systems(options: argparse.Namespace, opened: dict[str, Any]) -> dict[str, Build]:
    """From the language of the texts to a retriever, by name."""
    from byheart import load

    def stemmed(language: str) -> Any:
        return load("bm25", language=language if language in STEMMED else None)

    def dense(model: Any, language: str) -> Any:
        return load("dense", model=model, progress=False)

    def hybrid(model: Any, more: dict[str, Any], language: str) -> Any:
        return load("hybrid", dense_options={"model": model, "progress": False}, **more)

    built: dict[str, Build] = {"built-in": lambda language: load("builtin"), "bm25": stemmed}
    for name, model in opened.items():
        built[f"dense, {name}"] = partial(dense, model)
        for label, more in {"": {}, **options.hybrids}.items():
            built[f"hybrid {label}".strip() + f", {name}"] = partial(hybrid, model, more)
    return built


def recall(retriever: Any, questions: Sequence[tuple[str, int]]) -> tuple[float, float]:
    """Share of questions whose paragraph comes first, and among the first five."""
    found = [retriever.rank(question, 5) for question, _ in questions]
    first = sum(ranked[:1] == [gold] for ranked, (_, gold) in zip(found, questions, strict=True))
    five = sum(gold in ranked[:5] for ranked, (_, gold) in zip(found, questions, strict=True))
    return first / len(questions), five / len(questions)


def run(options: argparse.Namespace) -> Result:
    result = Result(NAME)
    step = 20 if options.quick else options.every
    read_once = {language: read(options.data, language, step) for language in options.languages}
    kinds = pairs(options.languages)
    measured: dict[str, dict[Pair, tuple[float, float]]] = {}
    with ExitStack() as stack:
        opened = {name: stack.enter_context(models.remembering(name)) for name in options.models}
        for name, build in systems(options, opened).items():
            for language in options.languages:
                retriever = build(language)
                retriever.fit(read_once[language].texts)
                for pair in (pair for some in kinds.values() for pair in some if pair[1] == language):
                    found = recall(retriever, read_once[pair[0]].questions)
                    measured.setdefault(name, {})[pair] = found
            say(f"{name}: " + ", ".join(f"{kind} {_shown(measured[name], some)}" for kind, some in kinds.items()))
    _report(result, kinds, measured, len(read_once[options.languages[0]].questions))
    if not options.quick and options.languages == list(LANGUAGES):
        result.failures += _broken_promises(kinds, measured)
    return result


def _mean(found: dict[Pair, tuple[float, float]], some: Sequence[Pair], which: int) -> float:
    return sum(found[pair][which] for pair in some) / len(some)


def _shown(found: dict[Pair, tuple[float, float]], some: Sequence[Pair]) -> str:
    return f"{100 * _mean(found, some, 0):.1f}/{100 * _mean(found, some, 1):.1f}" if some else "-"


def _report(
    result: Result, kinds: dict[str, list[Pair]], measured: dict[str, dict[Pair, tuple[float, float]]], count: int
) -> None:
    kinds = {kind: some for kind, some in kinds.items() if some}
    means = Table(
        "XQuAD: means over languages",
        ["ranking", *(f"{kind}, @{at}" for kind in kinds for at in (1, 5))],
        note=f"Recall@1 and @5; {count} questions in each language, 240 paragraphs.",
    )
    for name, found in measured.items():
        cells: list[Cell] = []
        for kind, some in kinds.items():
            for which, at in enumerate((1, 5)):
                value = _mean(found, some, which)
                cells.append(value)
                result.figures[f"{name}.{kind}.{at}"] = value
        means.add(name, *cells)
    result.tables.append(means)
    for kind, some in kinds.items():
        table = Table(
            f"XQuAD: {kind}",
            ["ranking", *(f"{asked}-{text}" if asked != text else asked for asked, text in some)],
            note="Recall@1 / @5 in per cent, language of the question first.",
        )
        for name, found in measured.items():
            table.add(name, *(f"{100 * found[pair][0]:.1f} / {100 * found[pair][1]:.1f}" for pair in some))
        result.tables.append(table)


def _broken_promises(kinds: dict[str, list[Pair]], measured: dict[str, dict[Pair, tuple[float, float]]]) -> list[str]:
    """What was to be shown with multilingual-e5-small and was not."""
    name = models.NAMES[0]
    words, meaning = measured["built-in"], measured.get(f"dense, {name}")
    both = measured.get(f"hybrid, {name}")
    if meaning is None or both is None:
        return []
    across = kinds[KINDS[1]] + kinds[KINDS[2]]
    broken = []
    if _mean(meaning, across, 1) < 0.93:
        broken.append(f"dense across languages: {_mean(meaning, across, 1):.3f} at 5, 0.93 was to be shown")
    for which, at in enumerate((1, 5)):
        if _mean(both, across, which) < _mean(meaning, across, which) - _POINT:
            broken.append(f"hybrid across languages is more than a point below dense at {at}")
        broken += [
            f"hybrid within {pair[0]} is more than a point below the better side at {at}"
            for pair in kinds[KINDS[0]]
            if both[pair][which] < max(words[pair][which], meaning[pair][which]) - _POINT
        ]
    if _mean(both, kinds[KINDS[0]], 1) < 0.98:
        broken.append(f"hybrid within one language: {_mean(both, kinds[KINDS[0]], 1):.3f} at 5, 0.98 was to be shown")
    return broken
