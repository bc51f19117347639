"""Agreement: weighted kappa for ordered tiers, Krippendorff's alpha and Gwet's AC1 for raters.

Kappa and alpha fall towards zero where nearly every unit has one label, however often raters agree; AC1 does not. That is
why both stand beside the raw agreement.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Ratings = Sequence[Sequence[Hashable | None]]
"""One row a rater, one column a unit; None where the rater did not rate the unit."""


@dataclass(frozen=True)
class Agreement:
    """Agreement over units that two or more readers answered; null where it is not defined."""

    units: int
    """Units with two answers or more; units with fewer say nothing about agreement."""
    raw: float | None
    """Share of pairs of answers to the same unit that are equal, averaged over units."""
    alpha: float | None
    """Krippendorff's alpha, nominal; null where every answer is the same."""
    ac1: float | None
    """Gwet's AC1; null where fewer than two categories are known."""


def agreement(units: Sequence[Sequence[str]], categories: int | None = None) -> Agreement:
    """Agreement over units, in the three ways that are printed together.

    Args:
        units: the answers to each unit, one a reader who answered.
        categories: number of possible answers, where it is known; otherwise the number of different answers seen.
    """
    rated = [answers for answers in units if len(answers) >= 2]
    if not rated:
        return Agreement(0, None, None, None)
    labels: list[Hashable] = [*sorted({answer for answers in rated for answer in answers})]
    # Answers that nobody gave count towards what chance would do; their names do not matter.
    labels += [("never given", number) for number in range((categories or 0) - len(labels))]
    readers = max(map(len, rated))
    ratings = [[answers[reader] if reader < len(answers) else None for answers in rated] for reader in range(readers)]
    return Agreement(
        len(rated),
        raw_agreement(ratings, labels),
        krippendorff_alpha(ratings, labels),
        gwet_ac1(ratings, labels) if len(labels) > 1 else None,
    )


def quadratic_kappa(confusion: NDArray[np.float64]) -> NDArray[np.float64]:
    """Quadratic weighted kappa (Cohen 1968) of confusion matrices.

    Args:
        confusion: shape (..., tiers, tiers): gold down, answer across, in the order of the tiers.

    Returns:
        Shape (...); NaN where chance alone explains everything (one tier on both sides).
    """
    tiers = confusion.shape[-1]
    weights = (np.arange(tiers)[:, None] - np.arange(tiers)[None, :]) ** 2
    total = confusion.sum(axis=(-2, -1))
    chance = confusion.sum(axis=-1)[..., :, None] * confusion.sum(axis=-2)[..., None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(1 - (weights * confusion).sum(axis=(-2, -1)) * total / (weights * chance).sum(axis=(-2, -1)))


def krippendorff_alpha(
    ratings: Ratings, labels: Sequence[Hashable], level: Literal["nominal", "ordinal"] = "nominal"
) -> float | None:
    """Krippendorff's alpha (Hayes & Krippendorff 2007); units with fewer than two ratings carry nothing.

    Args:
        ratings: by rater and unit.
        labels: every value that may occur, in order for the ordinal level.
        level: whether the distance of two labels is 0 or 1, or grows with their rank.

    Returns:
        None where no unit has two ratings, or all of them carry one label.
    """
    counts = _counts(ratings, labels)
    counts = counts[counts.sum(axis=1) >= 2]
    if not len(counts):
        return None
    raters = counts.sum(axis=1, keepdims=True)
    coincidence = (counts / (raters - 1)).T @ counts - np.diag((counts / (raters - 1)).sum(axis=0))
    totals = coincidence.sum(axis=0)
    distance = _distance(totals, level)
    expected = (np.outer(totals, totals) * distance).sum()
    if not expected:
        return None
    return float(1 - (totals.sum() - 1) * (coincidence * distance).sum() / expected)


def gwet_ac1(ratings: Ratings, labels: Sequence[Hashable]) -> float | None:
    """Gwet's AC1 (2008) for any number of raters; None where no unit has two ratings."""
    counts = _counts(ratings, labels)
    rated = counts[counts.sum(axis=1) >= 1]
    observed = raw_agreement(ratings, labels)
    if observed is None:
        return None
    share = (rated / rated.sum(axis=1, keepdims=True)).mean(axis=0)
    chance = float((share * (1 - share)).sum() / (len(labels) - 1))
    return (observed - chance) / (1 - chance)


def raw_agreement(ratings: Ratings, labels: Sequence[Hashable]) -> float | None:
    """Mean over units of the share of agreeing rater pairs; None where no unit has two ratings."""
    counts = _counts(ratings, labels)
    counts = counts[counts.sum(axis=1) >= 2]
    if not len(counts):
        return None
    raters = counts.sum(axis=1)
    return float(((counts * (counts - 1)).sum(axis=1) / (raters * (raters - 1))).mean())


def _counts(ratings: Ratings, labels: Sequence[Hashable]) -> NDArray[np.float64]:
    """Ratings of each unit by label, shape (units, labels)."""
    column = {label: index for index, label in enumerate(labels)}
    units = {len(row) for row in ratings}
    if len(units) > 1:
        raise ValueError("every rater needs one entry a unit, None where there is no rating")
    found = np.zeros((max(units, default=0), len(labels)))
    for row in ratings:
        for unit, label in enumerate(row):
            if label is not None:
                if label not in column:
                    raise ValueError(f"rating {label!r} is not among {list(labels)}")
                found[unit, column[label]] += 1
    return found


def _distance(totals: NDArray[np.float64], level: str) -> NDArray[np.float64]:
    size = len(totals)
    if level == "nominal":
        return 1 - np.eye(size)
    below = np.cumsum(totals)
    found = np.zeros((size, size))
    for a in range(size):
        for b in range(a + 1, size):
            between = below[b] - (below[a - 1] if a else 0)
            found[a, b] = found[b, a] = (between - (totals[a] + totals[b]) / 2) ** 2
    return found
