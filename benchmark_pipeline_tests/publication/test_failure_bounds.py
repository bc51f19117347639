"""Bounds of failures on every number: what the failed calls could have answered is answered in every way, and counted."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published_corpus import VERSION, Corpus

from benchmark_pipeline.evaluation.scoring import score_answer
from benchmark_pipeline.publication import metrics_derived, metrics_wording
from benchmark_pipeline.publication.headline import headline_rows
from benchmark_pipeline.publication.measures import MEASURES
from benchmark_pipeline.publication.metric_builder import difference_bounds
from benchmark_pipeline.publication.metrics import metric_rows
from benchmark_pipeline.publication.results import collect_runs
from benchmark_pipeline.statistics import classification, paired
from benchmark_pipeline.tables.evaluation import ParsedAnswerRow
from benchmark_pipeline.tables.publication import MetricRow

MODEL = "vendor/alpha-2026-01-15"
Key = tuple[str, str, str, str]
CHOICES: dict[str, tuple[dict[str, Any], ...]] = {
    "A": ({"answer_component": "control_activities", "answer_severity": "significant_deficiency"},
          {"answer_component": "monitoring_activities", "answer_severity": "control_deficiency"}),
    "B": ({"answer_effective": False, "answer_gap_type": "management_review", "answer_severity": "control_deficiency"},
          {"answer_effective": False, "answer_gap_type": "precision", "answer_severity": "material_weakness"},
          {"answer_effective": True}),
    "C": ({"answer_icfr": "clean"}, {"answer_icfr": "deficient"}),
    "D": ({"answer_component": "control_activities", "answer_citation": "COSO-10", "answer_evidence": "Reconciliations"},
          {"answer_component": "monitoring_activities", "answer_citation": "COSO-99", "answer_evidence": "no such words"},
          {"answer_component": "monitoring_activities", "answer_citation": None, "answer_evidence": "no such words"}),
}  # fmt: skip
"""For each task the best and worst that a model could have answered to the items below, by every measure."""
WITHOUT = {"outcome", "failure_rate", "prompt_tokens", "completion_tokens", "cost_usd"}
"""They count calls, and what a call would have answered is no part of them."""


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    corpus = Corpus()
    attested = [corpus.filing(number, "clean_attested") for number in range(1, 5)]
    corpus.filing(7, "clean_management_only")
    bad = [corpus.filing(number, "deficient") for number in (5, 6)]
    corpus.twin(attested[0])
    corpus.twin(attested[2])
    corpus.twin(bad[1])
    for number in (1, 2):
        corpus.finding(number)
        corpus.pair(number)
        corpus.weakness(number, "D", bad[number - 1])
    same = {attested[0].item_id: "one", attested[1].item_id: "one"}
    corpus.items = [
        row.model_copy(update={"company_key": same.get(row.item_id, row.company_key)}) for row in corpus.items
    ]
    failed = [attested[0].item_id, bad[0].item_id, "A-f000000000000001", "B-v000000000000001",
              "D-0000000000000001", next(row.item_id for row in corpus.items if row.twin_of == attested[0].item_id)]  # fmt: skip
    corpus.run(MODEL, flags={attested[2].item_id}, outcomes=dict.fromkeys(failed, "refused"))
    return corpus


def rows(corpus: Corpus, given: dict[str, dict[str, Any]]) -> dict[Key, MetricRow]:
    """The metrics with these answers in place of failures."""
    items = {row.item_id: row for row in corpus.items}
    answers = []
    for row in corpus.answers:
        more = given.get(row.item_id)
        answers.append(row if more is None else ParsedAnswerRow(**(row.model_dump() | more | {"outcome": "answered"})))
    scores = [score_answer(row, items[row.item_id]) for row in answers]
    runs = collect_runs(scores, corpus.items, VERSION, (), answers)
    found = metric_rows(runs, headline_rows(runs))
    return {(row.task, row.metric, row.split_by, row.split): row for row in found}


@pytest.fixture
def without_resampling(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (metrics_derived, metrics_wording, classification, paired):
        monkeypatch.setattr(module, "cluster_bootstrap", lambda *_, **__: None)


@pytest.mark.usefixtures("without_resampling")
def test_the_bounds_of_every_number_are_the_extremes_of_all_that_the_failed_calls_could_have_answered(
    corpus: Corpus,
) -> None:
    printed = rows(corpus, {})
    failed = {row.item_id: row.task for row in corpus.answers if row.outcome == "refused"}
    of_c = [name for name, task in failed.items() if task == "C"]
    seen: dict[Key, list[float]] = {key: [] for key in printed}
    for turn, verdicts in enumerate(product(CHOICES["C"], repeat=len(of_c))):
        others = {name: CHOICES[task][turn % len(CHOICES[task])] for name, task in failed.items() if task != "C"}
        for key, row in rows(corpus, dict(zip(of_c, verdicts, strict=True)) | others).items():
            if row.estimate is not None:
                seen.setdefault(key, []).append(row.estimate)
    checked = set()
    for key, row in printed.items():
        if key[1] in WITHOUT or key[1].endswith("_kappa"):
            assert row.bound_low is None and row.bound_high is None, key
        elif seen[key]:
            assert (row.bound_low, row.bound_high) == pytest.approx((min(seen[key]), max(seen[key]))), key
            checked.add(key[1])
    assert checked >= {measure.name for measure in MEASURES}
    assert checked >= {
        "macro_f1", "precision_at_prevalence", "severity_mean_distance", "pair_accuracy", "pair_both_wrong",
        "false_positive_rate_bootstrap", "false_positive_rate_company_mean", "accuracy_gap", "false_positive_rate_gap",
    }  # fmt: skip


@pytest.mark.usefixtures("without_resampling")
def test_without_a_failure_the_bounds_are_the_number_itself(corpus: Corpus) -> None:
    failed = {row.item_id: row.task for row in corpus.answers if row.outcome == "refused"}
    for key, row in rows(corpus, {name: CHOICES[task][0] for name, task in failed.items()}).items():
        if row.estimate is not None and key[1] not in WITHOUT and not key[1].endswith("_kappa"):
            assert row.bound_low == row.bound_high == pytest.approx(row.estimate), key


def test_each_split_of_the_headline_has_bounds_around_its_estimate(corpus: Corpus) -> None:
    found = rows(corpus, {})
    splits = {key[2]: row for key, row in found.items() if key[:2] == ("C", "false_positive_rate")}
    assert splits.keys() >= {
        "all",
        "label_source",
        "form",
        "issuer",
        "seasoning_tier",
        "population",
        "jurisdiction",
        "arm",
    }
    for by, row in splits.items():
        assert row.bound_low is not None and row.bound_high is not None and row.estimate is not None
        assert row.bound_low <= row.estimate <= row.bound_high, by


side = st.lists(st.sampled_from([0, 1, None, "absent"]), min_size=1, max_size=5)


@settings(max_examples=50)
@given(st.data())
def test_bounds_of_a_difference_hold_every_answer_of_the_failed_calls(data: st.DataObject) -> None:
    first = data.draw(side)
    second = data.draw(st.lists(st.sampled_from([0, 1, None, "absent"]), min_size=len(first), max_size=len(first)))
    arrays = [
        (np.array([v if v in (0, 1) else -1 for v in s], dtype=np.int8), np.array([v is None for v in s]))
        for s in (first, second)
    ]
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if "absent" not in (a, b)]
    options = [
        [(x, y) for x in ((a,) if a is not None else (0, 1)) for y in ((b,) if b is not None else (0, 1))]
        for a, b in pairs
    ]
    means = [sum(x - y for x, y in way) / len(way) for way in product(*options)] if pairs else []
    assert difference_bounds(*arrays) == (pytest.approx((min(means), max(means))) if means else None)
