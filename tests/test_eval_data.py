"""Reading what is measured on: small made-up conversations in LoCoMo's shape, and the file itself where it is."""

from __future__ import annotations

import copy
import datetime
import hashlib
import json
from typing import Any

import pytest

from eval import data


def entry(**changes: Any) -> dict[str, Any]:
    """A conversation of two sessions with turns and one with a date only."""
    made: dict[str, Any] = {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ada",
            "speaker_b": "Bo",
            "session_1_date_time": "9:05 am on 3 March, 2023",
            "session_1": [
                {"speaker": "Ada", "dia_id": "D1:1", "text": "I planted a fig tree near the fence today."},
                {"speaker": "Bo", "dia_id": "D1:2", "text": "Lovely!", "blip_caption": "a photo of a shed"},
            ],
            "session_2_date_time": "12:30 pm on 9 March, 2023",
            "session_3_date_time": "1:00 pm on 10 March, 2023",
            "session_3": [{"speaker": "Bo", "dia_id": "D3:1", "text": "Bo here, the old water pump leaks again, Ada."}],
        },
        "qa": [
            {"question": "What was planted?", "category": 4, "evidence": ["D1:1"]},
            {"question": "What leaks?", "category": 4, "evidence": ["D3:1; D1:02", "D9:9", "D"]},
            {"question": "Who sang?", "category": 5, "evidence": []},
            {"question": "Who danced?", "category": 5, "evidence": ["D7:1"]},
        ],
    }
    return {**made, **changes}


def test_a_turn_names_its_speaker_and_says_what_picture_was_shared() -> None:
    turns = data.parse(entry()).turns
    assert [t.text for t in turns[:2]] == [
        "Ada: I planted a fig tree near the fence today.",
        "Bo: Lovely! [shares a photo of a shed]",
    ]
    assert [t.role for t in turns] == ["user", "assistant", "assistant"]
    assert {t.when for t in turns[:2]} == {"9:05 am on 3 March, 2023"}


def test_a_session_without_turns_is_no_session() -> None:
    conversation = data.parse(entry())
    assert [(s.lo, s.hi) for s in conversation.sessions] == [(0, 2), (2, 3)]
    assert conversation.turns[2].session == 1
    assert conversation.sessions[1].start == datetime.datetime(2023, 3, 10, 13, 0)


def test_malformed_evidence_is_mended_and_what_names_no_turn_left_out() -> None:
    assert [q.gold for q in data.parse(entry()).questions] == [(0,), (1, 2)]


def test_questions_left_without_evidence_are_not_counted_and_ids_still_number_all() -> None:
    conversation = data.parse(entry(qa=list(reversed(entry()["qa"]))))
    assert [q.id for q in conversation.questions] == ["conv-1/2", "conv-1/3"]


@pytest.mark.parametrize("text", ["", "8 May 2023", "25:00 pm on 8 May, 2023 and later"])
def test_a_date_in_another_shape_is_no_date(text: str) -> None:
    assert data.parse_date(text) is None


def test_long_replies_change_the_second_speaker_only_and_keep_what_was_said() -> None:
    other = entry(sample_id="conv-2")
    raw = [entry(), other]
    before = copy.deepcopy(raw)
    longer = data.lengthen(raw)
    assert raw == before
    talk, plain = longer[0]["conversation"], before[0]["conversation"]
    assert talk["session_1"][0] == plain["session_1"][0]
    assert talk["session_1"][1]["text"].startswith("Lovely!")
    assert len(talk["session_1"][1]["text"]) >= 1500
    assert longer[0]["qa"] == plain_qa(before)


def plain_qa(raw: list[dict[str, Any]]) -> Any:
    return raw[0]["qa"]


def test_what_long_replies_are_filled_with_names_nobody() -> None:
    longer = data.lengthen([entry(), entry(sample_id="conv-2")])
    filled = longer[0]["conversation"]["session_3"][0]["text"].removeprefix(
        "Bo here, the old water pump leaks again, Ada."
    )
    assert "the old water pump leaks again" in filled
    assert "Ada" not in filled


def test_long_replies_come_out_the_same_each_time() -> None:
    raw = [entry(), entry(sample_id="conv-2")]
    assert data.lengthen(raw) == data.lengthen(raw)


def test_data_that_is_not_there_is_an_error_that_says_how_to_name_it(tmp_path: Any) -> None:
    with pytest.raises(data.DataMissingError, match=r"--data .*BYHEART_DATA"):
        data.find(tmp_path)


def test_data_is_found_by_folder_by_file_and_by_the_environment(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "locomo10.json").write_text(json.dumps([entry()]), encoding="utf-8")
    assert data.find(tmp_path) == data.find(tmp_path / "locomo10.json") == tmp_path
    monkeypatch.setenv("BYHEART_DATA", str(tmp_path))
    assert [c.id for c in data.load()] == ["conv-1"]


def test_an_unknown_conversation_is_an_error_that_lists_those_there_are(tmp_path: Any) -> None:
    (tmp_path / "locomo10.json").write_text(json.dumps([entry()]), encoding="utf-8")
    with pytest.raises(ValueError, match=r"conv-9.*conv-1"):
        data.load(tmp_path, only=["conv-9"])


@pytest.fixture
def real() -> list[dict[str, Any]]:
    try:
        return data.read()
    except data.DataMissingError as missing:
        pytest.skip(str(missing))


def test_locomo_has_its_ten_conversations_and_1982_questions_with_evidence(real: list[dict[str, Any]]) -> None:
    conversations = [data.parse(one) for one in real]
    assert len(conversations) == 10
    assert sum(len(c.questions) for c in conversations) == 1982
    assert sum(len(c.turns) for c in conversations) == 5882
    assert set(data.TUNING) < {c.id for c in conversations}
    assert all(s.start for c in conversations for s in c.sessions)


def test_locomo_with_long_replies_is_the_file_others_measured_on(real: list[dict[str, Any]]) -> None:
    text = json.dumps(data.lengthen(real), ensure_ascii=False)
    assert (
        hashlib.sha256(text.encode()).hexdigest() == "fa1ce3a517f5adede3b0b95d55fdb0cf9717e34a78cf8bab551960c703f795c8"
    )
