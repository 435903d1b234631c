"""An embedding model behind the address that others can be told to use: OpenAI's ``/v1/embeddings``, on this machine."""

from __future__ import annotations

import contextlib
import functools
import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from . import models

#: From texts to a vector each.
Encode = Callable[[list[str]], list[list[float]]]


@functools.lru_cache(maxsize=1)
def encoder(name: str) -> Encode:
    """One of the packaged models (:data:`eval.models.NAMES`). Texts met before are not encoded again."""
    from sentence_transformers import SentenceTransformer

    model: Any = SentenceTransformer(str(models.folder_of(name)), device="cpu", local_files_only=True)
    known: dict[str, list[float]] = {}

    def encode(texts: list[str]) -> list[list[float]]:
        missing = [text for text in dict.fromkeys(texts) if text not in known]
        if missing:
            vectors = model.encode(missing, convert_to_numpy=True, show_progress_bar=False)
            known.update(zip(missing, vectors.tolist(), strict=True))
        return [known[text] for text in texts]

    return encode


@contextlib.contextmanager
def served(name: str) -> Iterator[str]:
    """The address of a server that embeds with a packaged model, for as long as this lasts."""
    with serving(encoder(name)) as address:
        yield address


@contextlib.contextmanager
def serving(encode: Encode) -> Iterator[str]:
    """The address of a server that embeds with ``encode``."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            texts = asked["input"] if isinstance(asked["input"], list) else [asked["input"]]
            rows = [{"object": "embedding", "index": n, "embedding": v} for n, v in enumerate(encode(texts))]
            body = json.dumps({"object": "list", "model": asked["model"], "data": rows}).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: Any) -> None:
            """Nothing: standard error holds progress."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
