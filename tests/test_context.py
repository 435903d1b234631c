"""What is sent only grows until it is rebuilt: growth, stability, ceiling, admission, riders, forgetting."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from byheart import MARKER, Memory

some = settings(max_examples=settings().max_examples * 2 // 5)

Read = Callable[..., Any]
Talk = Callable[..., Memory]


def texts(result: Any) -> list[str]:
    return [part["text"] for message in result["messages"] for part in message["parts"]]


# below the budget


def test_below_the_budget_everything_is_sent_as_it_was_said(read: Read) -> None:
    memory = Memory()
    memory.extend([("user", "hello"), ("assistant", "hi there"), ("user", "we moved to Lyon")])
    result = memory.compose("where did we move?")
    assert texts(result) == ["hello", "hi there", "we moved to Lyon", "where did we move?"]
    assert [message["role"] for message in result["messages"]] == ["user", "assistant", "user", "user"]
    assert result["mode"] == "passthrough"
    assert result["included"] == [0, 1, 2]
    assert result["excerpts"] == []
    assert result["chars"] == len("hellohi therewe moved to Lyon")
    assert result["stable_upto"] == 2
    assert (result["selected"], result["of_units"]) == (1, 1)
    assert not result["reselected"]


def test_the_keys_are_the_same_below_and_above_the_budget(talk: Talk) -> None:
    above = talk({"cats": 20}, budget=500).compose("cats?")
    below = talk({"cats": 1}, budget=5_000).compose("cats?")
    assert above["mode"] == "assembled"
    assert below["mode"] == "passthrough"
    assert list(above) == list(below)
    json.dumps(above)


def test_the_date_stands_where_the_day_changes_and_nowhere_else() -> None:
    memory = Memory()
    memory.append("user", "morning", when="8 May 2023, 9:00")
    memory.append("assistant", "hello", when="8 May 2023, 9:01")
    memory.append("user", "no date here")
    memory.append("user", "still here", when="2023-05-08")
    memory.append("user", "a new day", when="9 May 2023")
    assert texts(memory.compose("and now?", when="9 May 2023")) == [
        "[8 May 2023, 09:00]\nmorning",
        "hello",
        "no date here",
        "still here",
        "[9 May 2023]\na new day",
        "and now?",
    ]
    assert texts(memory.compose("and now?", when="10 May 2023"))[-1] == "[10 May 2023]\nand now?"


def test_relative_dates_are_annotated_beside_the_words_and_the_words_stay() -> None:
    memory = Memory()
    memory.append("user", "I ran the race last Saturday", when="25 May 2023")
    assert texts(memory.compose("which race?"))[0] == "[25 May 2023]\nI ran the race last Saturday [20 May 2023]"
    assert memory.turns[0]["text"] == "I ran the race last Saturday"
    assert (
        Memory.from_dict(memory.to_dict(), languages=())
        .compose("?")["messages"][0]["parts"][0]["text"]
        .endswith("last Saturday")
    )


def test_the_question_is_shown_as_the_turn_it_will_be(read: Read) -> None:
    memory = Memory()
    memory.append("user", "hello", when="24 May 2023")
    first = memory.compose("what did I do yesterday?", when="25 May 2023")
    assert texts(first)[-1] == "[25 May 2023]\nwhat did I do yesterday [24 May 2023]?"
    memory.append("user", "what did I do yesterday?", when="25 May 2023")
    assert texts(memory.compose("well?"))[:2] == texts(first)


@pytest.mark.parametrize("exchanges", [2, 30])
def test_a_question_that_is_stored_is_sent_once(exchanges: int, talk: Talk) -> None:
    memory = talk({"trains": exchanges}, budget=1_000)
    memory.append("user", "and what about the trombone?")
    memory.append("assistant", "a trombone it is")
    memory.append("user", "which trombone did I choose?")
    sent = texts(memory.compose())
    assert sent.count("which trombone did I choose?") == 1
    assert sum("which trombone did I choose?" in text for text in sent) == 1
    assert sent[-1] == "which trombone did I choose?"
    assert memory.compose()["included"][-1] == len(memory) - 1


@pytest.mark.parametrize("exchanges", [2, 30])
@pytest.mark.parametrize("first", ["something else entirely", "answer 3 on boats", "thanks"])
def test_a_question_that_was_sent_as_a_turn_before_it_is_asked_is_sent_once(
    exchanges: int, first: str, read: Read, talk: Talk
) -> None:
    memory = talk({"boats": exchanges, "trains": exchanges}, budget=1_000, stability=0.6)
    memory.append("user", "which trombone did I choose?")
    before = texts(memory.compose(first))[:-1]
    result = memory.compose()
    sent = texts(result)
    assert sum("which trombone" in text for text in sent) == 1
    assert result["reselected"] == (sent[: len(before)] != before)


# above it


def test_the_first_question_past_the_budget_selects_whole_stretches_that_match_it(read: Read, talk: Talk) -> None:
    memory = talk({"cats": 10, "boats": 10, "soup": 10}, budget=1_500)
    result = memory.compose("what was said about boats?")
    request = read(result)
    assert result["mode"] == "assembled"
    assert result["reselected"]
    (block,) = request.blocks
    assert any("boats" in shown.text for shown in block)
    starts = [*memory.bounds, len(memory)]
    recalled = set(result["included"]) - set(range(len(memory) - 2, len(memory)))
    for lo, hi in itertools.pairwise(starts):
        assert recalled.isdisjoint(range(lo, hi)) or hi == len(memory) or recalled.issuperset(range(lo, hi))
    assert result["selected"] < result["of_units"]
    assert result["chars"] <= 1_500


def test_recalled_stretches_come_in_the_order_of_time_with_their_dates(read: Read) -> None:
    memory = Memory(budget=800, chunk=60)
    for day in range(1, 29):
        subject = "we spoke of boats" if day in (3, 9) else "it was like any other day"
        memory.append("user", f"day {day}: {subject}", when=f"{day} May 2023")
        memory.append("assistant", "so it was, and nothing else happened", when=f"{day} May 2023")
    request = read(memory.compose("boats?"))
    shown = [turn for turn in request.blocks[0] if "boats" in turn.text]
    assert [turn.text for turn in shown] == ["day 3: we spoke of boats", "day 9: we spoke of boats"]
    dated = [turn.date for turn in request.blocks[0] if turn.role == "assistant"]
    assert dated == sorted(dated, key=lambda date: int(date.split()[0]))
    assert {"3 May 2023", "9 May 2023"} <= set(dated)


def test_each_request_is_the_one_before_and_something_more_until_the_ceiling(read: Read, talk: Talk) -> None:
    memory = talk({"cats": 12, "boats": 12, "soup": 12, "chess": 12}, budget=2_000, ceiling=2.0)
    before: list[tuple[str, str]] = []
    rebuilds = 0
    for number in range(40):
        subject = ("boats", "chess", "cats", "soup")[number % 4]
        result = memory.compose(f"what about {subject}, number {number}?")
        request = read(result)
        if result["reselected"]:
            rebuilds += 1
        else:
            assert request.context[: len(before)] == before
        assert request.stable == request.context
        assert result["chars"] <= 4_000
        before = request.stable
        memory.append("user", f"what about {subject}, number {number}?")
        memory.append("assistant", f"well, {subject} are fine, I would say, as they always were, number {number}")
    assert 1 < rebuilds < 8


def test_what_one_question_admits_stands_in_one_part_behind_what_is_there(read: Read, talk: Talk) -> None:
    memory = talk({"cats": 12, "boats": 12, "soup": 12}, budget=2_000, fill=0.3, stability=0.5)
    first = read(memory.compose("what about boats?"))
    second = read(memory.compose("and what about the cats?"))
    news = second.context[len(first.context) :]
    assert len(news) == 1
    assert news[0][1].startswith(MARKER)
    assert "cats" in news[0][1]


@pytest.mark.parametrize("stability", [0.3, 0.5, 0.7, 0.9])
def test_a_question_admits_no_more_than_stability_leaves_it(stability: float, read: Read, talk: Talk) -> None:
    memory = talk({"cats": 30, "boats": 30}, budget=3_000, fill=0.3, stability=stability)
    before = memory.compose("boats?")["chars"]
    result = memory.compose("tell me all about the cats")
    assert not result["reselected"]
    assert 0 < result["chars"] - before <= (1 - stability) * 3_000 + 300  # the best stretch is always taken


def test_at_stability_zero_the_answer_depends_on_the_turns_and_the_question_alone(talk: Talk) -> None:
    warm = talk({"cats": 20, "boats": 20}, budget=1_000, stability=0)
    for query in ("cats?", "boats?", "the weather?", "why?"):
        warm.compose(query)
    cold = talk({"cats": 20, "boats": 20}, budget=1_000, stability=0)
    result = warm.compose("answer 7 on boats?")
    assert result == cold.compose("answer 7 on boats?")
    assert result["stable_upto"] == -1
    assert result["chars"] <= 1_000


def test_at_stability_zero_a_context_that_fits_the_budget_still_repeats(talk: Talk) -> None:
    memory = talk({"cats": 2}, budget=1_000, stability=0)
    assert memory.compose("cats?")["stable_upto"] == 3


@pytest.mark.parametrize("query", ["thanks!", "ok", "ok thanks", "👍", "great, thank you so much", "Danke!", "..."])
def test_a_question_that_asks_nothing_admits_nothing_and_changes_nothing(query: str, read: Read, talk: Talk) -> None:
    memory = talk({"thanks and ok": 12, "boats": 12}, budget=1_000)
    before = read(memory.compose("boats?"))
    result = memory.compose(query)
    assert not result["reselected"]
    assert read(result).context == before.context


UNEVEN = [
    (role, text)
    for at in range(20)
    for subject in ("cats", "boats")
    for role, text in (
        ("user", f"question {at} about {subject} " * (1 + at % 3)),
        ("assistant", f"answer {at} on {subject}" + " and so on" * (at % 5)),
    )
]
ASKED = st.lists(st.sampled_from(["cats", "boats", "answer", "7", "question", "soup"]), min_size=1, max_size=4)


@some
@given(st.sampled_from([0.3, 0.5, 1.0]), st.sampled_from([0.3, 0.5, 0.7, 1]), st.lists(ASKED.map(" ".join), min_size=1))
def test_the_same_question_asked_again_admits_nothing_and_changes_nothing(
    fill: float, stability: float, queries: list[str]
) -> None:
    memory = Memory(budget=1_000, chunk=80, fill=fill, stability=stability)
    memory.extend(UNEVEN)
    for query in queries:
        first = memory.compose(query)
        second = memory.compose(query)
        assert second["messages"] == first["messages"]
        assert not second["reselected"]


def test_ties_go_to_the_newer_stretch(read: Read) -> None:
    memory = Memory(budget=400, chunk=40, stability=0)
    for _ in range(40):
        memory.append("user", "the very same words about trains again")
    memory.append("user", "and now to something else, which is long enough")
    memory.append("assistant", "yes, to something else, which is long enough")
    included = memory.compose("trains?")["included"]
    recalled = [turn for turn in included if turn < 40]
    assert recalled == list(range(recalled[0], recalled[-1] + 1))
    assert recalled[-1] >= 36  # the newest has a neighbour that does not match, the next newest has not


# what rides along


@pytest.mark.parametrize("stability", [0, 0.7])
def test_the_last_exchange_is_always_there(stability: float, read: Read) -> None:
    memory = Memory(budget=600, stability=stability)
    for number in range(60):
        query = f"question {number}: is it the trains or the weather today, what do you think?"
        result = memory.compose(query)
        if number:
            assert {len(memory) - 2, len(memory) - 1} <= set(result["included"])
        memory.append("user", query)
        memory.append("assistant", f"answer {number}: certainly something, though I would not swear to it")


def test_a_short_question_is_looked_up_with_the_last_exchange(read: Read, talk: Talk) -> None:
    memory = talk({"cats": 12, "boats": 12, "soup": 12}, budget=1_200, fill=0.3, stability=0.4)
    memory.append("user", "now what was it with the cats?")
    memory.append("assistant", "the cats, yes, you asked about cats")
    memory.compose("boats, tell me about boats")
    before = len(read(memory.compose("boats, tell me about boats")).context)
    news = read(memory.compose("why?")).context[before:]
    assert news
    assert all("cats" in text for _, text in news)


def test_the_open_stretch_rides_along_while_there_is_room() -> None:
    memory = Memory(budget=1_000, chunk=300)
    memory.extend(
        [("user" if at % 2 == 0 else "assistant", f"turn {at} of a long talk about trains") for at in range(100)]
    )
    open_from = memory.bounds[-1]
    assert set(memory.compose("zeppelins?")["included"]) >= set(range(open_from, 100))


# the promise


@pytest.mark.parametrize(("stability", "role"), [(0, "user"), (0.7, "assistant")])
@pytest.mark.parametrize(
    "huge",
    [
        "So it goes, sentence after sentence. " * 1_000,
        "word " * 6_000,
        "x" * 30_000,
        "line\n" * 6_000,
        "\n\n\n.\u2028" * 3_000,
        "猫が好きです。" * 4_000,
    ],
)
def test_a_huge_turn_is_sent_in_excerpts_within_the_promise(
    huge: str, role: str, stability: float, read: Read, talk: Talk
) -> None:
    memory = talk({"cats": 5}, budget=1_000, stability=stability)
    memory.append(role, huge)
    promise = 2_000 if stability else 1_000
    for query in ("cats?", "why?", "thanks"):
        result = memory.compose(query)
        assert result["chars"] <= promise
        (excerpt,) = result["excerpts"]
        assert excerpt["turn"] == 10
        shown = [turn for turn in read(result).shown if turn.excerpts]
        for start, end in excerpt["spans"]:
            assert any(huge[start:end] in turn.text for turn in shown)
    memory.extend([("assistant", "a short answer"), ("user", "a short question"), ("assistant", "yes")] * 5)
    for query in ("cats?", "why?"):
        assert memory.compose(query)["chars"] <= promise


@some
@given(
    sizes=st.lists(st.integers(1, 4_000), min_size=1, max_size=12),
    when=st.sampled_from([None, "8 May 2023", "some time, I do not know when exactly, " * 20]),
    ceiling=st.sampled_from([1.0, 2.0]),
)
def test_dates_markers_and_many_long_turns_in_a_row_stay_within_the_promise(
    sizes: list[int], when: str | None, ceiling: float
) -> None:
    memory = Memory(budget=1_000, ceiling=ceiling)
    for at, size in enumerate(sizes):
        memory.append("user" if at % 5 else "assistant", "a\n" * (size // 2 + 1), when=when and f"{when} {at}")
    for query in ("a?", "where?", "ok"):
        result = memory.compose(query)
        assert result["chars"] <= 1_000 * ceiling
        assert (len(memory) - 1) in {*result["included"], *(each["turn"] for each in result["excerpts"])}


def test_sizes_are_in_the_memorys_own_measure(read: Read, talk: Talk) -> None:
    words: Callable[[str], float] = lambda text: len(text.split())  # noqa: E731
    memory = talk({"cats": 40, "boats": 40}, budget=200, measure=words, chunk=40)
    for query in ("cats?", "boats?", "answer 3"):
        result = memory.compose(query)
        assert result["chars"] == sum(words(text) for _, text in read(result).context)
        assert 50 < result["chars"] <= 400
    assert 4 < len(memory.bounds) < 80


# dry runs


def test_a_dry_run_leaves_everything_as_it_was(talk: Talk) -> None:
    memory = talk({"cats": 12, "boats": 12}, budget=1_000)
    twin = talk({"cats": 12, "boats": 12}, budget=1_000)
    for query in ("boats?", "cats?", "why?", "answer 11"):
        before = json.dumps(memory.to_dict())
        preview = memory.compose(query, when="03/04/2023", dry_run=True)
        assert json.dumps(memory.to_dict()) == before
        assert preview == twin.compose(query, when="03/04/2023", dry_run=True)
        assert memory.compose(query) == twin.compose(query)


def test_a_failing_retriever_leaves_everything_as_it_was() -> None:
    class Moody:
        works = True

        def fit(self, docs: Sequence[str]) -> None:
            self.docs = list(docs)

        def rank(self, query: str) -> list[int]:
            if not self.works:
                raise OSError("no model")
            return list(range(len(self.docs)))

    moody = Moody()
    memory = Memory(budget=400, retriever=moody)
    memory.extend([("user", f"turn {at} about trains and the like") for at in range(40)])
    memory.compose("trains?")
    before = memory.to_dict()
    moody.works = False
    with pytest.raises(Exception, match="no model"):
        memory.compose("bicycles?")
    assert memory.to_dict() == before
    assert memory.append("user", "append does not need it") == 40
    moody.works = True
    assert memory.compose("bicycles?")["mode"] == "assembled"


# forgetting


def test_truncating_keeps_the_prefix_before_it(read: Read, talk: Talk) -> None:
    memory = talk({"cats": 12, "boats": 12}, budget=1_000)
    memory.compose("cats?")
    memory.append("user", "tell me a story")
    before = read(memory.compose()).stable
    memory.append("assistant", "once upon a time")
    memory.compose("go on")
    memory.truncate(len(memory) - 1)  # regenerate
    result = memory.compose()
    assert not result["reselected"]
    assert read(result).stable == before
    memory.append("assistant", "it was a dark night")
    after = memory.compose("go on")
    assert not after["reselected"]
    assert read(after).stable[: len(before)] == before
    assert not any("once upon" in text for text in texts(after))


@pytest.mark.parametrize("back", range(1, 79, 6))
def test_the_last_exchange_is_there_however_much_was_truncated(back: int, talk: Talk) -> None:
    memory = talk({"cats": 20, "boats": 20}, budget=600)
    for query in ("cats?", "boats 3?", "answer 7"):
        memory.compose(query)
    memory.truncate(len(memory) - back)
    result = memory.compose("and?")
    last = [at for at in range(len(memory) - 2, len(memory)) if at >= 0]
    assert set(last) <= set(result["included"])


def test_a_memory_that_forgot_everything_is_like_a_new_one(talk: Talk) -> None:
    query = "how many lives is it that cats are said to have, nine lives?"
    memory = talk({"cats": 20}, budget=600, external=lambda query: [{"text": "cats have lives", "source": "atlas"}])
    memory.extend([("user", query)] * 3)
    assert "atlas" not in json.dumps(memory.compose(query))
    memory.truncate(0)
    assert memory.turns == []
    assert memory.bounds == [0]
    assert "atlas" in json.dumps(memory.compose(query)), "nothing that was forgotten is compared with"
    memory.append("user", "hello")
    result = memory.compose("hm?")
    assert result["mode"] == "passthrough"
    assert texts(result) == ["hello", "hm?"]


def test_a_memory_that_fits_the_budget_again_sends_everything_again(talk: Talk) -> None:
    memory = talk({"cats": 20}, budget=600)
    assert memory.compose("cats?")["mode"] == "assembled"
    memory.truncate(6)
    result = memory.compose("cats?")
    assert result["mode"] == "passthrough"
    assert result["included"] == list(range(6))


def test_truncating_takes_back_what_was_learnt_about_the_order_of_dates() -> None:
    memory = Memory()
    memory.append("user", "one", when="29/12/2022")
    memory.truncate(0)
    memory.append("user", "two", when="03/04/2023")
    assert texts(memory.compose("?"))[0] == "[03/04/2023]\ntwo"
    memory.append("user", "three", when="30/12/2022")
    memory.append("user", "four", when="12/30/2022")  # the dates contradict each other: nothing is known
    memory.truncate(2)
    memory.append("user", "five", when="03/04/2023")
    assert texts(memory.compose("?"))[-2] == "[3 April 2023]\nfive"


def test_what_was_redacted_is_unreachable_and_nothing_shifts(context_text: Callable[[Any], str], talk: Talk) -> None:
    memory = talk({"trains": 30}, budget=1_000)
    secret = memory.append("user", "my server password is hunter2, remember it")
    memory.append("assistant", "I will remember hunter2")
    memory.extend([("user" if at % 2 else "assistant", f"weather and vacations, filler {at}") for at in range(60)])
    assert "hunter2" in context_text(memory.compose("server password hunter2"))
    bounds, length = memory.bounds, len(memory)
    memory.redact(secret)
    memory.redact(secret + 1)
    result = memory.compose("server password hunter2")
    assert "hunter2" not in context_text(result)
    assert result["reselected"]
    assert memory.bounds == bounds
    assert len(memory) == length
    assert memory.turns[secret]["text"]
    assert "hunter2" not in json.dumps(memory.to_dict())
    assert all("hunter2" not in hit["text"] for hit in memory.search("hunter2 server password", limit=50))


def test_redacting_what_is_not_sent_leaves_what_is_sent_alone(read: Read, talk: Talk) -> None:
    memory = talk({"cats": 20, "boats": 20}, budget=800)
    before = memory.compose("boats?")
    assert 3 not in before["included"]
    memory.redact(3)
    after = memory.compose("boats?")
    assert not after["reselected"]
    assert read(after).stable == read(before).stable


def test_redacting_twice_breaks_the_prefix_once(talk: Talk) -> None:
    memory = talk({"cats": 20}, budget=800)
    sent = memory.compose("cats?")["included"][-1]
    memory.redact(sent)
    assert memory.compose("cats?")["reselected"]
    memory.redact(sent)
    assert not memory.compose("cats?")["reselected"]


def test_a_blank_turn_that_is_redacted_is_sent_like_any_other_that_was() -> None:
    memory = Memory()
    memory.extend([("user", "hello"), ("assistant", " "), ("user", "still there?")])
    assert texts(memory.compose("?")) == ["hello", "still there?", "?"]
    memory.redact(1)
    assert texts(memory.compose("?")) == ["hello", "[redacted]", "still there?", "?"]


# the retriever's index


class Counting:
    """A retriever that counts what it is asked to do, with the built-in one's order."""

    def __init__(self, *, grows: bool = True) -> None:
        self.calls: list[tuple[str, int, int]] = []
        self.docs: list[str] = []
        if not grows:
            self.extend = None  # type: ignore[assignment]  # a retriever without the hook

    def fit(self, docs: Sequence[str]) -> None:
        self.calls.append(("fit", 0, len(docs)))
        self.docs = list(docs)

    def extend(self, start: int, docs: Sequence[str]) -> None:
        self.calls.append(("extend", start, len(docs)))
        self.docs[start:] = docs

    def rank(self, query: str, limit: int) -> list[int]:
        words = query.lower().split()
        found = [at for at, doc in enumerate(self.docs) if any(word in doc for word in words)]
        return sorted(found, key=lambda at: (-sum(word in self.docs[at] for word in words), -at))[:limit]


@pytest.mark.parametrize("grows", [True, False])
def test_nothing_is_indexed_while_nothing_changed(grows: bool, talk: Talk) -> None:
    counting = Counting(grows=grows)
    memory = talk({"cats": 10, "boats": 10}, budget=400, retriever=counting)
    memory.compose("cats")
    count = len(counting.calls)
    for query in ("boats", "answer", "cats"):
        memory.compose(query)
        memory.search(query)
    assert len(counting.calls) == count


def test_a_turn_more_indexes_the_open_stretch_again_and_nothing_else(talk: Talk) -> None:
    counting = Counting()
    memory = talk({"cats": 10, "boats": 10}, budget=400, retriever=counting)
    memory.compose("cats")
    before, stretches = list(counting.docs), len(memory.bounds)
    memory.append("user", "a few words more")
    memory.compose("cats")
    assert counting.calls[-1] == ("extend", stretches - 1, len(memory.bounds) - stretches + 1)
    assert counting.docs[: stretches - 1] == before[: stretches - 1]


def test_what_is_indexed_is_always_what_the_stretches_say(talk: Talk) -> None:
    """Whatever was appended, cut, forgotten or redacted in between."""
    counting = Counting()
    memory = talk(
        {"cats": 3}, budget=300, retriever=counting, chunk=90, boundaries=lambda turns: range(2, len(turns), 2)
    )
    for step in range(30):
        memory.append("user", f"step {step} about cats")
        if step % 7 == 3:
            memory.bounds = [0, 2, len(memory) - 1]
        if step % 11 == 5:
            memory.truncate(len(memory) - 3)
        if step % 5 == 2:
            memory.redact(step % len(memory))
        if step % 2:
            memory.search("cats")
            fresh = Counting()
            Memory.from_dict(memory.to_dict(), budget=300, retriever=fresh).search("cats")
            assert counting.docs == fresh.docs


class Ingesting(Counting):
    """Wants stretches early, and fails to take them once."""

    broken = True

    def ingest(self, start: int, docs: Sequence[str]) -> None:
        self.calls.append(("ingest", start, len(docs)))
        if self.broken:
            raise OSError("disk full")
        self.docs[start:] = docs


def test_a_retriever_that_fails_to_take_stretches_early_is_fitted_at_the_next_question() -> None:
    """It is not asked again and again, with more each time; ``append`` never fails for it."""
    ingesting = Ingesting()
    memory = Memory(budget=400, chunk=5, retriever=ingesting)
    memory.extend([("user", f"turn {number}") for number in range(600)])
    for number in range(600, 700):
        memory.append("user", f"turn {number}")
    assert [call[0] for call in ingesting.calls] == ["ingest"]
    memory.search("turn 5")
    assert ingesting.calls[-1] == ("fit", 0, len(memory.bounds))
    ingesting.broken = False
    ingesting.calls.clear()
    memory.extend([("user", f"turn {number}") for number in range(700, 1_300)])
    assert [call[0] for call in ingesting.calls] == ["ingest"]
    memory.search("turn 5")
    assert len(ingesting.docs) == len(memory.bounds)
    assert ingesting.docs[700] == "user: turn 700"


def test_assigning_bounds_indexes_the_new_stretches(talk: Talk) -> None:
    counting = Counting()
    memory = talk({"cats": 10}, budget=400, retriever=counting)
    memory.compose("cats")
    memory.bounds = [0, 4, 8]
    memory.compose("cats")
    assert len(counting.docs) == 3


def test_keeping_encodings_does_not_change_the_selection(talk: Talk) -> None:
    warm = talk({"cats": 20, "boats": 20, "soup": 20}, budget=600, stability=0)
    for query in ("cats", "boats", "answer 3"):
        warm.compose(query)
    cold = talk({"cats": 20, "boats": 20, "soup": 20}, budget=600, stability=0)
    assert warm.compose("soup answer 5")["included"] == cold.compose("soup answer 5")["included"]


def test_a_selection_points_at_the_same_turns_after_bounds_are_rewritten(read: Read, talk: Talk) -> None:
    memory = talk({"cats": 20, "boats": 20}, budget=800, stability=0.9)
    before = memory.compose("cats?")
    memory.bounds = sorted({*memory.bounds, *(bound + 1 for bound in memory.bounds if bound + 1 < len(memory))})
    after = memory.compose("cats?")
    assert not after["reselected"]
    assert set(before["included"]) <= set(after["included"])
    assert read(after).stable[: len(read(before).stable)] == read(before).stable


def test_nothing_grows_with_the_conversation_but_what_is_kept() -> None:
    """No timing: how many texts are handed over and how many turns are looked at by a request, far apart in time."""

    class Watching(Counting):
        def rank(self, query: str, limit: int) -> list[int]:
            return []

    watching = Watching()
    sized: list[str] = []

    def measure(text: str) -> int:
        sized.append(text)
        return len(text)

    memory = Memory(budget=2_000, retriever=watching, measure=measure)
    work: list[tuple[int, int]] = []
    for number in range(1_500):
        memory.append("user", f"turn {number} of very many of about this length")
        if number % 500 == 499:
            memory.compose("which?")
            watching.calls.clear()
            sized.clear()
            memory.append("assistant", f"answer {number} of about this length")
            memory.compose("which?")
            work.append((sum(count for _, _, count in watching.calls), len(sized)))
    assert max(texts for texts, _ in work) <= 3
    assert max(count for _, count in work) <= min(count for _, count in work) + 20
