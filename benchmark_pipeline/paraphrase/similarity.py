"""Cosine of two texts' embeddings: the mean of static token vectors (the WordLlama table, 32,000 x 256).

The table ships inside the package `wordllama` (MIT), so that nothing is downloaded and the value repeats. Only its data is
read: the package's own loader would look for its tokenizer on the network. Static vectors are blind to word order and to
negation, so that the measure is a lower bound alone: it sees a text that is about something else or half of it gone.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

TABLE = "WordLlama l2_supercat, 256 dimensions"
_TOKENIZER = "tokenizers/l2_supercat_tokenizer_config.json"
_WEIGHTS = "weights/l2_supercat_256.safetensors"


@dataclass(frozen=True)
class Embedder:
    """Token vectors with their tokenizer."""

    tokenizer: Any
    vectors: np.ndarray[tuple[int, int], np.dtype[np.float16]]

    def cosine(self, left: str, right: str) -> float:
        """Cosine between -1 and 1; 0 where a text has no token."""
        one, other = self._mean(left), self._mean(right)
        norm = float(np.linalg.norm(one) * np.linalg.norm(other))
        return float(one @ other) / norm if norm else 0.0

    def _mean(self, text: str) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        tokens = self.tokenizer.encode(text, add_special_tokens=False).ids
        if not tokens:
            return np.zeros(self.vectors.shape[1])
        mean: np.ndarray[tuple[int], np.dtype[np.float64]] = self.vectors[tokens].astype(np.float64).mean(axis=0)
        return mean


@cache
def embedder() -> Embedder | None:
    """The embedder, loaded at the first call; None where the package is not installed."""
    spec = find_spec("wordllama")
    if spec is None or not spec.submodule_search_locations or find_spec("tokenizers") is None:
        return None
    folder = Path(next(iter(spec.submodule_search_locations)))
    if not (folder / _WEIGHTS).is_file() or not (folder / _TOKENIZER).is_file():
        return None
    from tokenizers import Tokenizer

    return Embedder(Tokenizer.from_file(str(folder / _TOKENIZER)), _read_matrix(folder / _WEIGHTS))


def _read_matrix(path: Path) -> np.ndarray[tuple[int, int], np.dtype[np.float16]]:
    # safetensors: eight bytes with the length of a JSON header, the header, the numbers.
    body = path.read_bytes()
    (length,) = struct.unpack("<Q", body[:8])
    described = json.loads(body[8 : 8 + length])["embedding.weight"]
    start, end = described["data_offsets"]
    rows, columns = described["shape"]
    return np.frombuffer(body[8 + length + start : 8 + length + end], dtype=np.float16).reshape(rows, columns)
