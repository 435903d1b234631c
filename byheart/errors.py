"""What can go wrong, as a small tree: one base, each member also the natural builtin.

Bad arguments are plain ``TypeError`` and ``ValueError``; the classes here are for failures that carry data
a caller may want to act on.
"""

from __future__ import annotations


class ByheartError(Exception):
    """Base of every error that byheart defines."""


class PluginError(ByheartError, RuntimeError):
    """A plugin cannot be found, built or taken, or it answered nonsense.

    ``plugin`` is the name asked for or the plugin's type, ``distribution`` the installed distribution that
    offers it (None where there is none), ``hook`` the hook concerned (None where none is).
    """

    def __init__(self, message: str, *, plugin: str, distribution: str | None = None, hook: str | None = None) -> None:
        super().__init__(message)
        self.plugin = plugin
        self.distribution = distribution
        self.hook = hook


class SnapshotError(ByheartError, ValueError):
    """Saved data cannot be read. ``field`` is the path of what is wrong, such as ``turns[3].text``."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class InputError(ByheartError, ValueError):
    """A chat file cannot be read. The message names the source and the line or position."""


class StoreError(ByheartError, OSError):
    """A store cannot be opened, read or written.

    ``store`` is its address, without a password. ``retry`` says that nothing of the call was kept and that the same
    call may succeed later: another process was writing for too long, or the disk was full.
    """

    def __init__(self, message: str, *, store: str, retry: bool = False) -> None:
        super().__init__(message)
        self.store = store
        self.retry = retry


def shown(value: object) -> str:
    """A value and its type, short enough for a message."""
    if value is None:
        return "None"
    try:
        written = repr(value)
    except Exception:
        written = object.__repr__(value)
    if len(written) > 80:
        written = written[:77] + "..."
    return f"{written} ({type(value).__name__})"
