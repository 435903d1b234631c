"""Models behind an endpoint: OpenAI's or one that speaks its protocol, and Anthropic's.

The providers' own clients do the work (``pip install '.[sdk]'``): they know their errors, and they
retry what is worth it (connection lost, 408, 409, 429, 5xx) after as long as the server asks. The
address and the key come from the environment, never from the command line, and no file names them.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from .result import NotReadyError

RETRIES = 6
PROVIDERS = ("openai", "anthropic")


@dataclass(frozen=True)
class Reply:
    """What a model said, which model the endpoint says it was, and what it counted."""

    text: str
    model: str
    tokens_in: int
    tokens_out: int


@dataclass(frozen=True)
class Role:
    """One of the two models of a run: what it is called on the command line and in the environment."""

    name: str
    provider: str
    model: str

    @classmethod
    def parse(cls, name: str, given: str | None) -> Role:
        """From ``provider:model``.

        >>> Role.parse("judge", "openai:gpt-4o-mini")
        Role(name='judge', provider='openai', model='gpt-4o-mini')
        """
        provider, _, model = (given or "").partition(":")
        if provider not in PROVIDERS or not model:
            raise NotReadyError(
                f"--{name}: expected PROVIDER:MODEL with one of {', '.join(PROVIDERS)}, got {given!r}; "
                f"for a server of your own that speaks OpenAI's protocol, openai:MODEL and {cls._variable(name, 'BASE_URL')}"
            )
        return cls(name, provider, model)

    @staticmethod
    def _variable(name: str, what: str) -> str:
        return f"BYHEART_{name.upper()}_{what}"

    def setting(self, what: str) -> str | None:
        """``BYHEART_JUDGE_BASE_URL`` and the like, else ``OPENAI_BASE_URL`` and the like."""
        named = self._variable(self.name, what)
        return os.environ.get(named) or os.environ.get(f"{self.provider.upper()}_{what}") or None

    def variables(self) -> str:
        return f"{self._variable(self.name, 'API_KEY')} or {self.provider.upper()}_API_KEY"


class Pace:
    """At most so many calls a minute, evenly spaced, whichever threads make them."""

    def __init__(
        self,
        a_minute: float,
        *,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], object] = time.sleep,
    ) -> None:
        if not a_minute > 0:
            raise NotReadyError(f"--per-minute: expected a number above 0, got {a_minute!r}")
        self._gap = 60 / a_minute
        self._clock, self._sleep = clock, sleep
        self._next = clock()
        self._lock = threading.Lock()

    def wait(self) -> None:
        """Returns when the next call may be made."""
        with self._lock:
            mine = max(self._next, self._clock())
            self._next = mine + self._gap
        self._sleep(max(0.0, mine - self._clock()))


class Model:
    """A model that takes a composed request and replies in at most ``most`` tokens.

    ``temperature``: None leaves it to the provider, since many models refuse one. ``retries``: how often
    the client tries again by itself.
    """

    def __init__(
        self, role: Role, pace: Pace, *, most: int, temperature: float | None = None, retries: int = RETRIES
    ) -> None:
        self.role, self.most, self._pace = role, most, pace
        self.options: dict[str, Any] = {} if temperature is None else {"temperature": temperature}
        self._client = _client(role, retries)

    def ask(self, composed: Mapping[str, Any], *, system: str | None = None) -> Reply:
        """The reply to ``composed``: ``messages`` and ``stable_upto``, as ``compose`` returns them."""
        self._pace.wait()
        return _openai(self, composed, system) if self.role.provider == "openai" else _anthropic(self, composed, system)

    def close(self) -> None:
        self._client.close()


def _client(role: Role, retries: int) -> Any:
    try:
        if role.provider == "openai":
            from openai import OpenAI as Client
        else:
            from anthropic import Anthropic as Client
    except ImportError as error:
        raise NotReadyError(f"the package {role.provider} is not installed: pip install '.[sdk]'") from error
    key, address = role.setting("API_KEY"), role.setting("BASE_URL")
    if not key and not address:
        raise NotReadyError(f"no key for the {role.name}: set {role.variables()}")
    # A server of one's own may want no key; the clients do.
    return Client(api_key=key or "none", base_url=address, max_retries=retries)


def _openai(model: Model, composed: Mapping[str, Any], system: str | None) -> Reply:
    from byheart.adapters import openai

    # Strings for content, since that is what every server that speaks this protocol takes.
    request = openai.chat(composed, system=system, plain=True)
    said = model._client.chat.completions.create(
        model=model.role.model, max_completion_tokens=model.most, **model.options, **request
    )
    used = said.usage
    text = said.choices[0].message.content if said.choices else None
    return Reply(text or "", said.model, used.prompt_tokens if used else 0, used.completion_tokens if used else 0)


def _anthropic(model: Model, composed: Mapping[str, Any], system: str | None) -> Reply:
    from byheart.adapters import anthropic

    request = anthropic.request(composed, system=system)
    # Not among the client's arguments any more, but models that take it are still served.
    said = model._client.messages.create(
        model=model.role.model, max_tokens=model.most, extra_body=model.options, **request
    )
    text = "".join(block.text for block in said.content if block.type == "text")
    cached = (said.usage.cache_read_input_tokens or 0) + (said.usage.cache_creation_input_tokens or 0)
    return Reply(text, said.model, said.usage.input_tokens + cached, said.usage.output_tokens)
