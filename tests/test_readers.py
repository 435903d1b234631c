"""Chat files: every kind read as it is, everything else refused in one line that says what and where."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from byheart import Memory
from byheart.errors import InputError
from byheart.readers import KINDS, read_chat

HELLO = {"role": "user", "content": "hello", "when": "8 May, 2023"}
REPLY = {"role": "assistant", "content": "hi there"}
TURNS = [
    {"role": "user", "text": "hello", "when": "8 May, 2023"},
    {"role": "assistant", "text": "hi there", "when": None},
]
LOCOMO = [
    {
        "sample_id": "conv-7",
        "qa": [],
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_10_date_time": "3 pm on 9 June, 2023",
            "session_10": [{"speaker": "Bob", "dia_id": "D10:1", "text": "Later."}],
            "session_2_date_time": "1:56 pm on 8 May, 2023",
            "session_2": [
                {"speaker": "Ann", "dia_id": "D2:1", "text": "Look!", "blip_caption": "a photo of a cat"},
                {"speaker": "Bob", "dia_id": "D2:2", "text": "Nice.", "blip_caption": ""},
            ],
            "session_11_date_time": "no such session",
        },
    },
    {
        "sample_id": "conv-9",
        "conversation": {
            "speaker_a": "Cy",
            "speaker_b": "Di",
            "session_1": [{"speaker": "Cy", "text": "No date."}],
        },
    },
]


def lines(*messages: object) -> str:
    return "".join(json.dumps(message) + "\n" for message in messages)


def read(text: str | bytes, **options: object) -> list[dict[str, object]]:
    stream = io.BytesIO(text) if isinstance(text, bytes) else io.StringIO(text)
    return read_chat(stream, **options)  # type: ignore[arg-type]


def refusal(text: str | bytes, **options: object) -> str:
    with pytest.raises(InputError) as caught:
        read(text, **options)
    message = str(caught.value)
    assert "\n" not in message
    message.encode()  # an error message can always be printed
    return message


def attempt(text: str | bytes, kind: str | None) -> list[dict[str, object]] | str:
    """The turns, or the message with which they are refused; any other exception comes through."""
    try:
        return read(text, kind=kind)
    except InputError as error:
        return str(error)


# What is read


def test_json_lines_are_read_with_and_without_dates() -> None:
    assert read(lines(HELLO, REPLY)) == TURNS


def test_text_is_accepted_for_content() -> None:
    assert read(lines(*TURNS)) == TURNS


def test_a_file_of_one_line_is_json_lines() -> None:
    assert read(lines(HELLO)) == TURNS[:1]
    assert "line 1" in refusal(lines({"role": "tool", "content": "x"}))


def test_one_message_over_several_lines_is_read_too() -> None:
    assert read(json.dumps(HELLO, indent=2)) == TURNS[:1]


def test_blank_lines_are_passed_over_and_still_counted() -> None:
    text = "\n" + lines(HELLO) + " \t\r\n\n" + lines(REPLY)
    assert read(text) == TURNS
    assert "line 6" in refusal(text + lines({"role": "bot", "content": ""}))


def test_other_keys_are_left_alone() -> None:
    assert read(lines({**HELLO, "id": 7, "name": None, "score": float("nan")}, REPLY)) == TURNS


def test_an_array_of_messages_is_read_on_one_line_or_many() -> None:
    for indent in (None, 2):
        assert read(json.dumps([HELLO, REPLY], indent=indent)) == TURNS


def test_a_whole_request_with_messages_is_read() -> None:
    assert read(json.dumps({"model": "m", "messages": [HELLO, REPLY]})) == TURNS


def test_text_parts_are_joined_by_line_breaks() -> None:
    parts = [{"type": "text", "text": "one"}, {"type": "output_text", "text": "two"}]
    assert read(lines({"role": "assistant", "content": parts}))[0]["text"] == "one\ntwo"


def test_a_refusal_is_something_said() -> None:
    whole = {"role": "assistant", "content": None, "refusal": "I would rather not."}
    part = {"role": "assistant", "content": [{"type": "refusal", "refusal": "I would rather not."}]}
    assert [turn["text"] for turn in read(lines(whole, part))] == ["I would rather not."] * 2


def test_a_blank_message_is_kept() -> None:
    assert read(lines({"role": "user", "content": ""}))[0]["text"] == ""


def test_a_saved_memory_gives_its_turns() -> None:
    for saved in ({"version": 1, "turns": TURNS, "bounds": [0]}, {"turns": TURNS}):
        assert read(json.dumps(saved)) == TURNS


def test_what_a_memory_saved_is_read_back_with_what_was_redacted_left_out() -> None:
    memory = Memory()
    memory.extend(TURNS)
    memory.compose("well?")
    memory.redact(1)
    said = read(json.dumps(memory.to_dict()))
    assert said == memory.turns
    assert "hi there" not in str(said)


def test_an_empty_memory_and_an_empty_array_are_no_error() -> None:
    assert read('{"version": 1, "turns": []}') == []
    assert read("[]") == []


def test_locomo_sessions_come_in_order_with_names_captions_and_dates() -> None:
    may, june = "1:56 pm on 8 May, 2023", "3 pm on 9 June, 2023"
    assert read(json.dumps(LOCOMO), conversation="conv-7") == [
        {"role": "user", "text": "Ann: Look! [shares a photo of a cat]", "when": may},
        {"role": "assistant", "text": "Bob: Nice.", "when": may},
        {"role": "assistant", "text": "Bob: Later.", "when": june},
    ]


def test_keys_that_only_look_like_sessions_are_left_alone() -> None:
    chat = {**LOCOMO[1]["conversation"], f"session_{'9' * 5000}": 5, "session_x": 5, "session_\u0663": 5}  # type: ignore[dict-item]
    assert len(read(json.dumps([{"sample_id": "conv-9", "conversation": chat}]))) == 1


def test_a_locomo_conversation_is_picked_by_name_or_number() -> None:
    text = json.dumps(LOCOMO)
    second = [{"role": "user", "text": "Cy: No date.", "when": None}]
    for conversation in ("conv-9", "2", 2):
        assert read(text, conversation=conversation) == second


def test_a_name_goes_before_a_number() -> None:
    renamed = [{**LOCOMO[0], "sample_id": "2"}, LOCOMO[1]]
    assert len(read(json.dumps(renamed), conversation="2")) == 3


def test_conversations_that_share_a_name_are_told_apart_by_number() -> None:
    twins = json.dumps([LOCOMO[0], {**LOCOMO[1], "sample_id": "conv-7"}])
    assert "conv-7" in refusal(twins, conversation="conv-7")
    assert (len(read(twins, conversation=1)), len(read(twins, conversation=2))) == (3, 1)


def test_one_locomo_conversation_alone_needs_no_picking() -> None:
    assert len(read(json.dumps(LOCOMO[:1]))) == 3
    assert len(read(json.dumps(LOCOMO[0]))) == 3


def test_the_real_locomo_file_is_read_turn_by_turn() -> None:
    data = os.environ.get("BYHEART_DATA") or Path(__file__).parents[2] / "shared" / "data"
    path = Path(data) / "locomo10.json"
    if not path.is_file():
        pytest.skip(f"no LoCoMo file at {path}; set BYHEART_DATA to the folder that holds it")
    assert sum(len(read_chat(path, conversation=number)) for number in range(1, 11)) == 5882
    first = read_chat(path, conversation="conv-26")[0]
    assert (first["role"], first["when"]) == ("user", "1:56 pm on 8 May, 2023")
    assert first["text"].startswith("Caroline: Hey Mel!")
    assert "conv-26" in refusal(path.read_bytes())


def test_the_example_conversations_are_read() -> None:
    examples = sorted((Path(__file__).parents[1] / "examples").glob("*.jsonl"))
    assert examples
    for path in examples:
        turns = read_chat(path)
        assert len(turns) == len(path.read_text("utf-8").splitlines())


# Where it comes from


@pytest.mark.parametrize("convert", [str, Path], ids=["str", "Path"])
def test_a_path_may_be_text_or_a_path_object(tmp_path: Path, convert: type) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(lines(HELLO, REPLY))
    assert read_chat(convert(path)) == TURNS


def test_an_open_file_is_read_and_left_open(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(lines(HELLO, REPLY))
    with path.open("rb") as binary, path.open(encoding="utf-8") as text:
        assert read_chat(binary) == read_chat(text) == TURNS
        assert not binary.closed
        assert not text.closed


def test_a_dash_is_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lines(HELLO, REPLY).encode()), "ascii"))
    assert read_chat("-") == TURNS
    monkeypatch.setattr(sys, "stdin", io.StringIO("nonsense"))
    with pytest.raises(InputError, match=r"^standard input, line 1, column 1: "):
        read_chat("-")
    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="standard input is closed"):
        read_chat("-")


def test_what_cannot_be_opened_is_named(tmp_path: Path) -> None:
    for source in (tmp_path / "absent.jsonl", tmp_path, "nul\0byte"):
        with pytest.raises(InputError, match=r"^cannot read [^\n]*: [^\n]+$"):
            read_chat(source)


def test_progress_counts_the_bytes_of_a_file_and_then_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(lines(HELLO) * 2500)
    seen: list[tuple[str, int, int | None]] = []
    read_chat(path, progress=lambda *step: seen.append(step))
    size = path.stat().st_size
    assert seen == [("reading", size, size), ("parsing", 1000, 2501), ("parsing", 2000, 2501)]


# Characters


def test_a_byte_order_mark_and_windows_line_ends_are_accepted() -> None:
    text = lines(HELLO, REPLY).replace("\n", "\r\n")
    assert read(b"\xef\xbb\xbf" + text.encode()) == TURNS
    assert read("\ufeff" + json.dumps([HELLO, REPLY], indent=1).replace("\n", "\r\n")) == TURNS


def test_a_lone_surrogate_escape_is_text() -> None:
    assert read(rb'{"role": "user", "content": "hi \ud83d"}')[0]["text"] == "hi \ud83d"


def test_unicode_line_separators_do_not_split_a_line() -> None:
    said = "one\u2028two\x85three\u2029four"
    text = json.dumps({"role": "user", "content": said}, ensure_ascii=False) + "\n" + lines(REPLY)
    assert [turn["text"] for turn in read(text)] == [said, "hi there"]


def test_bytes_that_are_not_utf8_are_named_by_line_and_offset() -> None:
    good = lines(HELLO).encode()
    message = refusal(good + b'{"role": "user", "content": "caf\xe9"}')
    assert f"the chat, line 2: not UTF-8 at byte {len(good) + 32} (0xe9)" in message
    assert "UTF-16" in refusal(lines(HELLO).encode("utf-16"))
    assert "not UTF-8 at byte 29" in refusal(b'{"role": "user", "content": "\xed\xa0\xbd"}')


def test_a_text_file_in_another_encoding_is_an_input_error() -> None:
    stream = io.TextIOWrapper(io.BytesIO(b"\xff"), "utf-8")
    with pytest.raises(InputError, match="not utf-8 at byte 0"):
        read_chat(stream)


# What is refused


@pytest.mark.parametrize("text", ["", " \n\t\r\n", "\ufeff", "\ufeff\n"])
def test_an_empty_file_is_refused(text: str) -> None:
    for kind in (None, *KINDS):
        assert "is empty" in refusal(text, kind=kind)


def test_truncated_json_lines_are_named_by_file_and_line(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text(lines(HELLO, REPLY) + '{"role": "user", "content": "cut of')
    with pytest.raises(InputError, match=r"chat\.jsonl, line 3, column 29: not valid JSON: .*as if cut off"):
        read_chat(path)


@pytest.mark.parametrize("broken", ['{"role": "user", "content": "a"', '{"role": "user",', "{'role'", "{"])
def test_a_broken_first_line_is_blamed_and_not_the_second(broken: str) -> None:
    assert "the chat, line 1, column" in refusal(broken + "\n" + lines(REPLY))


def test_truncated_arrays_and_memories_are_named_by_line() -> None:
    for whole in ([HELLO, REPLY], {"version": 1, "turns": TURNS}, LOCOMO):
        text = json.dumps(whole, indent=1)
        cut = text[: text.rindex("\n") - 3]
        assert f"line {cut.count(chr(10)) + 1}, column" in refusal(cut)


def test_a_missing_comma_is_not_called_cut_off() -> None:
    message = refusal('[{"role": "user", "content": "a"}\n{"role": "user", "content": "b"}]')
    assert "line 2, column 1" in message
    assert "cut off" not in message


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, '{"role": "user", "content": ' + "[" * 100_000])
def test_json_nested_without_end_is_refused(text: str) -> None:
    assert "nested too deeply" in refusal(text)
    assert "nested too deeply" in refusal(text + "\n" + text, kind="jsonl")


def test_a_number_of_ten_thousand_digits_is_refused_by_line() -> None:
    text = lines(HELLO) + '{"role": "user", "content": ' + "9" * 10_000 + "}"
    assert "line 2" in refusal(text)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (float("nan"), "NaN (a number)"),
        (5, "5 (a number)"),
        (None, "null"),
        (True, "true"),
        ({"text": "x"}, 'an object with "text"'),
    ],
)
def test_content_that_is_no_text_is_refused_with_what_came(value: object, shown: str) -> None:
    message = refusal(lines(HELLO, {"role": "user", "content": value}))
    assert message == (f'the chat, line 2: "content" must be a string or an array of text parts, not {shown}')
    assert refusal(json.dumps([HELLO, {"role": "user", "content": value}])) == message.replace("line", "message")


def test_a_message_without_text_is_refused() -> None:
    assert '"content" must be' in refusal(lines(HELLO, {"role": "user"}))
    assert 'turns[1]: "text" must be' in refusal(json.dumps({"turns": [TURNS[0], {"role": "user"}]}))


def test_two_texts_in_one_message_are_refused() -> None:
    assert 'both "content" and "text"' in refusal(lines({**HELLO, "text": "other"}))


@pytest.mark.parametrize("item", ["hello", 7, None, ["user", "hello"]])
def test_a_message_that_is_no_object_is_refused_by_position(item: object) -> None:
    assert "message 2: expected an object" in refusal(json.dumps([HELLO, item]))
    assert "line 2: expected an object" in refusal(lines(HELLO, item))
    assert "turns[1]: expected an object" in refusal(json.dumps({"turns": [TURNS[0], item]}))


def test_a_message_without_a_role_is_refused() -> None:
    assert 'line 2: expected a "role"' in refusal(lines(HELLO, {"content": "who?"}))


@pytest.mark.parametrize("role", ["system", "tool", "developer", "function", "User", "", 5, None, ["user"]])
def test_other_roles_are_refused_by_position(role: object) -> None:
    message = refusal(json.dumps([HELLO, {"role": role, "content": "x"}]))
    assert "message 2: role must be" in message
    assert ("--skip-roles" in message) == isinstance(role, str)


def test_a_date_that_is_no_text_is_refused() -> None:
    assert 'line 1: "when" must be a string or null, not 25 (a number)' in refusal(lines({**HELLO, "when": 25}))


@pytest.mark.parametrize(
    "part",
    [{"type": "image_url", "image_url": {}}, {"type": 5}, {"type": ["text"]}, "text", {"type": "text"}],
)
def test_parts_that_are_no_text_are_refused_by_position(part: object) -> None:
    message = {"role": "user", "content": [{"type": "text", "text": "look"}, part]}
    assert "message 2, part 2: " in refusal(json.dumps([HELLO, message]), skip_roles=["tool"])


@pytest.mark.parametrize("data", ['{"mapping": {}}', "{}", "5", '"text"', "null", "plain words", "role: user"])
def test_something_else_is_refused_with_what_was_expected(data: str) -> None:
    message = refusal(data)
    assert "expected JSON Lines" in message or "not valid JSON" in message


@pytest.mark.parametrize("version", [99, 0, "1", None, True, 1.0])
def test_a_memory_of_another_version_is_refused(version: object) -> None:
    assert "version must be 1" in refusal(json.dumps({"version": version, "turns": TURNS}))


def test_a_kind_that_is_named_is_not_guessed_again() -> None:
    array = json.dumps([HELLO, REPLY])
    assert read(array, kind="openai") == TURNS
    assert "line 1: expected an object" in refusal(array, kind="jsonl")
    assert "turns must be an array" in refusal("{}", kind="snapshot")
    assert "expected a saved memory" in refusal(array, kind="snapshot")
    assert "not LoCoMo" in refusal(array, kind="locomo")
    assert "no conversation" in refusal("[]", kind="locomo")
    assert "array of messages" in refusal('{"turns": []}', kind="openai")
    assert "line 2, column 1" in refusal(lines(HELLO, REPLY), kind="openai")


def test_several_locomo_conversations_are_listed() -> None:
    for conversation in (None, "conv-1", 0, 3, "-1", "9" * 5000):
        message = refusal(json.dumps(LOCOMO), conversation=conversation)
        assert "holds 2 conversations" in message
        assert "conv-7, conv-9" in message


def test_a_conversation_is_not_picked_where_there_is_but_one() -> None:
    assert "only a LoCoMo file" in refusal(lines(HELLO, REPLY), conversation="1")


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"speaker_a": None}, "speaker_a must be a name, not null"),
        ({"speaker_b": "Cy"}, 'both speakers are called "Cy"'),
        ({"session_1": "x"}, 'session_1 must be an array of turns, not "x"'),
        ({"session_1": [5]}, "session_1, turn 1: expected an object"),
        ({"session_1": [{"speaker": "Ed", "text": "x"}]}, '"speaker" must be "Cy" or "Di", not "Ed"'),
        (
            {"session_1": [{"speaker": ["Cy"], "text": "x"}]},
            '"speaker" must be "Cy" or "Di", not an array of 1',
        ),
        ({"session_1": [{"speaker": "Cy"}]}, '"text" must be a string, not null'),
        (
            {"session_1": [{"speaker": "Cy", "text": "x", "blip_caption": 5}]},
            '"blip_caption" must be a string',
        ),
        ({"session_1_date_time": 5}, "session_1_date_time must be a string or null, not 5"),
    ],
)
def test_a_malformed_locomo_conversation_is_refused_by_session_and_turn(
    change: dict[str, object], expected: str
) -> None:
    sample = {"sample_id": "conv-9", "conversation": {**LOCOMO[1]["conversation"], **change}}  # type: ignore[dict-item]
    message = refusal(json.dumps([sample]))
    assert message.startswith("the chat, conversation conv-9")
    assert expected in message


def test_a_file_name_with_a_line_break_stays_on_one_line(tmp_path: Path) -> None:
    path = tmp_path / "a\nb.jsonl"
    try:
        path.write_text("x")
    except OSError:
        pytest.skip("this file system refuses such a name")
    with pytest.raises(InputError, match=r"a\\nb\.jsonl', line 1") as caught:
        read_chat(path)
    assert "\n" not in str(caught.value)


# Leaving out


def test_roles_are_left_out_when_asked() -> None:
    chat = lines({"role": "system", "content": None}, HELLO, {"role": "tool", "content": [5]}, REPLY)
    assert read(chat, skip_roles=["system", "tool"]) == TURNS
    assert "line 3" in refusal(chat, skip_roles={"system"})
    assert read(lines(HELLO, REPLY), skip_roles=("assistant",)) == TURNS[:1]
    assert len(read(json.dumps(LOCOMO), conversation=1, skip_roles=["assistant"])) == 1


CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}


@pytest.mark.parametrize(
    "silent",
    [
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "assistant", "tool_calls": [CALL]},
        {"role": "assistant", "content": "", "function_call": CALL["function"]},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "c1"}]},
        {"role": "user", "content": [{"type": "tool_result", "content": "4"}]},
    ],
)
def test_a_message_that_only_calls_a_tool_goes_with_the_tools(silent: dict[str, object]) -> None:
    chat = json.dumps([HELLO, silent, REPLY])
    assert "message 2" in refusal(chat)
    assert "--skip-roles tool" in refusal(chat, skip_roles=["system"])
    assert read(chat, skip_roles=["tool"]) == TURNS


def test_what_is_said_beside_a_tool_call_is_kept() -> None:
    plain = {**REPLY, "tool_calls": [CALL]}
    parts = {"role": "assistant", "content": [{"type": "text", "text": "hi there"}, {"type": "tool_use"}]}
    for spoken in (plain, parts):
        assert read(json.dumps([HELLO, spoken]), skip_roles=["tool"]) == TURNS


def test_a_message_with_an_empty_list_of_calls_is_an_ordinary_one() -> None:
    assert read(lines(HELLO, {**REPLY, "tool_calls": [], "refusal": None})) == TURNS


# Arguments


def test_wrong_arguments_are_refused_at_the_door() -> None:
    with pytest.raises(ValueError, match="kind must be one of jsonl, openai, locomo, snapshot"):
        read("[]", kind="csv")
    with pytest.raises(TypeError, match="skip_roles must be a collection"):
        read("[]", skip_roles="tool")
    for source in (0, None, b"bytes"):
        with pytest.raises(TypeError, match="source must be a path"):
            read_chat(source)  # type: ignore[arg-type]


# Invariants

texts = st.text(st.characters(exclude_categories=()))
turns = st.lists(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "assistant"]), "text": texts, "when": st.none() | texts})
)


@given(turns, st.booleans())
@example([{"role": "user", "text": "\ud83d\x00\u2028\r\n", "when": ""}], False)
def test_what_is_written_as_any_kind_is_read_back_exactly(said: list[dict[str, object]], plain: bool) -> None:
    messages = [{"role": turn["role"], "content": turn["text"], "when": turn["when"]} for turn in said]

    def dump(data: object) -> bytes:
        return json.dumps(data, ensure_ascii=plain).encode("utf-8", "backslashreplace")

    if said:
        assert read(b"\n".join(dump(message) for message in messages)) == said
    assert read(dump(messages)) == said
    assert read(dump({"version": 1, "turns": said})) == said


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["role", "content", "text", "when", "turns", "messages", "conversation", "speaker_a", "type"]
            )
            | texts,
            inner | st.sampled_from(["user", "assistant", "text"]),
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(st.binary() | texts | st.lists(json_values).map(lambda items: lines(*items)) | json_values.map(json.dumps))
def test_anything_at_all_is_read_or_refused_in_one_line(data: bytes | str) -> None:
    for kind in (None, *KINDS):
        outcome = attempt(data, kind)
        if isinstance(outcome, str):
            assert len(outcome.splitlines()) == 1
            outcome.encode()
        else:
            assert all(turn["role"] in ("user", "assistant") for turn in outcome)
            assert all(isinstance(turn["text"], str) for turn in outcome)


@given(st.integers(min_value=1), st.sampled_from([lines(HELLO, REPLY), json.dumps([HELLO, REPLY], indent=1)]))
def test_a_file_cut_anywhere_is_refused_or_holds_whole_lines_only(cut: int, text: str) -> None:
    outcome = attempt(text[: cut % len(text)], None)
    assert isinstance(outcome, str) or outcome in (TURNS[:1], TURNS)
