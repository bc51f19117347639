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

from .sentences import ngrams, words

SHINGLE = 5
THRESHOLD = 0.8
"""Between companies: two filers with one text are one observation."""
SAME_COMPANY_THRESHOLD = 0.93
"""Within a company, whose next year always keeps its own template: above this little more than dates and figures has changed. That
what remains is not independent is dealt with by clustering every interval by company."""
_BANDS, _ROWS = 32, 4
"""A pair at Jaccard 0.8 shares a band with probability 1 - (1 - 0.8^4)^32, which exceeds 0.99999."""
_PRIME = (1 << 31) - 1


def jaccard(left: set[tuple[str, ...]], right: set[tuple[str, ...]]) -> float:
    """Jaccard similarity of two sets; 0 where both are empty."""
    union = len(left | right)
    return len(left & right) / union if union else 0.0


def near_duplicates(texts: Sequence[str], companies: Sequence[str]) -> dict[int, tuple[int, float]]:
    """Texts that nearly repeat an earlier text.

    Args:
        texts: in order of preference: of two near duplicates the earlier is kept.
        companies: cluster of each text.

    Returns:
        index of each repeating text -> (index of the kept text that it repeats, similarity).
    """
    shingles = [ngrams(words(text), SHINGLE) for text in texts]
    buckets: dict[tuple[int, bytes], list[int]] = defaultdict(list)
    repeats: dict[int, tuple[int, float]] = {}
    for index, own in enumerate(shingles):
        keys = _band_keys(own) if own else []
        near = sorted({other for key in keys for other in buckets[key]})
        similar = [(jaccard(own, shingles[other]), -other) for other in near]
        best = max(
            (
                (similarity, minus)
                for similarity, minus in similar
                if similarity >= (SAME_COMPANY_THRESHOLD if companies[index] == companies[-minus] else THRESHOLD)
            ),
            default=None,
        )
        if best is not None:
            repeats[index] = (-best[1], best[0])
            continue  # only kept texts enter the buckets: nothing is measured against a text that was left out
        for key in keys:
            buckets[key].append(index)
    return repeats


def _band_keys(shingles: set[tuple[str, ...]]) -> list[tuple[int, bytes]]:
    hashed = np.fromiter(
        (int.from_bytes(hashlib.sha256(" ".join(shingle).encode()).digest()[:4], "big") for shingle in shingles),
        dtype=np.uint64,
        count=len(shingles),
    ) % np.uint64(_PRIME)
    minima = ((hashed[:, None] * _A[None, :] + _B[None, :]) % np.uint64(_PRIME)).min(axis=0)
    return [(band, minima[band * _ROWS : (band + 1) * _ROWS].tobytes()) for band in range(_BANDS)]


def _coefficients(name: str) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    digests = (hashlib.sha256(f"{name}{index}".encode()).digest() for index in range(_BANDS * _ROWS))
    return np.array([int.from_bytes(digest[:4], "big") % (_PRIME - 1) + 1 for digest in digests], dtype=np.uint64)


_A, _B = _coefficients("a"), _coefficients("b")
