"""Which models can be told apart: Holm's and Benjamini-Hochberg's corrections over a family of tests, and rank groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

ALPHA = 0.05


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's (1979) step-down adjusted p-values, in the order given."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted = [0.0] * len(p_values)
    highest = 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def benjamini_hochberg(p_values: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's (1995) step-up adjusted p-values, in the order given: for exploratory families."""
    order = sorted(range(len(p_values)), key=lambda index: p_values[index], reverse=True)
    adjusted = [0.0] * len(p_values)
    lowest = 1.0
    for above, index in enumerate(order):
        lowest = min(lowest, p_values[index] * len(p_values) / (len(p_values) - above))
        adjusted[index] = lowest
    return adjusted


def rank_groups(
    rates: Mapping[str, float], p_value: Callable[[str, str], float], alpha: float = ALPHA
) -> dict[str, int]:
    """Rank group of each model, the lowest rate first.

    A model opens a new group when it differs from the first of the present group after Holm's correction over all
    pairs. Models of one group are not a strict order, and neighbours of two groups need not differ from each other.

    Args:
        rates: rate of each model.
        p_value: uncorrected p-value of the paired test of two models.
        alpha: family-wise error rate.
    """
    names = sorted(rates, key=lambda name: (rates[name], name))
    pairs = [(a, b) for index, a in enumerate(names) for b in names[index + 1 :]]
    adjusted = dict(zip(pairs, holm([p_value(a, b) for a, b in pairs]), strict=True))
    groups: dict[str, int] = {}
    leader, group = "", 0
    for name in names:
        if not leader or adjusted[leader, name] < alpha:
            leader, group = name, group + 1
        groups[name] = group
    return groups
