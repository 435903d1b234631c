"""What SECURITY.md says, held: no network, nothing run that was read, and the tests it names are there."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "SECURITY.md"
SHIPPED = sorted(
    path
    for folder in ("byheart", "plugins")
    for path in (ROOT / folder).rglob("*.py")
    if "testing" not in path.parts  # a kit for authors of plugins, which starts a second process
)

_LIFE = """
import json, sys
from pathlib import Path
from byheart import Memory, store
from byheart.readers import read_chat

REFUSED = ("socket", "subprocess", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "urllib", "ftplib",
           "http", "smtplib", "ssl", "webbrowser", "pickle", "ctypes")

def watch(event, arguments):
    if event.startswith(REFUSED):
        print("did", event, arguments)

folder = Path(sys.argv[1])
sys.addaudithook(watch)
memory = Memory(budget=300, external=lambda query: [{"text": "https://example.org has it", "source": "http://a/b"}])
for number in range(40):
    memory.append("user", f"turn {number}: https://example.org/{number}, said last Friday", when="8 May 2023")
    memory.append("assistant", "__import__('os').system('true') or eval('1')")
    memory.compose(f"what was turn {number // 2}?")
memory.search("turn 3")
memory.redact(2)
memory.redact_matching("turn 5:")
saved = json.dumps(memory.to_dict())
Memory.from_dict(json.loads(saved), budget=300).compose("turn 9?")
(folder / "chat.json").write_text(saved)
read_chat(folder / "chat.json")
with store.open(folder / "chats.db") as chats:
    chat = chats.conversation("alice")
    chat.extend(memory.turns)
    chat.compose("turn 7?")
    chat.redact(4)
    list(chats.export("alice"))
print("lived")
"""


def test_a_life_of_a_memory_opens_no_connection_and_starts_no_process(tmp_path: Path) -> None:
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r})\n{_LIFE}"
    ran = subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, text=True, check=False)
    assert (ran.stdout, ran.returncode) == ("lived\n", 0), ran.stderr


_RUNS = ("eval", "exec", "compile", "__import__", "literal_eval", "system", "popen", "run_path", "run_module")
_READS = (
    "pickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "joblib",
    "yaml",
    "jsonpickle",
    "runpy",
    "code",
    "ctypes",
)
_CONNECTS = (
    "socket",
    "http",
    "urllib.request",
    "ftplib",
    "smtplib",
    "ssl",
    "requests",
    "httpx",
    "aiohttp",
    "subprocess",
)


def _called(call: ast.Call) -> str:
    function = call.func
    if isinstance(function, ast.Attribute):
        owner = function.value
        return f"{owner.id}.{function.attr}" if isinstance(owner, ast.Name) else f".{function.attr}"
    return function.id if isinstance(function, ast.Name) else ""


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: str(path.relative_to(ROOT)))
def test_no_module_evaluates_or_unpickles(path: Path) -> None:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names: list[str] = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or "", *(f"{node.module}.{alias.name}" for alias in node.names)]
        bad = [name for name in names if name in _CONNECTS or name.split(".")[0] in (*_READS, "socket", "http")]
        assert not bad, f"line {getattr(node, 'lineno', 0)} imports {bad}"
        if isinstance(node, ast.Call):
            called = _called(node)
            assert called == "re.compile" or called.rpartition(".")[2] not in _RUNS, f"line {node.lineno}: {called}"
            if called.endswith(".load") and called.startswith("np"):
                given = {each.arg: ast.literal_eval(each.value) for each in node.keywords}
                assert given == {"allow_pickle": False}, f"line {node.lineno}: {called}"


class _Bomb:
    """Says so when it is unpickled."""

    def __reduce__(self) -> Any:
        return (pytest.fail, ("it was unpickled",))


def test_a_file_of_vectors_with_a_pickle_in_it_is_refused(tmp_path: Path) -> None:
    np = pytest.importorskip("numpy")
    from byheart_dense import files

    from byheart import SnapshotError

    bomb = np.array([_Bomb()], dtype=object)
    probe = np.ones((1, 2), dtype=np.float32)
    file = tmp_path / "vectors.npz"
    parts = dict.fromkeys(("header", "fingerprints", "counts", "vectors", "probe"), bomb)
    np.savez(file, **parts)
    with pytest.raises(SnapshotError, match="allow_pickle=False"):
        files.load(file, {"model": "m"}, probe)


def test_every_test_that_the_page_names_is_there() -> None:
    page = PAGE.read_text(encoding="utf-8")
    named = re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`", page)
    assert len(named) >= 10
    missing = [
        f"{file}::{name}"
        for file, name in named
        if not (ROOT / file).is_file() or f"def {name}" not in (ROOT / file).read_text(encoding="utf-8")
    ]
    assert missing == []


@pytest.mark.parametrize(
    "promise", ["No network", "No code from data", "No pickle", "Nobody speaks for another", "Forgetting", "Resources"]
)
def test_every_promise_of_the_page_names_what_holds_it(promise: str) -> None:
    defended = PAGE.read_text(encoding="utf-8").partition("## What is not")[0]
    [paragraph] = [each for each in defended.split("\n\n") if each.startswith(f"**{promise}")]
    assert "`tests/" in paragraph
