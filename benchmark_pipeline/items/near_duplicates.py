"""Near duplicates by MinHash over word 5-grams (Broder 1997), proved by exact Jaccard similarity.

Controls sections are full of boilerplate, and filers of one law firm or one corporate family share whole pages. Two
items that are nearly one text are one observation. The hashes are SHA-256 based and seeded by position, so that the same
texts give the same groups in every process.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from benchmark_pipeline import progress

from .sentences import ngrams, words

SHINGLE = 5
THRESHOLD = 0.8
"""Between companies: two filers with one text are one observation."""
SAME_COMPANY_THRESHOLD = 0.93
"""Within a company, for builds that ask for several items of one: its next year keeps its own template, and only above this
little more than dates and figures has changed. With one item a company, the default, the limit is 0.8 everywhere: which of
a company's like texts goes as a near duplicate and which as `registrant_already_used` leaves one of them in either case."""
_BANDS, _ROWS = 32, 4
"""A pair at Jaccard 0.8 shares a band with probability 1 - (1 - 0.8^4)^32, which exceeds 0.99999."""
_PRIME = (1 << 31) - 1
_LEAST_ESTIMATE = 0.6
"""Share of equal minima below which a pair cannot be at 0.8: the estimate's standard error there is 0.035."""
Hashes = np.ndarray[tuple[int], np.dtype[np.uint64]]


def jaccard(left: set[tuple[str, ...]], right: set[tuple[str, ...]]) -> float:
    """Jaccard similarity of two sets; 0 where both are empty."""
    union = len(left | right)
    return len(left & right) / union if union else 0.0


def near_duplicates(
    texts: Sequence[str], companies: Sequence[str], same_company: float = SAME_COMPANY_THRESHOLD
) -> dict[int, tuple[int, float]]:
    """Texts that nearly repeat an earlier text.

    Args:
        texts: in order of preference: of two near duplicates the earlier is kept.
        companies: cluster of each text.
        same_company: least similarity of two texts of one company.

    Returns:
        index of each repeating text -> (index of the kept text that it repeats, similarity).
    """
    shingles: list[Hashes] = []
    signatures = np.zeros((len(texts), _BANDS * _ROWS), dtype=np.uint32)
    buckets: dict[tuple[int, bytes], list[int]] = defaultdict(list)
    repeats: dict[int, tuple[int, float]] = {}
    for index, text in enumerate(texts):
        progress.advance("near duplicates", index + 1, len(texts))
        own, low = _hashed(text)
        shingles.append(own)
        if own.size == 0:
            continue
        signatures[index] = _minima(low)
        keys = _band_keys(signatures[index])
        near = np.array(sorted({other for key in keys for other in buckets[key]}), dtype=np.int64)
        # A text that shares a band by chance alone is told by the rest of its signature, without a look at its shingles.
        estimates = (signatures[near] == signatures[index]).mean(axis=1)
        best = None
        for other in near[estimates >= _LEAST_ESTIMATE].tolist():
            similarity = _similarity(own, shingles[other])
            least = same_company if companies[index] == companies[other] else THRESHOLD
            if similarity >= least and (best is None or similarity > best[1]):
                best = (other, similarity)
        if best is not None:
            repeats[index] = best
            continue  # only kept texts enter the buckets: nothing is measured against a text that was left out
        for key in keys:
            buckets[key].append(index)
    return repeats


def _hashed(text: str) -> tuple[Hashes, Hashes]:
    """Distinct shingles of a text as sorted 64-bit hashes, and the 32-bit hashes that MinHash permutes.

    Sets of strings would take two gigabytes for 20,000 sections; two different shingles share 64 bits once in 1e19.
    """
    digests = [hashlib.sha256(" ".join(shingle).encode()).digest() for shingle in ngrams(words(text), SHINGLE)]
    whole = np.frombuffer(b"".join(digest[:8] for digest in digests), dtype=">u8").astype(np.uint64)
    return np.sort(whole), (whole >> np.uint64(32)) % np.uint64(_PRIME)


def _similarity(left: Hashes, right: Hashes) -> float:
    common = np.intersect1d(left, right, assume_unique=True).size
    return common / (left.size + right.size - common)


def _minima(hashed: Hashes) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    permuted = (hashed[:, None] * _A[None, :] + _B[None, :]) % np.uint64(_PRIME)
    minima: np.ndarray[tuple[int], np.dtype[np.uint32]] = permuted.min(axis=0).astype(np.uint32)
    return minima


def _band_keys(signature: np.ndarray[tuple[int], np.dtype[np.uint32]]) -> list[tuple[int, bytes]]:
    return [(band, signature[band * _ROWS : (band + 1) * _ROWS].tobytes()) for band in range(_BANDS)]


def _coefficients(name: str) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    digests = (hashlib.sha256(f"{name}{index}".encode()).digest() for index in range(_BANDS * _ROWS))
    return np.array([int.from_bytes(digest[:4], "big") % (_PRIME - 1) + 1 for digest in digests], dtype=np.uint64)


_A, _B = _coefficients("a"), _coefficients("b")
