"""Baselines: rules that stand beside every model and take the same path through log, outcomes and scores.

`always-clean` and `always-deficient` are the constant answers at the lenient and the severe end. `keyword` is a short
word list. `majority` and `length` are fitted: they learn from the gold of *other companies'* items only (cross-fitting
in five folds of companies), so that no item helps to answer itself or a sibling.
"""

from __future__ import annotations

import hashlib
import json
import math
import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from benchmark_pipeline.errors import ConfigurationError
from benchmark_pipeline.tables.items import ItemRow, Task

from .keyword_rules import keyword_answer
from .request import sha256_of

RULES_VERSION = "b1"
"""Part of the request key: a changed rule is asked again."""
FOLDS = 5
FITTED = ("baseline/majority", "baseline/length")

Rule = Callable[[ItemRow], Any]
"""Predicts one field of one item."""
Fit = Callable[[Sequence[tuple[ItemRow, Any]]], Rule]
"""Learns a rule from items with their labels."""

_LENIENT: dict[Task, dict[str, Any]] = {
    "A": {"component": "control_activities", "severity": "control_deficiency"},
    "B": {"designed_effectively": True, "gap_type": None, "severity": None},
    "C": {"icfr": "clean"},
    "D": {"citation": None, "component": "control_activities", "evidence": ""},
}
_SEVERE: dict[Task, dict[str, Any]] = {
    "A": {"component": "control_activities", "severity": "material_weakness"},
    "B": {"designed_effectively": False, "gap_type": "precision", "severity": "material_weakness"},
    "C": {"icfr": "deficient"},
    "D": {"citation": "COSO-10", "component": "control_activities", "evidence": ""},
}
_FALLBACK = _SEVERE
"""Where the other companies have no labelled item to learn from."""

_TARGETS: dict[Task, tuple[tuple[str, Callable[[ItemRow], Any]], ...]] = {
    "A": (("component", lambda item: item.gold_component), ("severity", lambda item: item.gold_severity)),
    "B": (
        ("designed_effectively", lambda item: item.gold_effective),
        ("gap_type", lambda item: item.gold_gap_type),
        ("severity", lambda item: item.gold_severity),
    ),
    "C": (("icfr", lambda item: item.gold_icfr),),
    "D": (("citation", lambda item: item.gold_citation), ("component", lambda item: item.gold_component)),
}


def baseline_answers(baseline_id: str, items: Sequence[ItemRow]) -> dict[str, str]:
    """The rule's answer to each item of one task, as JSON text.

    Args:
        baseline_id: `baseline/<rule>`.
        items: All asked items of one task; the fitted rules learn from them, across companies.

    Raises:
        ConfigurationError: there is no such rule.
    """
    if baseline_id == "baseline/always-clean":
        answers = {item.item_id: _LENIENT[item.task] for item in items}
    elif baseline_id == "baseline/always-deficient":
        answers = {item.item_id: _SEVERE[item.task] for item in items}
    elif baseline_id == "baseline/keyword":
        answers = {item.item_id: keyword_answer(item) for item in items}
    elif baseline_id == "baseline/majority":
        answers = _cross_fitted(items, _most_frequent)
    elif baseline_id == "baseline/length":
        answers = _cross_fitted(items, _nearest_length)
    else:
        raise ConfigurationError(
            f"there is no baseline {baseline_id!r}",
            remedy="one of: baseline/always-clean, baseline/always-deficient, baseline/keyword, baseline/majority, "
            "baseline/length",
        )
    return {item_id: json.dumps(answer) for item_id, answer in answers.items()}


def baseline_parameters(baseline_id: str, items: Iterable[ItemRow]) -> dict[str, Any]:
    """What identifies a rule's answers; for a fitted rule also the items and gold that it learns from."""
    parameters: dict[str, Any] = {"rules": RULES_VERSION}
    if baseline_id in FITTED:
        gold = sorted(
            [item.item_id, item.company_key, *(_json(get(item)) for _, get in _TARGETS[item.task])] for item in items
        )
        parameters["fitted_on_sha256"] = sha256_of(gold)
    return parameters


def fold_of(company_key: str) -> int:
    """The fold of a company: all its items share it."""
    return int(hashlib.sha256(company_key.encode()).hexdigest(), 16) % FOLDS


def _cross_fitted(items: Sequence[ItemRow], fit: Fit) -> dict[str, dict[str, Any]]:
    folds = {item.item_id: fold_of(item.company_key) for item in items}
    answers: dict[str, dict[str, Any]] = {}
    for fold in sorted(set(folds.values())):
        others = [item for item in items if folds[item.item_id] != fold]
        own = [item for item in items if folds[item.item_id] == fold]
        predict = {}
        for field, gold in _TARGETS[own[0].task]:
            # Null gold is "does not apply" (a severity on a filing), not a class to learn.
            labelled = [(item, gold(item)) for item in others if gold(item) is not None]
            if labelled:
                predict[field] = fit(labelled)
        for item in own:
            answer = _FALLBACK[item.task] | {field: rule(item) for field, rule in predict.items()}
            if item.task == "B" and answer["designed_effectively"]:
                answer |= {"gap_type": None, "severity": None}
            answers[item.item_id] = answer
    return answers


def _most_frequent(labelled: Sequence[tuple[ItemRow, Any]]) -> Rule:
    counts = Counter(label for _, label in labelled)
    # Ties go to the first in alphabetical order: fixed, and unrelated to the items' order.
    winner = min(counts, key=lambda label: (-counts[label], str(label)))
    return lambda _: winner


def _nearest_length(labelled: Sequence[tuple[ItemRow, Any]]) -> Rule:
    """The class whose median length (in log words) is nearest: tells whether length alone gives the answer away."""
    lengths: dict[Any, list[float]] = {}
    for item, label in labelled:
        lengths.setdefault(label, []).append(_log_words(item))
    medians = {label: statistics.median(values) for label, values in lengths.items()}
    return lambda item: min(medians, key=lambda label: (abs(medians[label] - _log_words(item)), str(label)))


def _log_words(item: ItemRow) -> float:
    return math.log(1 + len(item.text.split()))


def _json(value: Any) -> str:
    return json.dumps(value)
