"""The plugin ``bm25``: three formulas held to their papers, words in many languages, options."""

from __future__ import annotations

import importlib.util
import math
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from byheart import Memory, PluginError, load

if not os.environ.get("BYHEART_REQUIRE_DENSE"):
    for _module in ("rank_bm25", "Stemmer", "byheart_bm25"):
        if importlib.util.find_spec(_module) is None:
            pytest.skip(f"{_module} not installed: pip install 'byheart[bm25]'", allow_module_level=True)

import Stemmer
from byheart_bm25 import build
from byheart_bm25.stopwords import LANGUAGES, stop_words
from byheart_bm25.words import CODES, Words, fold, language_name

from byheart.testing import check_retriever

VARIANTS = ["okapi", "l", "plus"]
WORDS = st.lists(st.sampled_from(["cat", "dog", "fish", "lyon", "tuna", "move", "rain"]), max_size=12).map(" ".join)
DOCS = st.lists(WORDS, min_size=1, max_size=8)


def by_the_paper(
    variant: str, docs: list[list[str]], query: list[str], k1: float, b: float, delta: float
) -> list[float]:
    """The formulas as they are printed, term by term."""
    size = len(docs)
    average = sum(map(len, docs)) / size
    scores = []
    for doc in docs:
        score = 0.0
        for term in query:
            count = doc.count(term)
            if not count:
                continue
            holding = sum(term in other for other in docs)
            length = 1 - b + b * len(doc) / average
            if variant == "okapi":
                idf = math.log(1 + (size - holding + 0.5) / (holding + 0.5))
                score += idf * (k1 + 1) * count / (k1 * length + count)
            elif variant == "l":
                corrected = count / length + delta
                score += math.log((size + 1) / (holding + 0.5)) * (k1 + 1) * corrected / (k1 + corrected)
            else:
                score += math.log((size + 1) / holding) * (delta + (k1 + 1) * count / (k1 * length + count))
        scores.append(score)
    return scores


@pytest.mark.parametrize("variant", VARIANTS)
@given(docs=DOCS, query=WORDS, k1=st.sampled_from([0.5, 1.2, 2.0]), b=st.sampled_from([0.0, 0.4, 0.75]))
@settings(max_examples=60, deadline=None)
def test_scores_are_those_of_the_paper(variant: str, docs: list[str], query: str, k1: float, b: float) -> None:
    delta = None if variant == "okapi" else 0.7
    retriever = build(variant=variant, language=None, k1=k1, b=b, delta=delta)
    retriever.fit(docs)
    expected = by_the_paper(variant, [doc.split() for doc in docs], query.split(), k1, b, delta or 0.0)
    assert retriever.scores(query, None) == pytest.approx(expected)


def test_bm25l_is_rank_bm25s_own_where_no_word_comes_twice() -> None:
    import rank_bm25

    docs = ["cat likes tuna", "dog likes long walks in rain", "rain in lyon"]
    retriever = build(variant="l", language=None, k1=1.5)
    retriever.fit(docs)
    theirs = rank_bm25.BM25L([doc.split() for doc in docs], k1=1.5).get_scores(["rain", "in", "lyon", "likes"])
    assert retriever.scores("rain in lyon likes", None) == pytest.approx(theirs.tolist())


def test_bm25plus_gives_delta_only_to_texts_that_hold_the_word() -> None:
    import rank_bm25

    docs = ["cat likes tuna", "dog", "rain in lyon"]
    retriever = build(variant="plus", language=None, k1=1.5)
    retriever.fit(docs)
    theirs = rank_bm25.BM25Plus([doc.split() for doc in docs], k1=1.5).get_scores(["cat"])
    ours = retriever.scores("cat", None)
    assert ours[0] == pytest.approx(theirs[0])
    assert ours[1:] == [0.0, 0.0]
    assert theirs[1] > 0


@pytest.mark.parametrize("variant", VARIANTS)
@given(docs=DOCS, query=WORDS)
@settings(max_examples=60, deadline=None)
def test_no_score_is_negative_however_common_the_words_are(variant: str, docs: list[str], query: str) -> None:
    retriever = build(variant=variant, language=None)
    retriever.fit([f"{doc} everywhere" for doc in docs])
    without = retriever.scores(query, None)
    assert min(without) >= 0
    assert all(a >= b for a, b in zip(retriever.scores(f"{query} everywhere", None), without, strict=True))


@pytest.mark.parametrize("variant", VARIANTS)
@given(docs=DOCS, query=WORDS)
@settings(max_examples=60, deadline=None)
def test_the_best_score_is_never_passed(variant: str, docs: list[str], query: str) -> None:
    retriever = build(variant=variant, language=None)
    retriever.fit(docs)
    assert max(retriever.scores(query, None)) <= retriever.best_score(query) + 1e-9


def test_words_unknown_to_the_index_raise_the_best_score() -> None:
    retriever = build()
    retriever.fit(["user: the cat likes tuna", "user: we moved to Lyon"])
    assert retriever.best_score("cat xylophone") > retriever.best_score("cat") > 0


@pytest.mark.parametrize("variant", VARIANTS)
def test_it_keeps_what_a_retriever_promises(variant: str) -> None:
    check_retriever(lambda: build(variant=variant), max_examples=10)


@pytest.mark.parametrize(("k1", "b"), [(0, 0.75), (1.2, 1), (0, 0), (3, 1)])
def test_the_ends_of_the_options_give_numbers(k1: float, b: float) -> None:
    for variant in VARIANTS:
        retriever = build(variant=variant, k1=k1, b=b)
        retriever.fit(["", "cat", "cat cat dog", "   "])
        scores = retriever.scores("cat dog", None)
        assert all(map(math.isfinite, scores))
        assert scores[0] == scores[3] == 0


def test_an_empty_index_gives_an_empty_answer() -> None:
    retriever = build()
    assert retriever.rank("cat", 5) == []
    assert retriever.scores("cat", None) == []
    retriever.fit([])
    assert retriever.rank("cat", 5) == []


def test_of_equal_texts_the_newer_comes_first() -> None:
    retriever = build()
    retriever.fit(["the cat", "a dog", "the cat"])
    assert retriever.rank("cat", 5) == [2, 0]


def test_a_text_is_analysed_once_while_it_is_there_and_forgotten_when_it_is_gone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    analysed: list[str] = []
    original = Words.terms
    monkeypatch.setattr(Words, "terms", lambda self, text: analysed.append(text) or original(self, text))
    retriever = build()
    retriever.fit(["one cat", "two dogs", "three fish"])
    retriever.fit(["two dogs", "three fish", "four birds"])
    retriever.extend(2, ["five cows"])
    assert analysed == ["one cat", "two dogs", "three fish", "four birds", "five cows"]
    assert set(retriever._terms) == {"two dogs", "three fish", "five cows"}


# -- languages ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "text", "question"),
    [
        ("english", "the movers were quick", "who moved quickly"),
        ("russian", "мы переехали в новую квартиру", "расскажи о новых квартирах"),
        ("german", "Die Katzen fraßen den Fisch", "was mag die Katze"),
        ("french", "nous avons déménagé à Lyon", "le déménagement"),
        ("spanish", "mis hermanas viven en Bogotá", "dónde vive tu hermana"),
        ("arabic", "الكتاب الجديد", "كتاب"),
        ("hindi", "मेरी किताबें नई हैं", "नई किताब"),
        ("turkish", "İstanbul'da evler pahalı", "istanbul ev"),
        ("finnish", "kissat nukkuvat taloissa", "kissa"),
    ],
)
def test_a_question_finds_other_forms_of_its_words(language: str, text: str, question: str) -> None:
    retriever = build(language=language)
    retriever.fit(["something else altogether", text])
    assert retriever.rank(question, 1) == [1]


@pytest.mark.parametrize("language", sorted(LANGUAGES & set(Stemmer.algorithms())))  # older ones know fewer
def test_a_question_of_function_words_finds_nothing(language: str) -> None:
    name = language_name(language)
    asked = " ".join(sorted(stop_words(language)))
    assert Words(name).terms(asked) == []


def test_every_language_with_a_code_has_function_words() -> None:
    assert set(CODES.values()) == LANGUAGES


def test_a_language_goes_by_its_code_too() -> None:
    assert language_name("RU ") == "russian"
    assert build(language="de")._words.language == "german"


def test_an_unknown_language_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match=r"arabic.*turkish.*got 'klingon'"):
        build(language="klingon")


def test_without_a_language_words_stay_as_they_are() -> None:
    assert Words(None).terms("The movers were") == ["the", "movers", "were"]


def test_scripts_without_spaces_are_indexed_by_pairs_of_characters() -> None:
    retriever = build(language=None)
    retriever.fit(["今天天气很好", "我们搬到了东京", "เราย้ายไปกรุงเทพ"])
    assert retriever.rank("谁住在东京？", 1) == [1]
    assert retriever.rank("กรุงเทพ", 1) == [2]


def test_marks_belong_to_their_word() -> None:
    assert Words(None).terms("किताब நூல்கள்") == ["किताब", "நூல்கள்"]


def test_function_words_of_ones_own_replace_the_languages() -> None:
    assert Words("english", stop=["Tuna"]).terms("the tuna") == ["the"]
    assert Words("english", stop=[]).terms("the tuna") == ["the", "tuna"]


@given(st.text(max_size=40))
@settings(max_examples=200, deadline=None)
def test_any_text_can_be_indexed_and_asked_for(text: str) -> None:
    retriever = build()
    retriever.fit([text, "a cat"])
    assert set(retriever.rank(text, 2)) <= {0, 1}
    assert retriever.rank(text, 2)[:1] == [0] or not Words("english").terms(text)


@given(st.text(max_size=40))
@settings(max_examples=200, deadline=None)
def test_case_and_compatibility_forms_do_not_matter(text: str) -> None:
    words = Words(None)
    assert words.terms(fold(text)) == words.terms(text)


# -- options ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"variant": "bm26"}, ValueError, "variant must be one of 'okapi', 'l', 'plus', got 'bm26'"),
        ({"k1": -1}, ValueError, "k1 must be 0 or more, got -1"),
        ({"k1": "1.2"}, TypeError, r"k1 must be a number, got '1.2' \(str\)"),
        ({"k1": math.nan}, ValueError, "k1 must be 0 or more, got nan"),
        ({"b": 1.5}, ValueError, "b must be from 0 to 1, got 1.5"),
        ({"delta": 1.0}, ValueError, "delta belongs to variant='l' and variant='plus'"),
        ({"variant": "l", "delta": True}, TypeError, "delta must be a number"),
        ({"language": 3}, TypeError, "language must be a str or None"),
        ({"stop_words": "the"}, TypeError, "stop_words must be a collection of words"),
        ({"unknown": 1}, TypeError, "unknown"),
    ],
)
def test_wrong_options_are_refused_at_once(options: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        build(**options)


@pytest.mark.parametrize("module", ["rank_bm25", "Stemmer"])
def test_a_missing_package_is_named_with_the_cure(module: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, "byheart_bm25.scoring", raising=False)
    with pytest.raises(PluginError, match=r"pip install 'byheart\[bm25\]'") as caught:
        build()
    assert caught.value.plugin == "bm25"


def test_nothing_heavy_is_imported_before_it_is_built() -> None:
    code = "import sys, byheart_bm25; print([m for m in ('numpy', 'rank_bm25', 'Stemmer') if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


def test_a_memory_takes_it_by_name_and_finds_with_it() -> None:
    memory = Memory(retriever=load("bm25", language="russian"))
    memory.append("user", "мы переехали в Лион в мае", when="8 May, 2023")
    memory.append("assistant", "кошка любит тунца", when="9 May, 2023")
    assert "Лион" in memory.search("куда переехать", limit=1)[0]["text"]


def test_the_best_stretch_is_the_one_that_the_built_in_finds_too(recalled: Callable[[Any], list[str]]) -> None:
    assert recalled(build()) == recalled(load("builtin"))
