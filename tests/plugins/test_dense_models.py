"""The plugin ``dense`` with real models of sentence-transformers: prompts, windows, batches, opening."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from byheart import Memory, PluginError
from byheart.cli import main
from byheart.testing import check_retriever

if not os.environ.get("BYHEART_REQUIRE_DENSE"):
    pytest.importorskip("byheart_dense", reason="byheart_dense is not installed: pip install 'byheart[dense]'")

from byheart_dense import build
from byheart_dense.sentence_model import is_e5

EXAMPLE = Path(__file__).parents[2] / "examples" / "garden-club.jsonl"
TEXTS = [
    "user: Our cat Minka likes tuna more than anything else.",
    "user: In May we moved from Paris to Lyon because of my new job.",
    "assistant: The violin concert starts at eight on Friday evening.",
    "user: We agreed on 55 euro a month for the licence.",
]


@contextmanager
def prompts_of(model: Any, **prompts: str) -> Iterator[None]:
    before = model.prompts
    model.prompts = prompts
    try:
        yield
    finally:
        model.prompts = before


# -- finding by meaning -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Was frisst die Katze am liebsten?", 0),
        ("Куда мы переехали?", 1),
        ("小提琴音乐会几点开始？", 2),
        ("¿cuánto cuesta la licencia?", 3),
    ],
)
def test_a_question_in_another_language_finds_its_text(e5: Any, question: str, found: int) -> None:
    retriever = build(model=e5)
    retriever.fit(TEXTS)
    assert retriever.rank(question, 1) == [found]


def test_a_memory_recalls_across_languages(e5_folder: Path) -> None:
    memory = Memory(retriever=build(model=e5_folder), chunk=60)
    for number, text in enumerate(TEXTS):
        memory.append("user", text.partition(": ")[2], when=f"{number + 1} May 2023")
    assert "Lyon" in memory.search("Куда мы переехали?", limit=1)[0]["text"]


def test_it_keeps_what_a_retriever_promises(minilm: Any) -> None:
    vectors: dict[str, Any] = {}  # the checks embed the same few texts a hundred times over

    class Remembering:
        def encode(self, texts: list[str]) -> Any:
            missing = [text for text in texts if text not in vectors]
            if missing:
                vectors.update(zip(missing, minilm.encode(missing, batch_size=1), strict=True))
            return [vectors[text] for text in texts]

    check_retriever(lambda: build(model=Remembering(), progress=False), max_examples=2)


# -- prompts ------------------------------------------------------------------------------------------------------


def test_an_e5_model_gets_its_prompts_though_its_folder_names_none(e5_folder: Path) -> None:
    retriever = build(model=e5_folder)
    assert retriever.prompts == {"query": "query: ", "document": "passage: "}


def test_the_prompts_are_what_the_model_is_given(e5: Any, e5_folder: Path) -> None:
    import numpy as np

    retriever = build(model=e5_folder)
    retriever.fit(TEXTS)
    document = e5.encode([f"passage: {TEXTS[0]}"], prompt="", batch_size=1)
    query = e5.encode(["query: cat food"], prompt="", batch_size=1)
    cosine = float(np.dot(document[0], query[0]))
    assert retriever.distances("cat food")[0] == pytest.approx(1 - cosine, abs=1e-5)
    bare = build(model=e5, prompts={"query": "", "document": ""})
    bare.fit(TEXTS)
    assert abs(bare.distances("cat food")[0] - (1 - cosine)) > 1e-3  # type: ignore[operator]


@pytest.mark.parametrize("key", ["document", "passage", "corpus"])
def test_prompts_of_the_models_own_are_kept_under_whatever_key(minilm: Any, key: str) -> None:
    # sentence-transformers fills in an empty "document", behind which its encode_document finds no "passage"
    with prompts_of(minilm, **{"query": "find: ", "document": "", key: "text: "}):
        assert build(model=minilm).prompts == {"query": "find: ", "document": "text: "}


def test_a_model_without_prompts_gets_none(minilm: Any) -> None:
    assert build(model=minilm).prompts == {"query": "", "document": ""}


def test_given_prompts_come_first(e5_folder: Path) -> None:
    retriever = build(model=e5_folder, prompts={"query": "Frage: "})
    assert retriever.prompts == {"query": "Frage: ", "document": "passage: "}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("intfloat/multilingual-e5-small", True),
        ("intfloat/e5-base-v2", True),
        ("/models/Multilingual-E5-Large", True),
        ("models--intfloat--e5-small/snapshots/abc", True),
        ("intfloat/multilingual-e5-large-instruct", False),
        ("sentence-transformers/all-MiniLM-L6-v2", False),
        ("acme/type5-base", False),
        ("acme/e5x", False),
    ],
)
def test_e5_models_are_told_by_their_names(name: str, expected: bool) -> None:
    assert is_e5(name) is expected


# -- windows ------------------------------------------------------------------------------------------------------


def test_a_fact_beyond_the_models_window_is_found(minilm: Any) -> None:
    filler = "The weather was mild and the meeting went on without any decision. " * 60
    long = filler + "The password of the greenhouse is marmalade. " + filler
    retriever = build(model=minilm)
    retriever.fit([long, "The garden needs a new fence and some paint.", "Breakfast was toast with butter."])
    assert retriever._table.vectors(long).shape[0] > 4
    assert retriever.rank("what is the password of the greenhouse?", 1) == [0]
    alone = build(model=minilm)
    alone.fit([filler])
    question = "what is the password of the greenhouse?"
    assert retriever.distances(question)[0] < alone.distances(question)[0] - 0.2  # type: ignore[operator]


def test_no_window_is_cut_by_the_model(minilm: Any, e5: Any) -> None:
    text = "".join(f"Satz {i}: Wörter, 言葉と слова без конца und zärtliche Überlängenwörter. " for i in range(120))
    for model, prompt in ((minilm, ""), (e5, "passage: ")):
        pieces = build(model=model, prompts={"document": prompt})._embedder.model.document.split(text)
        lengths = [len(model.tokenizer(prompt + piece)["input_ids"]) for piece in pieces]
        assert len(pieces) > 1
        assert max(lengths) <= model.max_seq_length
        assert sorted(lengths)[len(lengths) // 2] > 0.7 * model.max_seq_length  # and none is wastefully short


def test_a_prompt_that_fills_the_window_is_refused(minilm: Any) -> None:
    with pytest.raises(PluginError, match="alone fills the window of the model"):
        build(model=minilm, prompts={"document": "word " * 300})


# -- batches ------------------------------------------------------------------------------------------------------


def test_a_vector_is_the_same_to_the_last_bit_whatever_was_embedded_beside_it(minilm: Any) -> None:
    import numpy as np

    texts = [*TEXTS, "a", "word " * 150, "a much longer text about nothing in particular " * 3]
    together, alone = build(model=minilm), build(model=minilm)
    together.fit(texts)
    for text in reversed(texts):
        alone.fit([text])
        assert np.array_equal(alone._table.vectors(text), together._table.vectors(text))


def test_larger_batches_differ_in_the_last_digits_only(minilm: Any) -> None:
    one, many = build(model=minilm), build(model=minilm, batch_size=8)
    one.fit(TEXTS)
    many.fit(TEXTS)
    assert one.distances("cat food") == pytest.approx(many.distances("cat food"), abs=1e-5)


# -- opening a model ----------------------------------------------------------------------------------------------


def test_a_saved_file_knows_the_model_by_name_and_not_by_place(e5: Any, e5_folder: Path, tmp_path: Path) -> None:
    moved = tmp_path / e5_folder.name
    moved.symlink_to(e5_folder, target_is_directory=True)
    path = tmp_path / "talk.npz"
    build(model=e5_folder, vectors=path).fit(TEXTS)
    told: list[tuple[int, int]] = []
    again = build(model=moved, vectors=path, progress=lambda done, total: told.append((done, total)))
    again.fit(TEXTS)
    assert told == []


@pytest.mark.usefixtures("open_model")
def test_a_folder_that_is_not_there_is_named() -> None:
    for missing in ("/no/such/folder", "./no-such-folder", "~/no-such-folder"):
        with pytest.raises(PluginError, match=r"there is no folder \S*no.such.folder"):
            build(model=missing)


def test_a_folder_without_a_model_is_named(e5: Any, tmp_path: Path) -> None:
    with pytest.raises(PluginError, match=r"cannot be opened.*Give model= a folder"):
        build(model=tmp_path)


def test_without_network_and_cached_model_the_error_names_the_model_and_the_way_out(
    e5: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(PluginError, match=r"acme/no-such-model is not on this machine") as caught:
        build(model="acme/no-such-model")
    assert "Give model= a folder that holds a sentence-transformers model" in str(caught.value)
    assert caught.value.plugin == "dense"


def test_listing_the_plugin_imports_nothing_heavy() -> None:
    code = (
        "import sys; from byheart.entry_points import available\n"
        "names = [p.name for p in available()]\n"
        "print([m for m in ('torch', 'transformers', 'sentence_transformers', 'numpy') if m in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


@pytest.mark.parametrize("retriever", ["dense", "hybrid"])
def test_the_command_line_takes_a_model_folder(
    e5_folder: Path, retriever: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    chat = tmp_path / "chat.jsonl"
    lines = [json.dumps({"role": "user", "content": text, "when": f"2023-05-0{n + 1}"}) for n, text in enumerate(TEXTS)]
    chat.write_text("\n".join(lines), encoding="utf-8")
    asked = ["compose", str(chat), "Wohin sind wir gezogen?", "--retriever", retriever, "--budget", "150"]
    assert main([*asked, "--option", f"model={e5_folder}"]) == 0
    assert "from Paris to Lyon" in capsys.readouterr().out


@pytest.mark.parametrize("retriever", ["dense", "hybrid"])
def test_the_command_line_composes_from_the_example_conversation(
    minilm_folder: Path, retriever: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["compose", str(EXAMPLE), "Why did we decide against the oak worktop?", "--retriever", retriever]
    assert main([*asked, "--option", f"model={minilm_folder}", "--budget", "3000"]) == 0
    sent = capsys.readouterr().out
    assert "oak around a sink wants oil twice a year" in sent
    assert len(sent) < 6_000
