"""What turns texts into vectors, whoever made it, seen through one interface.

No heavy import here: arrays are looked at in ``embedding.py`` only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, runtime_checkable

from byheart_dense.windows import windows

Split = Callable[[str], list[str]]


@runtime_checkable
class Encoder(Protocol):
    """An object of your own that embeds texts: a hosted service, a static model, anything.

    Each method takes a list of n texts and returns an array of n rows, all of one width. An optional
    attribute ``name`` (a str) says which model it is, for vectors that are saved.
    """

    def encode_query(self, texts: list[str], /) -> Any:
        """Vectors of questions."""

    def encode_document(self, texts: list[str], /) -> Any:
        """Vectors of texts to be found."""


@runtime_checkable
class PlainEncoder(Protocol):
    """An encoder that makes no difference between questions and texts."""

    def encode(self, texts: list[str], /) -> Any:
        """Vectors of any texts."""


@dataclass(frozen=True)
class Side:
    """How one kind of text, questions or documents, is embedded.

    ``encode`` takes texts as ``split`` gives them and puts ``prompt`` before each itself, or has its model do it.
    """

    encode: Callable[[list[str]], Any]
    split: Split
    prompt: str


@dataclass(frozen=True)
class Model:
    """An encoder made ready: its two sides, what to call it, and how many texts it is handed at once."""

    name: str
    query: Side
    document: Side
    group: int

    def cut(self, characters: int | None) -> Model:
        """The same, with no piece of text longer than so many characters."""
        if characters is None:
            return self

        def narrower(side: Side) -> Side:
            def split(text: str) -> list[str]:
                return [piece for part in windows(text, len, characters) for piece in side.split(part)]

            return Side(side.encode, split, side.prompt)

        return Model(self.name, narrower(self.query), narrower(self.document), self.group)


def adapted(encoder: object, prompts: Mapping[str, str] | None, group: int) -> Model:
    """An object with ``encode_query`` and ``encode_document``, or ``encode``, made ready; else TypeError."""
    if isinstance(encoder, type):
        raise TypeError(f"model must be an encoder, got the class {encoder.__name__}: call it")
    if isinstance(encoder, Encoder):
        encode_query, encode_document = encoder.encode_query, encoder.encode_document
    elif isinstance(encoder, PlainEncoder):
        encode_query = encode_document = encoder.encode
    else:
        raise TypeError(
            "model must be a name, a folder, or an object with encode_query and encode_document, or with encode; "
            f"got {encoder!r} ({type(encoder).__name__})"
        )
    given = prompts or {}
    own_name = getattr(encoder, "name", None)
    name = own_name if isinstance(own_name, str) and own_name else type(encoder).__qualname__

    def side(key: str, encode: Callable[[list[str]], Any]) -> Side:
        prompt = given.get(key, "")
        return Side(partial(_prompted, encode, prompt), _whole, prompt)

    return Model(name, side("query", encode_query), side("document", encode_document), group)


def _prompted(encode: Callable[[list[str]], Any], prompt: str, texts: list[str]) -> Any:
    return encode([prompt + text for text in texts])


def _whole(text: str) -> list[str]:
    return [text]
