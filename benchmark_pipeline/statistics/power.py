"""What a number of items can tell: power of the paired test, and precision at the prevalence of real life."""

from __future__ import annotations

import numpy as np
from scipy import special


def paired_power(items: int, only_first: float, only_second: float, alpha: float = 0.05) -> float:
    """Power of McNemar's exact test, summed over every outcome and not simulated.

    Args:
        items: independent paired items (companies, where one item a company is asked).
        only_first: share of items on which only the first model is wrong.
        only_second: share on which only the second is.
        alpha: level of the two-sided test.
    """
    discordant = only_first + only_second
    if not discordant:
        return 0.0
    share, power = only_first / discordant, 0.0
    for count in range(1, items + 1):
        weight = special.bdtr(count, items, discordant) - special.bdtr(count - 1, items, discordant)
        if weight < 1e-12:
            continue
        # The test rejects where the rarer side has at most `edge` items.
        fair = special.bdtr(np.arange(count + 1), count, 0.5)
        edge = int(np.searchsorted(2 * fair, alpha, side="right")) - 1
        if edge >= 0:
            power += float(weight * (special.bdtr(edge, count, share) + special.bdtrc(count - edge - 1, count, share)))
    return float(min(1.0, power))


def precision_at(recall: float, false_positive_rate: float, prevalence: float) -> float | None:
    """Share of flags that would be right where `prevalence` of the reports are deficient; None without a flag."""
    flagged = recall * prevalence + false_positive_rate * (1 - prevalence)
    return float(recall * prevalence / flagged) if flagged else None


def items_needed(rate: float, half_width: float, level: float = 0.95) -> int:
    """Independent items after which a Wilson interval is no wider than twice `half_width`."""
    z2 = float(special.ndtri((1 + level) / 2)) ** 2
    low, high = 1, 10_000_000
    while low < high:
        n = (low + high) // 2
        width = np.sqrt(z2) / (1 + z2 / n) * np.sqrt(rate * (1 - rate) / n + z2 / (4 * n * n))
        low, high = (low, n) if width <= half_width else (n + 1, high)
    return low
