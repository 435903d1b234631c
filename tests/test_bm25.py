"""The built-in retriever against two other implementations, and against itself grown, shrunk and fitted anew."""

from __future__ import annotations

import math
import random
from collections import Counter as Tally
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi

from byheart.bm25 import BM25
from byheart.tokens import Analyzer

WORDS = ["cat", "boat", "soup", "Lyon", "price", "trombone", "garden", "кошка", "42", "the", "moving", "moved", "house"]
PLAIN = {"best_turn": 0.0, "speaker": 0.0, "subject": 0.0, "feedback": 0.0}

some = settings(max_examples=settings().max_examples * 2 // 5)

TURN = st.lists(st.sampled_from(WORDS), max_size=12).map(lambda words: "user: " + " ".join(words))
DOCS = st.lists(st.lists(TURN, min_size=1, max_size=3).map("\n".join), max_size=12)
QUERY = st.lists(st.sampled_from([*WORDS, "zebra"]), max_size=5).map(" ".join)


def terms(text: str) -> list[str]:
    """The terms of a query, or of a turn: its role is one too, which no query has."""
    role, colon, said = text.partition(": ")
    return [role + colon, *Analyzer().terms(said)] if colon else Analyzer().terms(text)


def lines(doc: str) -> list[str]:
    return doc.replace("\n  ", " ").split("\n")


class Okapi(BM25Okapi):  # type: ignore[misc]  # rank_bm25 has no types
    """rank-bm25's scoring with the idf that is never negative."""

    def _calc_idf(self, nd: dict[str, int]) -> None:
        for term, held in nd.items():
            self.idf[term] = math.log(1 + (self.corpus_size - held + 0.5) / (held + 0.5))


@some
@given(DOCS.filter(lambda docs: any(map(terms, docs))), QUERY)
def test_scores_are_those_of_rank_bm25(docs: list[str], query: str) -> None:
    index = BM25(k1=1.5, b=0.75, **PLAIN)
    index.fit(docs)
    oracle = Okapi([[term for line in lines(doc) for term in terms(line)] for doc in docs], k1=1.5, b=0.75)
    assert index.scores(query, None) == pytest.approx(list(oracle.get_scores(terms(query))))


def brute_force(docs: Sequence[str], query: str, *, k1: float, b: float, best_turn: float) -> list[float]:
    """The formula of the paper, written down from it: stretches whole, and a share of their best turn."""
    turns = [[terms(line) for line in lines(doc)] for doc in docs]
    total = sum(len(turn) for doc in turns for turn in doc)
    mean_doc = total / max(1, len(docs)) or 1
    mean_turn = total / max(1, sum(map(len, turns))) or 1
    wanted = Tally(terms(query))
    holding = {term: sum(any(term in turn for turn in doc) for doc in turns) for term in wanted}

    def idf(term: str) -> float:
        return math.log(1 + (len(docs) - holding[term] + 0.5) / (holding[term] + 0.5))

    def score(words: list[str], mean: float) -> float:
        held = Tally(words)
        return sum(
            weight * idf(term) * held[term] * (k1 + 1) / (held[term] + k1 * (1 - b + b * len(words) / mean))
            for term, weight in wanted.items()
            if held[term]
        )

    return [
        score([term for turn in doc for term in turn], mean_doc)
        + best_turn * max((score(turn, mean_turn) for turn in doc), default=0)
        for doc in turns
    ]


@some
@given(DOCS, QUERY, st.sampled_from([0.5, 1.2, 2.0]), st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from([0.0, 0.5]))
def test_scores_are_those_of_the_formula_written_down(
    docs: list[str], query: str, k1: float, b: float, best_turn: float
) -> None:
    index = BM25(k1=k1, b=b, **{**PLAIN, "best_turn": best_turn})
    index.fit(docs)
    assert index.scores(query, None) == pytest.approx(brute_force(docs, query, k1=k1, b=b, best_turn=best_turn))


@some
@given(DOCS, QUERY, st.integers(1, 15))
def test_ranking_falls_with_the_scores_and_of_equals_the_newer_is_first(
    docs: list[str], query: str, limit: int
) -> None:
    index = BM25()
    index.fit(docs)
    scores = index.scores(query, None)
    matching = [at for at, score in enumerate(scores) if score > 0]
    assert index.rank(query, limit) == sorted(matching, key=lambda at: (-scores[at], -at))[:limit]


@some
@given(DOCS, QUERY)
def test_no_score_is_negative_and_all_are_finite(docs: list[str], query: str) -> None:
    index = BM25()
    index.fit(docs)
    assert all(0 <= score < math.inf for score in index.scores(query, None))
    assert 0 <= index.best_score(query) < math.inf


@some
@given(DOCS.filter(bool), QUERY)
def test_no_plain_score_is_above_the_best_that_a_question_could_have(docs: list[str], query: str) -> None:
    index = BM25(speaker=0, subject=0, feedback=0)
    index.fit(docs)
    assert max(index.scores(query, None)) <= index.best_score(query) + 1e-9


@some
@given(DOCS, QUERY, st.data())
def test_scores_of_some_positions_are_those_among_all(docs: list[str], query: str, data: st.DataObject) -> None:
    index = BM25()
    index.fit(docs)
    positions = data.draw(st.permutations(range(len(docs))))[: data.draw(st.integers(0, len(docs)))]
    scores = index.scores(query, None)
    assert index.scores(query, positions) == pytest.approx([scores[at] for at in positions])


@some
@given(st.lists(st.tuples(st.integers(0, 12), DOCS, st.sampled_from(["fit", "extend", "ingest"])), max_size=6), QUERY)
def test_an_index_that_grew_and_shrank_is_one_fitted_anew(
    changes: list[tuple[int, list[str], str]], query: str
) -> None:
    grown = BM25()
    held: list[str] = []
    for at, docs, how in changes:
        start = 0 if how == "fit" else min(at, len(held))
        held[start:] = docs
        grown.fit(held) if how == "fit" else getattr(grown, how)(start, docs)
        grown.rank(query, 3)
    fitted = BM25()
    fitted.fit(held)
    assert grown.rank(query, 20) == fitted.rank(query, 20)
    assert grown.scores(query, None) == fitted.scores(query, None)
    assert grown.best_score(query) == fitted.best_score(query)


@some
@given(
    st.lists(st.tuples(st.integers(0, 39), st.integers(0, 12), st.sampled_from(["revise", "cut", "add"])), max_size=8),
    QUERY,
    st.randoms(use_true_random=False),
)
def test_an_index_of_which_some_texts_were_changed_in_their_places_is_one_fitted_anew(
    changes: list[tuple[int, int, str]], query: str, source: random.Random
) -> None:
    def doc() -> str:
        words = source.choices(
            ["Anna:", "boat", "soup", "quay", "a", *query.split(), f"rare{source.randrange(9)}"], k=5
        )
        long = " ".join([*words, "and more of it."] * source.choice([0, 0, 0, 60]))  # indexed by passages
        return f"user: {' '.join(words)}" + (f"\nassistant: {long}" if long else "")

    held = [doc() for _ in range(40)]
    grown = BM25()
    grown.fit(held)
    for at, count, how in changes:
        start = min(at, len(held))
        if how == "revise":
            for _ in range(min(count, 2)):
                if held[start:]:
                    held[source.randrange(start, len(held))] = doc()
        elif how == "cut":
            del held[max(start, len(held) - count) :]
        else:
            held += [doc() for _ in range(count)]
        grown.extend(min(start, len(held)), held[start:])
        grown.rank(query, 3)
    fitted = BM25()
    fitted.fit(held)
    assert grown.rank(query, 60) == fitted.rank(query, 60)
    assert grown.scores(query, None) == fitted.scores(query, None)
    assert set(grown._index.numbers) == set(fitted._index.numbers)


def test_a_text_that_changes_far_from_the_end_leaves_what_stands_behind_it_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    index = BM25()
    docs = [f"user: turn {number} of many" for number in range(50)]
    index.fit(docs)
    monkeypatch.setattr(index._index, "_add", None)
    docs[3] = "user: [redacted]"
    index.extend(3, docs[3:])
    assert index.rank("redacted", 1) == [3]


def test_the_roles_in_front_of_turns_are_no_words_of_the_conversation() -> None:
    index = BM25()
    index.fit(["user: hello\nassistant: hi there", "user: the user table is empty\nassistant: so it is"])
    assert index.rank("is there a table of the user?", 1) == [1]
    assert index.rank("user", 1) == [1]
    assert index.rank("assistant", 5) == []


# encodings


class Noting(Analyzer):
    """Notes what it is asked to analyse."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def terms(self, text: str) -> list[str]:
        self.asked.append(text)
        return super().terms(text)


def noting() -> tuple[BM25, list[str]]:
    index, analyzer = BM25(), Noting()
    index._index._analyzer = analyzer
    return index, analyzer.asked


def test_what_stands_is_not_analysed_again() -> None:
    index, asked = noting()
    index.fit(["user: alpha beta", "user: gamma"])
    asked.clear()
    index.fit(["user: alpha beta", "user: gamma"])
    index.fit(["user: alpha beta", "user: gamma", "user: delta"])
    index.extend(3, ["user: epsilon"])
    assert asked == ["delta", "epsilon"]


def test_encodings_follow_the_text_and_not_its_position() -> None:
    index, asked = noting()
    index.fit(["user: alpha beta", "user: gamma delta", "user: alpha beta"])
    asked.clear()
    index.fit(["user: something new", "user: alpha beta", "user: gamma delta"])
    assert asked == ["something new"]
    assert [index.rank(word, 5)[0] for word in ("new", "alpha", "gamma")] == [0, 1, 2]


def test_words_that_no_text_holds_are_forgotten() -> None:
    index = BM25()
    index.fit(["user: one text", "user: another xyzzy", "user: Xyzzy: a third"])
    index.fit(["user: one text"])
    assert "xyzzy" not in index._index.numbers
    assert not any("xyzzy" in term for term in index._index.terms)
    assert not any("xyzzy" in piece.lower() for piece in index._index._analyzer._pieces)
    assert index.rank("xyzzy", 5) == []


def test_numbers_of_forgotten_words_serve_new_ones() -> None:
    index = BM25()
    for number in range(300):
        index.fit([f"user: word{number} and other{number}"])
    assert len(index._index.terms) < 30
    assert index.rank("word299", 5) == [0]
    assert index.rank("word298", 5) == []


def test_three_hundred_equal_texts_are_told_apart_by_position_alone() -> None:
    index = BM25(**PLAIN)
    index.fit(["user: the trombone again"] * 300 + ["user: the price of soup"])
    assert index.rank("trombone", 5) == [299, 298, 297, 296, 295]
    assert index.rank("soup", 5) == [300]
    index.extend(300, ["user: the trombone again"])
    assert index.rank("trombone", 2) == [300, 299]
    assert index.rank("soup", 5) == []


# hardly any index


@pytest.mark.parametrize("docs", [[], [""], ["user: "], ["user: the of and"], ["...", " ", "\n"], ["user: cat"]])
@pytest.mark.parametrize("query", ["", " ", "the of and", "?!", "cat", "zebra", "\ud83d", "\0"])
def test_the_smallest_indexes_and_questions_have_defined_answers(docs: list[str], query: str) -> None:
    index = BM25()
    index.fit(docs)
    found = index.rank(query, 5)
    assert found == ([0] if query == "cat" and "user: cat" in docs else [])
    assert all(0 <= score < math.inf for score in index.scores(query, None))
    assert len(index.scores(query, None)) == len(docs)
    assert math.isfinite(index.best_score(query))


# what is added to the plain formula


def test_a_turn_counts_more_where_the_question_names_who_said_it() -> None:
    docs = ["user: Anna: the boat is mine", "assistant: Bert: the boat is mine"] * 2
    plain, named = BM25(speaker=0, subject=0, feedback=0), BM25(speaker=0.5, subject=0, feedback=0)
    for index in (plain, named):
        index.fit(docs)
    query = "which boat is Bert's?"
    ratio = [index.scores(query, [1])[0] / index.scores(query, [0])[0] for index in (plain, named)]
    assert ratio[1] > ratio[0]


def test_words_of_one_subject_meet_and_count_less_than_the_word_itself() -> None:
    index = BM25(feedback=0)
    index.fit(["user: he plays the guitar", "user: the weather is fine", "user: he plays an instrument", "user: soup"])
    assert index.rank("which instrument?", 4) == [2, 0]
    assert BM25(subject=0).rank("which instrument?", 4) == []


def test_words_borrowed_from_the_best_stretches_bring_up_what_the_question_does_not_name() -> None:
    docs = ["user: the trombone is brass", "user: brass needs oil, slide oil", "user: oil the slide"] + [
        "user: soup"
    ] * 9
    with_feedback, without = BM25(subject=0), BM25(subject=0, feedback=0)
    for index in (with_feedback, without):
        index.fit(docs)
    assert without.rank("trombone", 5) == [0]
    found = with_feedback.rank("trombone", 5)
    assert found[0] == 0
    assert 1 in found


def test_a_long_turn_is_scored_by_its_best_passage_and_not_by_its_length() -> None:
    filler = "Nothing in particular was said about this and that on the way home. "
    long = "assistant: " + filler * 60 + "The trombone was blue. " + filler * 60
    index = BM25(subject=0, feedback=0)
    index.fit([long, *["user: something about soup and bread"] * 20])
    assert index.rank("was the trombone blue?", 3)[0] == 0
    short = BM25(subject=0, feedback=0)
    short.fit(["assistant: The trombone was blue.", *["user: something about soup and bread"] * 20])
    assert index.scores("trombone blue", [0])[0] > short.scores("trombone blue", [0])[0] / 4


# bounded work


@settings(max_examples=20)
@given(st.integers(0, 10_000))
def test_bounded_work_gives_exact_scores_and_the_newest_of_what_is_common(seed: int) -> None:
    """What a query may visit is bounded; each score that comes back is the one without a bound all the same."""
    source = random.Random(seed)
    docs = [
        "user: " + " ".join(source.choices(["boat", "soup", f"rare{source.randrange(40)}", "garden"], k=6))
        for _ in range(300)
    ]
    bounded, free = BM25(feedback=0, work=60), BM25(feedback=0, work=10**9)
    for index in (bounded, free):
        index.fit(docs)
    query = f"boat rare{source.randrange(40)} garden"
    found = bounded.rank(query, 50)
    scores = free.scores(query, None)
    assert bounded.scores(query, found) == pytest.approx([scores[at] for at in found])
    assert found == sorted(found, key=lambda at: (-bounded.scores(query, [at])[0], -at))
    rare = [at for at, doc in enumerate(docs) if query.split()[1] in doc.split()]
    assert set(rare) <= set(bounded.rank(query, 400))
    assert bounded.scores(query, list(range(300))) == pytest.approx(scores)


@settings(max_examples=30)
@given(st.integers(0, 10_000), st.integers(2, 3))
def test_more_occurrences_than_the_bound_change_nothing_while_all_can_be_looked_at(seed: int, share: int) -> None:
    """Scored from their postings or from their own words, borrowed words included: the answer is the same."""
    source = random.Random(seed)
    words = [f"word{number}" for number in range(30)]
    weights = [1 / (rank + 1) for rank in range(30)]

    def turn(role: str) -> str:
        name = source.choice(["", "", "Anna: ", "Bert: "])
        length = source.choice([3, 8, 8, 200])  # the last one is indexed by passages
        return f"{role}: {name}" + " ".join(f"{word}." for word in source.choices(words, weights, k=length))

    docs = [f"{turn('user')}\n{turn('assistant')}" for _ in range(50)]  # as few as words are borrowed from the best of
    query = "what did Anna say of " + " ".join(source.choices(words, k=4))
    free = BM25(work=10**9)
    free.fit(docs)
    found = free.rank(query, 50)
    assert free._answered is not None
    gains = free._answered.gains
    occurrences = sum(len(free._index.postings[number]) for number in (*gains.asked, *gains.borrowed))
    bounded = BM25(work=max(1, occurrences // share))
    bounded.fit(docs)
    assert bounded.rank(query, 50) == found
    assert bounded.scores(query, None) == pytest.approx(free.scores(query, None))
