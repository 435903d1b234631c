"""Answers judged by a model: the share of questions answered rightly, as other memories publish it (J-score).

For each question a request is composed and sent to an answering model; a judge is then shown the
question, LoCoMo's answer and the model's, in the words of a prompt that you name. Adversarial
questions (category 5) are left out, as in the published scores; the others are asked whether or not
they name evidence. The judge's prompt is not part of this repository: Mem0's stands in
github.com/mem0ai/mem0, evaluation/metrics/llm_judge.py (ACCURACY_PROMPT); save it as a text file
that has {question}, {gold_answer} and {generated_answer}.

Both models are behind endpoints that the environment names: OPENAI_API_KEY, OPENAI_BASE_URL,
ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL, or, for one of the two alone, BYHEART_ANSWERER_API_KEY,
BYHEART_ANSWERER_BASE_URL, BYHEART_JUDGE_API_KEY and BYHEART_JUDGE_BASE_URL. Nothing is sent before
the size of it was shown and agreed to. Every answer and every verdict is kept in the file --kept as
it comes; the same command takes up where another stopped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import data
from .asking import Model, Pace, Reply, Role
from .kept import Kept
from .options import add_memory, add_selection, chosen, memory
from .result import NotReadyError, Result, Table, say
from .statistics import mean, sums

NAME = "judge"
HELP = "answers of a model, judged by a model (J-score); costs money, never part of `all`"
COSTS_MONEY = True

SYSTEMS = ("byheart", "full history")
LEFT_OUT = 5
PLACES = ("{question}", "{gold_answer}", "{generated_answer}")
#: What the answering model is told, unless --answer-prompt names a file.
INSTRUCTION = (
    "You answer questions about a conversation between two people, which you are given in whole or in parts, with its "
    'dates. Use nothing else. Answer in a few words. Name dates as dates, never as "yesterday" or "last week".'
)
#: Failed requests after which a run stops: something is wrong that trying on will not mend.
ENOUGH = 5


@dataclass(frozen=True)
class Asked:
    """One question: its request, LoCoMo's answer, and a checksum of what the answering model is shown."""

    id: str
    conversation: str
    category: int
    question: str
    gold: str
    composed: Mapping[str, Any]

    @property
    def checksum(self) -> str:
        return _sha256(json.dumps(self.composed["messages"], sort_keys=True))

    @property
    def size(self) -> int:
        return sum(len(part["text"]) for message in self.composed["messages"] for part in message["parts"])


def questions(
    raw: Sequence[Mapping[str, Any]],
    conversations: Sequence[data.Conversation],
    compose: Callable[..., Any],
    every: int,
) -> Iterator[Asked]:
    """Every question of these conversations that the published scores count, composed."""
    entries = {entry["sample_id"]: entry for entry in raw}
    for conversation in conversations:
        ask = compose(conversation)
        for number, asked in list(enumerate(entries[conversation.id]["qa"]))[::every]:
            if asked["category"] != LEFT_OUT:
                yield Asked(
                    f"{conversation.id}/{number}",
                    conversation.id,
                    asked["category"],
                    asked["question"],
                    str(asked["answer"]),
                    ask(asked["question"]),
                )


def composing(system: str, **options: Any) -> Callable[[data.Conversation], Callable[[str], Mapping[str, Any]]]:
    """From a conversation to what composes a request for a question about it; nothing is kept between questions."""

    def byheart(conversation: data.Conversation) -> Callable[[str], Mapping[str, Any]]:
        from byheart import Memory

        from .systems import fresh

        made = Memory(**{"stability": 0.0, **fresh(options)})
        made.extend(conversation.rows())
        return made.compose

    def full(conversation: data.Conversation) -> Callable[[str], Mapping[str, Any]]:
        from .systems import FullHistory

        history = FullHistory()
        for turn in conversation.turns:
            history.append(turn)

        def compose(query: str) -> dict[str, Any]:
            sent = history.compose(query)
            messages = [{"role": role, "parts": [{"type": "text", "text": text}]} for role, text in sent.blocks]
            return {"messages": messages, "stable_upto": sent.stable - 1}

        return compose

    return byheart if system == "byheart" else full


# -- prompts and verdicts ---------------------------------------------------------------------------------------


def judge_prompt(path: Path | None) -> str:
    """The file's text; NotReadyError if it is not one that can be filled in."""
    if path is None:
        raise NotReadyError("--judge-prompt: expected a file with the judge's prompt, got none")
    text = path.read_text(encoding="utf-8")
    missing = [place for place in PLACES if place not in text]
    if missing:
        raise NotReadyError(f"{path}: expected {', '.join(PLACES)} in it, missing {', '.join(missing)}")
    return text


def filled(prompt: str, asked: Asked, answer: str) -> str:
    """The prompt with the three texts in their places, whatever braces any of them holds."""
    texts = dict(zip(PLACES, (asked.question, asked.gold, answer), strict=True))
    return re.sub("|".join(map(re.escape, PLACES)), lambda found: texts[found[0]], prompt)


_LABEL = re.compile(r'"label"\s*:\s*"\s*(\w+)\s*"', re.IGNORECASE)
_WORD = re.compile(r"\b(CORRECT|WRONG|INCORRECT)\b")


def verdict(text: str) -> bool | None:
    """What a judge said: right, wrong, or (None) nothing that can be read as one of them.

    >>> verdict('{"label": "CORRECT"}'), verdict("The same day. WRONG"), verdict("CORRECT or WRONG? Who knows.")
    (True, False, None)
    """
    words = {word.upper() for word in _LABEL.findall(text)} or set(_WORD.findall(text))
    said = {word == "CORRECT" for word in words if word in ("CORRECT", "WRONG", "INCORRECT")}
    return said.pop() if len(said) == 1 else None


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _as_request(text: str) -> dict[str, Any]:
    return {"messages": [{"role": "user", "parts": [{"type": "text", "text": text}]}], "stable_upto": -1}


# -- the run ----------------------------------------------------------------------------------------------------


class Judging:
    """A run: what is kept, and the two models. Threads may share it."""

    def __init__(self, kept: Kept, answerer: Model, judge: Model, *, instruction: str, prompt: str, tries: int) -> None:
        self.kept, self.answerer, self.judge = kept, answerer, judge
        self.instruction, self.prompt, self.tries = instruction, prompt, tries

    def of(self, kind: str) -> dict[str, dict[str, Any]]:
        return {r["question"]: r for r in self.kept.records if r["kind"] == kind}

    def do(self, asked: Asked, answer: Mapping[str, Any] | None) -> None:
        """Answers (unless that was done) and judges one question, keeping both."""
        if answer is None:
            reply = self.answerer.ask(asked.composed, system=self.instruction)
            answer = {"kind": "answer", "question": asked.id, "shown": asked.checksum, **_reply(reply)}
            self.kept.add(answer)
        request = _as_request(filled(self.prompt, asked, answer["text"]))
        for attempt in range(1, self.tries + 1):
            reply = self.judge.ask(request)
            right = verdict(reply.text)
            if right is not None or attempt == self.tries:
                self.kept.add(
                    {"kind": "verdict", "question": asked.id, "right": right, "tries": attempt, **_reply(reply)}
                )
                return


def _reply(reply: Reply) -> dict[str, Any]:
    return {"text": reply.text, "model": reply.model, "in": reply.tokens_in, "out": reply.tokens_out}


def work(judging: Judging, open_questions: Sequence[Asked], at_once: int) -> None:
    """Every open question, ``at_once`` at a time; stops after ENOUGH failed requests or an interrupt."""
    answers, done = judging.of("answer"), 0
    failed: list[str] = []
    left = iter(open_questions)
    with ThreadPoolExecutor(at_once) as pool:
        running: dict[Future[None], Asked] = {}
        try:
            while True:
                while len(running) < at_once and len(failed) < ENOUGH and (asked := next(left, None)):
                    running[pool.submit(judging.do, asked, answers.get(asked.id))] = asked
                if not running:
                    break
                for future in wait(running, return_when=FIRST_COMPLETED).done:
                    asked = running.pop(future)
                    if (error := future.exception()) is not None:
                        failed.append(f"{asked.id}: {type(error).__name__}: {error}")
                        say(failed[-1])
                    else:
                        done += 1
                        if done % 50 == 0:
                            say(f"{done:,} of {len(open_questions):,}")
        except BaseException:
            pool.shutdown(wait=True, cancel_futures=True)
            raise
    if failed:
        raise NotReadyError(
            f"{len(failed)} requests failed, {len(open_questions) - done:,} questions are open; what was answered is kept "
            f"in {judging.kept.path}: the same command goes on from there. The last failure: {failed[-1]}"
        )


def cost(every: Sequence[Asked], judging: Judging, prices: Sequence[float] | None) -> str:
    """What is still to be sent, estimated: four characters a token, answers and verdicts as long as they may be."""
    answers, verdicts = judging.of("answer"), judging.of("verdict")
    to_answer = [a for a in every if a.id not in answers]
    to_judge = [a for a in every if a.id not in verdicts]
    answer_in = sum(a.size + len(judging.instruction) for a in to_answer) / 4
    answer_out = len(to_answer) * judging.answerer.most
    judge_in = sum(len(judging.prompt) + len(a.question) + len(a.gold) for a in to_judge) / 4
    judge_in += len(to_judge) * judging.answerer.most
    judge_out = len(to_judge) * judging.judge.most
    lines = [
        f"{len(to_answer):,} answers by {judging.answerer.role.model}: about {answer_in:,.0f} tokens in, at most {answer_out:,} out",
        f"{len(to_judge):,} verdicts by {judging.judge.role.model}: at most about {judge_in:,.0f} tokens in, {judge_out:,} out",
    ]
    if prices:
        total = sum(n * p / 1e6 for n, p in zip((answer_in, answer_out, judge_in, judge_out), prices, strict=True))
        lines.append(
            f"at most about {total:,.2f} at the prices given; what caches and short answers save is not counted"
        )
    else:
        lines.append("no --prices given, so no sum")
    return "\n".join(lines)


def agreed(yes: bool) -> None:
    if yes:
        return
    if not sys.stdin.isatty():
        raise NotReadyError("nothing was sent: add --yes to go on")
    if input("Go on? [y/N] ").strip().lower() not in ("y", "yes"):
        raise NotReadyError("nothing was sent")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--answerer", metavar="PROVIDER:MODEL", help="openai:... or anthropic:...")
    parser.add_argument("--judge", metavar="PROVIDER:MODEL", help="likewise")
    parser.add_argument("--judge-prompt", type=Path, help="a file with {question}, {gold_answer}, {generated_answer}")
    parser.add_argument("--judge-prompt-origin", metavar="URL", help="where it is published; recorded")
    parser.add_argument("--answer-prompt", type=Path, help="the answering model's system prompt, instead of our own")
    parser.add_argument("--kept", type=Path, help="the file (JSON Lines) that answers and verdicts go into")
    parser.add_argument("--system", choices=SYSTEMS, default=SYSTEMS[0])
    parser.add_argument("--per-minute", type=float, default=60.0, help="requests a minute, both models together")
    parser.add_argument("--at-once", type=int, default=4, help="questions under way at a time")
    parser.add_argument("--answer-tokens", type=int, default=200, help="how long an answer may be")
    parser.add_argument("--judge-tokens", type=int, default=300, help="how long a verdict may be")
    parser.add_argument("--judge-tries", type=int, default=3, help="how often a judge is asked that answers nonsense")
    parser.add_argument(
        "--temperature", type=float, help="0 where the models take one; left to the provider if not given"
    )
    parser.add_argument(
        "--prices",
        type=float,
        nargs=4,
        metavar=("ANSWER_IN", "ANSWER_OUT", "JUDGE_IN", "JUDGE_OUT"),
        help="for a million tokens each",
    )
    parser.add_argument("--yes", action="store_true", help="go on without asking")
    add_selection(parser)
    add_memory(parser)


def run(options: argparse.Namespace) -> Result:
    result = Result(NAME, data_checksum=data.checksum(options.data))
    roles = Role.parse("answerer", options.answerer), Role.parse("judge", options.judge)
    prompt = judge_prompt(options.judge_prompt)
    if not options.judge_prompt_origin:
        raise NotReadyError("--judge-prompt-origin: expected the address the prompt is published at, got none")
    if options.kept is None:
        raise NotReadyError("--kept: expected a file for answers and verdicts, got none")
    instruction = options.answer_prompt.read_text(encoding="utf-8") if options.answer_prompt else INSTRUCTION
    pace = Pace(options.per_minute)
    answerer = Model(roles[0], pace, most=options.answer_tokens, temperature=options.temperature)
    judge = Model(roles[1], pace, most=options.judge_tokens, temperature=options.temperature)
    compose = composing(options.system, **memory(options))
    every = list(questions(data.read(options.data), chosen(options), compose, 20 if options.quick else 1))
    # What must be the same for a run to go on with another's file; what a question was shown is checked one by one.
    settings = {
        "kind": "settings",
        "answerer": f"{roles[0].provider}:{roles[0].model}",
        "judge": f"{roles[1].provider}:{roles[1].model}",
        "judge_prompt_sha256": _sha256(prompt),
        "judge_prompt_origin": options.judge_prompt_origin,
        "answer_prompt_sha256": _sha256(instruction),
        "answer_tokens": options.answer_tokens,
        "judge_tokens": options.judge_tokens,
        "temperature": options.temperature,
    }
    with Kept(options.kept) as kept, closing(answerer), closing(judge):
        judging = Judging(kept, answerer, judge, instruction=instruction, prompt=prompt, tries=options.judge_tries)
        _same(kept, settings, every, judging.of("answer"))
        judged = judging.of("verdict")
        open_questions = [asked for asked in every if asked.id not in judged]
        if open_questions:
            say(cost(every, judging, options.prices))
            agreed(options.yes)
            work(judging, open_questions, options.at_once)
        report(result, options.system, every, judging, settings)
    if options.quick:
        result.notes.append("quick: every twentieth question only")
    return result


def _same(
    kept: Kept, settings: dict[str, Any], every: Sequence[Asked], answers: Mapping[str, Mapping[str, Any]]
) -> None:
    """NotReadyError where the file holds another run."""
    if not kept.records:
        kept.add(settings)
        return
    before = kept.records[0]
    other = [key for key in settings if before.get(key) != settings[key]]
    if other:
        raise NotReadyError(f"{kept.path} was made with another {', '.join(other)}: name another file with --kept")
    moved = [a.id for a in every if a.id in answers and answers[a.id]["shown"] != a.checksum]
    if moved:
        raise NotReadyError(
            f"{kept.path}: {len(moved)} questions were shown something else there ({moved[0]} for one), by another "
            "version, system or setting: name another file with --kept"
        )


def report(result: Result, system: str, every: Sequence[Asked], judging: Judging, settings: Mapping[str, Any]) -> None:
    verdicts, answers = judging.of("verdict"), judging.of("answer")
    used = [verdicts[a.id] for a in every]
    table = Table(
        f"Answers judged by a model: {system}",
        ["category", "questions", "right (J-score)", "verdicts that could not be read, counted as wrong"],
        note=f"Answers by {settings['answerer']}, verdicts by {settings['judge']}, the judge's prompt from "
        f"{settings['judge_prompt_origin']} (SHA-256 {settings['judge_prompt_sha256']}). Adversarial questions are left "
        "out, as in the published scores. 95 % intervals over conversations; they do not know how the models vary.",
    )
    groups = {name: [a for a in every if a.category == n] for n, name in data.CATEGORIES.items() if n != LEFT_OUT}
    for name, asked in {"all": list(every), **groups}.items():
        if asked:
            right = mean(sums((a.conversation, float(verdicts[a.id]["right"] is True)) for a in asked))
            unread = sum(verdicts[a.id]["right"] is None for a in asked)
            table.add(name, len(asked), right, unread)
            result.figures[f"{system}.{name}"] = right
    result.tables.append(table)
    answered = [answers[a.id] for a in every]
    result.notes += [
        "models, as the endpoints named them: answers "
        + ", ".join(sorted({r["model"] for r in answered}))
        + "; verdicts "
        + ", ".join(sorted({r["model"] for r in used})),
        f"tokens, as the endpoints counted them: answers {sum(r['in'] for r in answered):,} in, "
        f"{sum(r['out'] for r in answered):,} out; verdicts {sum(r['in'] for r in used):,} in, "
        f"{sum(r['out'] for r in used):,} out",
        f"answer prompt: SHA-256 {settings['answer_prompt_sha256']}"
        + (" (the harness's own)" if judging.instruction == INSTRUCTION else ""),
    ]
    result.traces = {"right": {a.id: verdicts[a.id]["right"] for a in every}}
