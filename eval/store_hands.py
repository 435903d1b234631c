"""What the processes do that ``eval store`` starts: ``python -m eval.store_hands JOB ADDRESS CONVERSATION ...``.

Each tells on standard output, line by line, what was acknowledged to it, at once and unbuffered: a line is written
after the call has returned, so whoever kills the process knows at least what it may not lose.
"""

from __future__ import annotations

import hashlib
import os
import random
import sys
import time

from byheart import store


def said(who: str, number: int) -> str:
    """The words of a turn, which nobody else says, in one line of 20 to 4,000 characters."""
    many = random.Random(f"{who} {number}").choice([1, 1, 1, 3, 10, 200])
    return f"{who} says number {number}" + " and more of it" * many


def secret(who: str, number: int) -> str:
    """Words to be redacted, which nothing else holds."""
    return hashlib.sha256(f"{who} {number}".encode()).hexdigest()


def tell(*words: object) -> None:
    os.write(1, (" ".join(map(str, words)) + "\n").encode())


def live(address: str, conversation: str, who: str) -> None:
    """Append for ever, compose now and then, redact some of what was said."""
    with store.open(address) as opened:
        chat = opened.conversation(conversation, budget=4_000)
        number = 0
        while True:
            number += 1
            if number % 20 == 0:
                index = chat.append("user", f"forget {secret(who, number)}")
                tell("append", index, "secret")
                chat.redact(index)
                tell("redact", index, number)
            else:
                tell("append", chat.append("user", said(who, number)), number)
            if number % 10 == 0:
                chat.compose(f"what was number {number // 2}?")
                tell("compose")


def write(address: str, conversation: str, who: str, count: str, total: str) -> None:
    """Append ``count`` turns, wait until all have ``total``, and tell what order they are in."""
    with store.open(address, timeout=120) as opened:
        chat = opened.conversation(conversation, languages=())
        tell("ready")
        sys.stdin.readline()
        for number in range(int(count)):
            tell("append", chat.append("user", said(who, number)), number)
        while len(chat) < int(total):
            time.sleep(0.1)
        order = hashlib.sha256(repr([turn["text"] for turn in chat.turns]).encode()).hexdigest()
        tell("order", len(chat), order)


if __name__ == "__main__":
    if sys.argv[1] == "live":
        live(*sys.argv[2:])
    else:
        write(*sys.argv[2:])
