"""Conversation memory that knows the dialogue by heart."""

from byheart.entry_points import load
from byheart.errors import ByheartError, InputError, PluginError, SnapshotError
from byheart.hookspecs import hookimpl
from byheart.memory import Found, Memory
from byheart.messages import Composed, Message, Part
from byheart.plugins import PluginHost
from byheart.rendering import MARKER

__version__ = "0.1.0"

__all__ = [
    "MARKER",
    "ByheartError",
    "Composed",
    "Found",
    "InputError",
    "Memory",
    "Message",
    "Part",
    "PluginError",
    "PluginHost",
    "SnapshotError",
    "__version__",
    "hookimpl",
    "load",
]
