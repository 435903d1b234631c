"""Models of sentence-transformers: opening one, the prompts it wants, and the window it reads."""

from __future__ import annotations

import importlib
import os
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

from byheart import PluginError
from byheart_dense.encoders import Model, Side, Split
from byheart_dense.windows import windows

E5_PROMPTS = {"query": "query: ", "document": "passage: "}
"""What every E5 model was trained with, the instruct ones excepted."""

_KEYS = {"query": ("query",), "document": ("document", "passage", "corpus")}
_LEAST = 5  # the first major version that tells queries from documents
_GROUP = 16  # texts a call; the model is given fewer at once, see `batch_size`
_TIMEOUT = 10.0  # seconds


def is_sentence_transformer(thing: object) -> bool:
    """Whether ``thing`` is a loaded model of sentence-transformers (which is not imported to find out)."""
    module = sys.modules.get("sentence_transformers")
    kind = getattr(module, "SentenceTransformer", None)
    return isinstance(kind, type) and isinstance(thing, kind)


def opened(model: object, prompts: Mapping[str, str] | None, device: str | None, batch_size: int) -> Model:
    """``model``, a name, a folder or a loaded SentenceTransformer, made ready; PluginError where it cannot be."""
    if isinstance(model, (str, os.PathLike)):
        given = os.fspath(model)
        loaded = _loaded(os.path.expanduser(given), device)
        name = Path(given).resolve().name if os.path.isdir(os.path.expanduser(given)) else given
        known_as = f"{given} {_recorded_name(loaded)}"
    else:
        loaded = model
        name = known_as = _recorded_name(loaded) or type(loaded).__name__
    chosen = _prompts(loaded, known_as, prompts)

    def side(key: str) -> Side:
        encode = partial(
            getattr(loaded, f"encode_{key}"), prompt=chosen[key], batch_size=batch_size, show_progress_bar=False
        )
        return Side(encode, _split(loaded, chosen[key]), chosen[key])

    return Model(name, side("query"), side("document"), max(_GROUP, batch_size))


def is_e5(name: str) -> bool:
    """Whether a model of this name wants the E5 prompts.

    >>> is_e5("intfloat/multilingual-e5-small"), is_e5("intfloat/e5-mistral-7b-instruct"), is_e5("all-mpnet")
    (True, False, False)
    """
    return re.search(r"(?<![a-z0-9])e5(?![a-z0-9])", name.lower()) is not None and "instruct" not in name.lower()


def _prompts(loaded: Any, known_as: str, given: Mapping[str, str] | None) -> dict[str, str]:
    """The prompts to use: those given, else the model's own, else E5's where it is one.

    The model's own are looked up under every key in use: sentence-transformers fills in an empty "document",
    behind which a "passage" is never found.
    """
    own = getattr(loaded, "prompts", None) or {}
    chosen = {}
    for key, names in _KEYS.items():
        found = next((own[name] for name in names if own.get(name)), "")
        chosen[key] = found or (E5_PROMPTS[key] if is_e5(known_as) else "")
    return {**chosen, **(given or {})}


def _recorded_name(loaded: Any) -> str:
    """The name under which the weights were first published, where the folder tells."""
    try:
        name = loaded[0].auto_model.config._name_or_path
    except (AttributeError, IndexError, TypeError, KeyError):
        return ""
    return name if isinstance(name, str) else ""


def _split(loaded: Any, prompt: str) -> Split:
    """How to cut a text so that, with its prompt, the model reads all of each piece."""
    limit = getattr(loaded, "max_seq_length", None)
    tokenizer = getattr(loaded, "tokenizer", None)
    if not isinstance(limit, int) or limit < 1 or not callable(tokenizer):
        return lambda text: [text]  # a static model reads any length

    def tokens(text: str) -> int:
        return len(tokenizer(prompt + text, truncation=False, verbose=False)["input_ids"])

    if tokens("") >= limit:
        raise PluginError(
            f"the prompt {prompt!r} alone fills the window of the model ({limit} tokens): give a shorter one",
            plugin="dense",
            distribution="byheart",
        )
    return lambda text: windows(text, tokens, limit)


def _loaded(name: str, device: str | None) -> Any:
    """The model of this name or folder: from this machine where it is here, else downloaded."""
    library = _library()
    folder = os.path.isdir(name)
    if not folder and (name.startswith((".", "~", os.sep)) or name.count("/") > 1 or "\\" in name):
        _refuse(f"there is no folder {name}")
    options: dict[str, Any] = {"device": device}
    with _quiet():
        try:
            # What is here is taken as it is: no call home, and no surprise when a model changes elsewhere.
            return library.SentenceTransformer(name, local_files_only=True, **options)
        except Exception as error:
            if folder or not isinstance(error, OSError):
                _refuse(f"the model {name} cannot be opened ({_brief(error)})", error)
    _reach(name)
    try:
        return library.SentenceTransformer(name, **options)
    except Exception as error:
        _refuse(f"the model {name} cannot be downloaded ({_brief(error)})", error)


def _library() -> Any:
    try:
        library = importlib.import_module("sentence_transformers")
    except ImportError as error:
        raise PluginError(
            f"plugin 'dense' needs sentence-transformers ({error}): pip install 'byheart[dense]', "
            "or give model= an object with encode_query and encode_document",
            plugin="dense",
            distribution="byheart",
        ) from error
    version = str(getattr(library, "__version__", "0"))
    major = version.partition(".")[0]
    if major.isdigit() and int(major) < _LEAST:
        raise PluginError(
            f"plugin 'dense' needs sentence-transformers {_LEAST} or newer, found {version}: "
            "pip install -U 'byheart[dense]'",
            plugin="dense",
            distribution="byheart",
        )
    return library


def _reach(name: str) -> None:
    """Find out in seconds whether the hub has the model: a download without network retries for a minute."""
    hub = importlib.import_module("huggingface_hub")
    try:
        hub.model_info(name if "/" in name else f"sentence-transformers/{name}", timeout=_TIMEOUT)
    except Exception as error:
        _refuse(f"the model {name} is not on this machine and cannot be fetched ({_brief(error)})", error)


def _refuse(what: str, cause: BaseException | None = None) -> NoReturn:
    raise PluginError(
        f"plugin 'dense': {what}. Give model= a folder that holds a sentence-transformers model: on a machine with "
        "network, SentenceTransformer(NAME).save_pretrained(FOLDER) writes one",
        plugin="dense",
        distribution="byheart",
    ) from cause


def _brief(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0] if lines else ''}"


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the bar that transformers draws while weights are read."""
    try:
        logging = importlib.import_module("transformers.utils.logging")
        shown = logging.is_progress_bar_enabled()
    except (ImportError, AttributeError):
        yield
        return
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
