"""What may be called a headline, and what must stand beside it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from published_corpus import VERSION, Corpus, clean_item, item, score

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.publication.headline import headline_rows
from benchmark_pipeline.publication.metrics import metric_rows
from benchmark_pipeline.publication.results import collect_runs
from benchmark_pipeline.tables.evaluation import FAILURES, ScoreRow
from benchmark_pipeline.tables.items import ItemRow
from benchmark_pipeline.tables.publication import HeadlineRow, MetricRow

MODEL = "vendor/alpha-2026-01-15"


def one(scores: list[ScoreRow], items: list[ItemRow]) -> HeadlineRow:
    (row,) = headline_rows(collect_runs(scores, items, VERSION))
    return row


def attested(count: int) -> list[ItemRow]:
    return [clean_item(number) for number in range(count)]


def test_the_rate_is_flagged_over_answered_and_leaves_failures_to_the_bounds() -> None:
    items = attested(100)
    scores = [
        score(row, MODEL, flagged=n < 10, outcome="answered" if n < 98 else "refused") for n, row in enumerate(items)
    ]
    row = one(scores, items)
    assert (row.k, row.n, row.failures, row.planned) == (10, 98, 2, 100)
    assert row.fpr == pytest.approx(10 / 98)
    assert (row.fpr_if_failures_pass, row.fpr_if_failures_flag) == (0.10, 0.12)
    assert row.comparable and row.rank_group == 1


def test_more_than_two_percent_failures_are_not_comparable_and_get_no_rank() -> None:
    items = attested(100)
    scores = [score(row, MODEL, outcome="answered" if n < 97 else "truncated") for n, row in enumerate(items)]
    row = one(scores, items)
    assert not row.comparable and row.rank_group is None and row.fpr == 0.0
    assert row.why_not is not None and "3 of 100" in row.why_not


def test_twenty_nine_attested_clean_items_give_no_headline_and_the_reason() -> None:
    items = attested(29)
    row = one([score(row, MODEL) for row in items], items)
    assert row.fpr is None and row.ci_low is None and (row.k, row.n) == (0, 29)
    assert row.why_not == "The dataset holds 29 attested clean items; a headline needs at least 30."


@pytest.mark.parametrize("outcome", ["transport_fail", "not_run"])
def test_an_incomplete_run_publishes_no_headline(outcome: str) -> None:
    items = [*attested(40), item("A-1", "A", gold_component="control_activities")]
    scores = [score(row, MODEL) for row in items[:-1]] + [score(items[-1], MODEL, outcome=outcome)]
    row = one(scores, items)
    assert row.fpr is None and not row.complete and not row.comparable
    assert row.why_not is not None and row.why_not.startswith("Incomplete: 1 of 41")


def test_an_item_that_was_never_asked_makes_the_run_incomplete() -> None:
    items = attested(40)
    row = one([score(row, MODEL) for row in items[:-1]], items)
    assert not row.complete and row.fpr is None


def test_masked_paraphrased_and_management_only_items_never_enter_the_headline() -> None:
    items = attested(30)
    others = [clean_item(50 + n, arm=arm) for n, arm in enumerate(("paraphrase", "conclusion_masked", "names_masked"))]
    weaker = [clean_item(n, "management_only") for n in range(5)]
    everything = [*items, *others, *weaker]
    scores = [score(row, MODEL, flagged=row not in items) for row in everything]
    row = one(scores, everything)
    assert (row.k, row.n) == (0, 30)
    assert (row.management_only_k, row.management_only_n, row.management_only_fpr) == (5, 5, 1.0)


def test_recall_counts_a_failed_answer_as_a_miss() -> None:
    bad = [item(f"C-d{n}", gold_icfr="deficient") for n in range(4)]
    items = [*attested(30), *bad]
    scores = [score(row, MODEL) for row in items[:30]]
    scores += [
        score(row, MODEL, flagged=True, outcome="refused" if n == 0 else "answered") for n, row in enumerate(bad)
    ]
    row = one(scores, items)
    assert (row.recall_k, row.recall_n, row.recall) == (3, 4, 0.75)


def test_items_of_few_companies_widen_the_interval_and_are_not_ranked() -> None:
    spread = attested(60)
    packed = [row.model_copy(update={"company_key": f"co{n // 6}"}) for n, row in enumerate(spread)]
    flagged = lambda n: n < 6  # noqa: E731 (one company flagged throughout)
    wide = one([score(row, MODEL, flagged=flagged(n)) for n, row in enumerate(packed)], packed)
    narrow = one([score(row, MODEL, flagged=flagged(n)) for n, row in enumerate(spread)], spread)
    assert wide.fpr == narrow.fpr == 0.1
    assert wide.design_effect is not None and wide.design_effect > 5
    assert wide.ci_high is not None and narrow.ci_high is not None and wide.ci_high > narrow.ci_high
    assert wide.rank_group is None and wide.why_not is not None and "10 companies" in wide.why_not


def test_models_that_can_be_told_apart_get_another_rank_group_and_close_ones_share_one() -> None:
    items = attested(80)
    scores = [score(row, "v/a-2026-01-01", flagged=n < 4) for n, row in enumerate(items)]
    scores += [score(row, "v/b-2026-01-01", flagged=n < 6) for n, row in enumerate(items)]
    scores += [score(row, "v/c-2026-01-01", flagged=n < 40) for n, row in enumerate(items)]
    groups = {row.model_id[2]: row.rank_group for row in headline_rows(collect_runs(scores, items, VERSION))}
    assert groups == {"a": 1, "b": 1, "c": 2}


def test_two_prompt_versions_are_ranked_apart() -> None:
    items = attested(80)
    scores = [score(row, "v/a-2026-01-01", flagged=n < 4) for n, row in enumerate(items)]
    scores += [score(row, "v/c-2026-01-01", flagged=n < 40, prompt_version="pv2") for n, row in enumerate(items)]
    assert [row.rank_group for row in headline_rows(collect_runs(scores, items, VERSION))] == [1, 1]


def test_a_baseline_stands_beside_the_ranking() -> None:
    items = [*attested(40), item("A-1", "A", gold_component="control_activities")]
    row = one([score(row, "baseline/always-clean") for row in items[:40]], items)
    assert row.kind == "baseline" and row.fpr == 0.0 and row.complete and row.rank_group is None


def test_status_is_preview_until_the_last_item_is_reviewed() -> None:
    done = [row.model_copy(update={"review_status": "accepted"}) for row in attested(30)]
    assert one([score(row, MODEL) for row in done], done).status == "release"
    last = [*done[:-1], done[-1].model_copy(update={"review_status": "pending"})]
    assert one([score(row, MODEL) for row in last], last).status == "preview"


def test_scores_of_another_dataset_version_are_left_out() -> None:
    items = attested(30)
    old = score(item("C-gone"), MODEL, dataset_version="0.0.9")
    assert one([old, *(score(row, MODEL) for row in items)], items).planned == 30


def test_a_score_of_an_unknown_item_is_refused_with_a_remedy() -> None:
    with pytest.raises(BenchError, match="labeled_items does not hold") as caught:
        collect_runs([score(item("C-gone"), MODEL)], attested(1), VERSION)
    assert caught.value.remedy


def test_an_item_scored_twice_in_one_run_is_refused() -> None:
    items = attested(1)
    with pytest.raises(BenchError, match="two scores"):
        collect_runs([score(items[0], MODEL)] * 2, items, VERSION)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["flag", "pass", *FAILURES]), min_size=30, max_size=60))
def test_the_rate_always_lies_between_its_bounds(ends: list[str]) -> None:
    items = attested(len(ends))
    scores = [
        score(row, MODEL, flagged=end == "flag", outcome="answered" if end in ("flag", "pass") else end)
        for row, end in zip(items, ends, strict=True)
    ]
    row = one(scores, items)
    assert row.n + row.failures == row.planned
    if row.fpr is not None:
        assert row.fpr_if_failures_pass is not None and row.fpr_if_failures_flag is not None
        assert row.fpr_if_failures_pass <= row.fpr <= row.fpr_if_failures_flag


def metrics_of(corpus: Corpus) -> dict[tuple[str, ...], MetricRow]:
    runs = corpus.runs()
    rows = metric_rows(runs, headline_rows(runs))
    return {(row.model_id, row.task, row.metric, row.split_by, row.split): row for row in rows}


def test_the_metric_of_the_headline_equals_the_headline(corpus: Corpus) -> None:
    rows = metrics_of(corpus)
    for head in headline_rows(corpus.runs()):
        metric = rows[head.model_id, "C", "false_positive_rate", "all", "all"]
        assert (metric.k, metric.n, metric.estimate) == (head.k, head.n, head.fpr)


def test_splits_that_partition_add_up_to_the_whole(corpus: Corpus) -> None:
    rows = metrics_of(corpus)
    for by in ("form", "issuer", "label_source", "review_status", "seasoning_tier"):
        parts = [row for key, row in rows.items() if key[:4] == (MODEL, "C", "false_positive_rate", by)]
        assert sum(row.n or 0 for row in parts) == 34 and sum(row.k or 0 for row in parts) == 3, by


def test_fenced_json_is_counted_apart_from_other_parse_failures(corpus: Corpus) -> None:
    rows = metrics_of(corpus)
    assert rows["vendor/gamma-2026-02-01", "C", "outcome", "outcome", "parse_fail/fenced"].k == 3


def test_pairs_need_both_halves_and_split_by_drafting_model(corpus: Corpus) -> None:
    rows = metrics_of(corpus)
    beta = "vendor/beta-2025-11-03"
    assert (rows[beta, "B", "pair_accuracy", "all", "all"].k, rows[beta, "B", "pair_accuracy", "all", "all"].n) == (
        3,
        4,
    )
    assert rows[beta, "B", "pair_accuracy", "drafted_by", "anthropic/claude"].n == 4
    assert rows[beta, "B", "pair_accuracy", "pair_kind", "null"].k == 1


def test_the_paraphrase_gap_is_paired_by_item(corpus: Corpus) -> None:
    gap = metrics_of(corpus)[MODEL, "C", "false_positive_rate_gap", "arm", "paraphrase"]
    assert gap.n == 4 and gap.estimate == pytest.approx(3 / 4)
    assert gap.note == (
        "verbatim less twin; only verbatim 3, only twin 0; exploratory, p 0.25 (0.4 after Benjamini-Hochberg over 16)"
    )
