"""From a compose result to a provider's own arguments, and from its messages back to turns.

Plain functions, no SDK imported. :mod:`~byheart.adapters.anthropic` has ``request``,
:mod:`~byheart.adapters.openai` has ``chat`` and ``responses``, :mod:`~byheart.adapters.gemini` has
``request``; each module has ``read``. The same keyword means the same everywhere:

- ``system``: a system prompt, put where the provider wants it;
- ``marks``: how many cache marks may be set (0: none), ``ttl``: how long what they mark should be kept;
- ``skip_roles``, of ``read``: roles whose messages are left out instead of refused.
"""

from __future__ import annotations

from byheart.adapters import anthropic, gemini, openai

__all__ = ["anthropic", "gemini", "openai"]
