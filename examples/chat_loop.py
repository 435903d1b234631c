"""Chat with a model that remembers: python chat_loop.py anthropic|openai MODEL [FILE], one question a line.

Needs the SDK and a key (ANTHROPIC_API_KEY, OPENAI_API_KEY). Any server that speaks the same protocol will do:
name it in ANTHROPIC_BASE_URL or OPENAI_BASE_URL. FILE keeps the conversation from one run to the next.
"""

import json
import sys
from datetime import datetime
from pathlib import Path

from byheart import Memory
from byheart.adapters import anthropic as to_anthropic
from byheart.adapters import openai as to_openai

SYSTEM = "You are a helpful assistant. Earlier parts of the conversation may be recalled; mind their dates."


def anthropic_model(name):
    from anthropic import Anthropic

    client = Anthropic()

    def ask(result):
        request = to_anthropic.request(result, system=SYSTEM)  # cache marks are set on what repeats
        reply = client.messages.create(model=name, max_tokens=1024, **request)
        return "".join(block.text for block in reply.content if block.type == "text")

    return ask


def openai_model(name):
    from openai import OpenAI

    client = OpenAI()

    def ask(result):
        request = to_openai.chat(result, system=SYSTEM)  # for models from GPT-5.6 on: marks=to_openai.MARKS
        return client.chat.completions.create(model=name, **request).choices[0].message.content

    return ask


def main(provider, model, file="chat.json"):
    ask = {"anthropic": anthropic_model, "openai": openai_model}[provider](model)
    path = Path(file)
    memory = Memory.from_dict(json.loads(path.read_text("utf-8"))) if path.exists() else Memory()
    for question in filter(None, map(str.strip, sys.stdin)):
        now = datetime.now().astimezone()
        answer = ask(memory.compose(question, when=now)) or "(no answer)"
        memory.extend([("user", question, now), ("assistant", answer, now)])
        path.write_text(json.dumps(memory.to_dict()), "utf-8")
        print(answer, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
