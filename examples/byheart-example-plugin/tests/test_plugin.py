from __future__ import annotations

from functools import partial

import pytest
from byheart_example_plugin import NGrams, NumbersFirst

from byheart import Memory
from byheart.testing import check_retriever


@pytest.mark.parametrize("factory", [NGrams, partial(NGrams, size=5)])
def test_the_retriever_keeps_what_it_promises(factory: type[NGrams]) -> None:
    check_retriever(factory, max_examples=10)


def test_a_misspelled_word_is_found() -> None:
    memory = Memory(retriever=NGrams(), budget=1000)
    for text in ("the ferry to Gothenburg leaves at nine", "we should water the plants", "nine lives, said the cat"):
        memory.append("user", text)
    assert "Gothenburg" in memory.search("when to gotenburg?", limit=1)[0]["text"]


@pytest.mark.parametrize(
    ("plugins", "first"),
    [([], "what became of the order of euro notes"), ([NumbersFirst()], "we paid 55 of them")],
)
def test_a_text_with_the_number_asked_for_comes_first(plugins: list[object], first: str) -> None:
    memory = Memory(retriever=NGrams(), plugins=plugins, budget=1000, chunk=1)
    memory.append("user", "what became of the order of euro notes")
    memory.append("user", "we paid 55 of them")
    assert first in memory.search("what became of the order of 55 euro?", limit=1)[0]["text"]


@pytest.mark.parametrize("size", [0, -1, 2.5, True, "3", None])
def test_a_size_that_is_no_length_is_refused(size: object) -> None:
    with pytest.raises(ValueError, match="size must be a whole number"):
        NGrams(size=size)  # type: ignore[arg-type]
