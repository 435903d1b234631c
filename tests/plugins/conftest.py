"""What the tests of the first-party plugins share: real models, a toy encoder, and when to skip."""

from __future__ import annotations

import importlib.util
import os
import re
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

REQUIRED = "BYHEART_REQUIRE_DENSE"
"""Set in CI: what would skip for want of a package fails then."""


def need(*modules: str, what: str) -> None:
    """Skip, or where the environment says so fail, unless these modules are installed."""
    missing = [module for module in modules if importlib.util.find_spec(module) is None]
    if missing:
        refuse(f"{', '.join(missing)} not installed: pip install {what}")


def refuse(why: str) -> None:
    if os.environ.get(REQUIRED):
        pytest.fail(f"{why} ({REQUIRED} is set, so this may not be skipped)")
    pytest.skip(why)


@pytest.fixture(scope="session")
def _numpy() -> None:
    need("numpy", what="'byheart[dense]'")


@pytest.fixture(scope="session")
def open_model() -> Iterator[Callable[[str], Any]]:
    """Opens a real model by its name, once a session."""
    need("sentence_transformers", what="'byheart[dense]'")
    from eval import models

    opened: dict[str, Any] = {}

    def open_once(name: str) -> Any:
        if name not in opened:
            try:
                folder = models.folder_of(name)
            except models.ModelMissingError as missing:
                refuse(str(missing))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of torch and transformers, while they are imported
                import torch
                from sentence_transformers import SentenceTransformer

                torch.set_num_threads(1)  # threads that wait for each other on a busy machine cost more than they give
                opened[name] = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        return opened[name]

    yield open_once
    opened.clear()


@pytest.fixture(scope="session")
def e5(open_model: Callable[[str], Any]) -> Any:
    """multilingual-e5-small, open."""
    return open_model("multilingual-e5-small")


@pytest.fixture(scope="session")
def e5_folder(e5: Any) -> Path:
    """The folder of multilingual-e5-small."""
    from eval import models

    return models.folder_of("multilingual-e5-small")


@pytest.fixture(scope="session")
def minilm_folder(minilm: Any) -> Path:
    """The folder of all-MiniLM-L6-v2."""
    from eval import models

    return models.folder_of("all-MiniLM-L6-v2")


@pytest.fixture(scope="session")
def minilm(open_model: Callable[[str], Any]) -> Any:
    """all-MiniLM-L6-v2, open: English, with a window of 256 tokens."""
    return open_model("all-MiniLM-L6-v2")


class Toy:
    """An encoder in five lines: a text is the sum of its words, each a direction of its own.

    ``groups`` holds the lists of texts it was handed, in order.
    """

    name = "toy"

    def __init__(self, dimension: int = 64) -> None:
        self.dimension = dimension
        self.groups: list[list[str]] = []

    def encode_query(self, texts: list[str]) -> Any:
        return self._encode(texts)

    def encode_document(self, texts: list[str]) -> Any:
        self.groups.append(list(texts))
        return self._encode(texts)

    @property
    def texts(self) -> list[str]:
        return [text for group in self.groups for text in group]

    def _encode(self, texts: list[str]) -> Any:
        import numpy as np

        rows = np.zeros((len(texts), self.dimension))
        for row, text in zip(rows, texts, strict=True):
            for word in re.findall(r"\w+", text.lower()):
                row += np.random.default_rng(crc32(word.encode())).standard_normal(self.dimension)
        return rows


@pytest.fixture
def toy(_numpy: None) -> Toy:
    return Toy()


@pytest.fixture
def new_toy(_numpy: None) -> Callable[..., Toy]:
    return Toy


@pytest.fixture
def recalled() -> Callable[[Any], list[str]]:
    """The best stretch for each of a few questions about a small chat, with a retriever."""
    said = [
        ("we moved to Lyon in May", "8 May, 2023"),
        ("the cat likes tuna and sleeps all day", "9 May, 2023"),
        ("my sister plays the violin in an orchestra", "10 May, 2023"),
        ("we decided on 55 euro a month for the licence", "11 May, 2023"),
    ]
    asked = [
        "where did we move to?",
        "what does the cat like?",
        "who plays the violin?",
        "what was decided on the licence?",
    ]

    def best(retriever: Any) -> list[str]:
        from byheart import Memory

        memory = Memory(retriever=retriever)
        for text, when in said:
            memory.append("user", text, when=when)
        return [memory.search(question, limit=1)[0]["text"] for question in asked]

    return best
