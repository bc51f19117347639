"""Gaps before and past a training cutoff, and their difference, against figures worked out by hand."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from published_corpus import VERSION, clean_item, item, score

from benchmark_pipeline.evaluation.model_registry import load_registry
from benchmark_pipeline.publication.cutoffs import cutoff_statements, training_cutoffs
from benchmark_pipeline.publication.headline import headline_rows
from benchmark_pipeline.publication.metrics import metric_rows
from benchmark_pipeline.publication.results import collect_runs
from benchmark_pipeline.tables.items import ItemRow
from benchmark_pipeline.tables.publication import MetricRow

MODELS = Path(__file__).parents[2] / "models.yaml"
MODEL, OTHER = "vendor/alpha-2026-01-15", "vendor/beta-2026-01-15"
CUTOFF = date(2024, 6, 30)
OLD, NEW, BETWEEN = date(2023, 12, 31), date(2024, 6, 30), date(2024, 3, 31)


def original(number: int, ended: date | None) -> ItemRow:
    return clean_item(number, fiscal_year_end=ended)


def twin(of: ItemRow) -> ItemRow:
    return item(f"{of.item_id}-t", gold_icfr="clean", clean_rating="attested", arm="paraphrase", twin_of=of.item_id,
                company_key=of.company_key, fiscal_year_end=of.fiscal_year_end, drafted_by="one/a")  # fmt: skip


def rows(cutoffs: dict[str, date | None], models: tuple[str, ...] = (MODEL,)) -> dict[tuple[str, ...], MetricRow]:
    """Ten reports before the cutoff, of which seven twins are flagged; five past it, of which one twin is; one between."""
    old = [original(n, OLD) for n in range(10)]
    new = [original(20 + n, NEW) for n in range(5)]
    middle = [original(40, BETWEEN), original(41, None)]
    twins = {row.item_id: twin(row) for row in (*old, *new, *middle)}
    flagged = {twins[row.item_id].item_id for row in (*old[:7], *new[:1])} | {old[9].item_id, middle[0].item_id}
    items = [*old, *new, *middle, *twins.values()]
    scores = [score(row, model, flagged=row.item_id in flagged) for model in models for row in items]
    runs = collect_runs(scores, items, VERSION)
    found = metric_rows(runs, headline_rows(runs), cutoffs)
    return {(row.model_id, row.metric, row.split_by, row.split): row for row in found}


def test_the_gap_before_less_the_gap_past_is_the_estimate_of_memory() -> None:
    found = rows({MODEL: CUTOFF})
    before = found[MODEL, "accuracy_gap", "training_cutoff", "before"]
    past = found[MODEL, "accuracy_gap", "training_cutoff", "past"]
    # Before: originals right 9 of 10, twins right 3 of 10. Past: 5 of 5 and 4 of 5.
    assert (before.n, before.estimate) == (10, pytest.approx(0.9 - 0.3))
    assert (past.n, past.estimate) == (5, pytest.approx(1.0 - 0.8))
    change = found[MODEL, "accuracy_gap_difference", "training_cutoff", "before_less_past"]
    assert (change.n, change.estimate, change.clusters) == (15, pytest.approx(0.6 - 0.2), 15)
    assert change.note == "cutoff 2024-06-30; 10 items before, 5 past"
    assert change.ci_low is not None and change.ci_high is not None and change.ci_low < 0.4 < change.ci_high
    flags = found[MODEL, "false_positive_rate_gap_difference", "training_cutoff", "before_less_past"]
    assert flags.estimate == pytest.approx((0.1 - 0.7) - (0.0 - 0.2))


def test_a_year_that_ended_less_than_four_months_before_the_cutoff_is_on_neither_side() -> None:
    found = rows({MODEL: CUTOFF})
    sides = [found[MODEL, "false_positive_rate", "training_cutoff", side].n for side in ("before", "past")]
    assert sides == [10, 5]  # of 17: one year ended in between, one is unknown


def test_a_model_that_states_no_cutoff_has_no_difference() -> None:
    found = rows({MODEL: None})
    assert not [key for key in found if key[2] == "training_cutoff"]


@pytest.mark.parametrize(
    ("cutoffs", "past_most", "note"),
    [
        ({MODEL: CUTOFF, OTHER: CUTOFF}, 5, "over the 2 of 2 models that state a cutoff; 0 without"),
        ({MODEL: CUTOFF, OTHER: None}, 5, "over the 1 of 2 models that state a cutoff; 1 without"),
        ({MODEL: CUTOFF, OTHER: OLD}, 5, "over the 2 of 2 models that state a cutoff; 0 without"),
        ({MODEL: CUTOFF, OTHER: date(2025, 1, 1)}, 0, "over the 2 of 2 models that state a cutoff; 0 without"),
        ({OTHER: date(2025, 1, 1)}, 0, "over the 1 of 2 models that state a cutoff; 1 without"),
    ],
)
def test_past_the_cutoff_of_most_models_is_counted_over_the_models_that_state_one_and_says_how_many_do_not(
    cutoffs: dict[str, date | None], past_most: int, note: str
) -> None:
    found = rows(cutoffs, (MODEL, OTHER))
    yes = found.get((MODEL, "false_positive_rate", "past_most_cutoffs", "yes"))
    no = found[MODEL, "false_positive_rate", "past_most_cutoffs", "no"]
    assert (yes.n if yes else 0, no.n) == (past_most, 17 - past_most)
    assert {row.note for row in (yes, no) if row} == {note}


def test_where_no_model_states_a_cutoff_nothing_is_said_of_most_models() -> None:
    assert not [key for key in rows({MODEL: None, OTHER: None}, (MODEL, OTHER)) if "cutoff" in key[2]]


def test_the_difference_of_gaps_of_one_model_does_not_depend_on_what_another_states() -> None:
    key = (MODEL, "accuracy_gap_difference", "training_cutoff", "before_less_past")
    alone, beside = rows({MODEL: CUTOFF})[key], rows({MODEL: CUTOFF, OTHER: None}, (MODEL, OTHER))
    assert beside[key] == alone and (OTHER, *key[1:]) not in beside


def test_every_language_model_of_the_file_says_what_is_known_of_its_cutoff_with_source_and_day() -> None:
    entries = [entry for entry in load_registry(MODELS).models if entry.kind == "model"]
    assert len(entries) >= 5
    for entry in entries:
        assert entry.training_cutoff is not None, entry.id
        assert entry.training_cutoff.source and entry.training_cutoff.read_on, entry.id
    stated = {model for model, day in training_cutoffs(MODELS).items() if day}
    assert {"openai/gpt-4.1-2025-04-14", "openai/gpt-5.4-2026-03-05", "anthropic/claude-haiku-4-5-20251001"} <= stated
    assert not [model for model in stated if model.startswith(("baseline/", "local_gguf/", "mistral/"))]
    said = cutoff_statements(MODELS)
    assert said.keys() == {entry.id for entry in entries}
    assert said["anthropic/claude-haiku-4-5-20251001"].startswith("2025-07-31 (platform.claude.com")
    assert said["mistral/mistral-large-2512"].startswith("none stated (none found")
