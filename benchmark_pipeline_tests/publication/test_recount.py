"""Numbers of the report counted a second time, in SQL over the lake's answers, by none of the code that made them."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest
from published_corpus import VERSION, Corpus

from benchmark_pipeline.publication.headline import headline_rows
from benchmark_pipeline.publication.load_runs import load_runs
from benchmark_pipeline.publication.metrics import metric_rows
from benchmark_pipeline.publication.warehouse import open_warehouse
from benchmark_pipeline.storage import Lake

# Success and denominator of every rate over items, as SQL on `i` (item), `a` (parsed answer) and `s` (score).
# Task C is counted from the answers, so that a mistake in scoring shows too.
FLAGGED = "a.answer_icfr = 'deficient'"
DONE = "a.outcome = 'answered'"
RESULT = "a.outcome NOT IN ('transport_fail', 'not_run')"
RATES = {
    ("C", "false_positive_rate"): ("i.gold_icfr = 'clean' AND i.clean_rating = 'attested'", DONE, FLAGGED),
    ("C", "false_positive_rate_management_only"): (
        "i.gold_icfr = 'clean' AND i.clean_rating = 'management_only'", DONE, FLAGGED),
    ("C", "recall"): ("i.gold_icfr = 'deficient'", RESULT, FLAGGED),
    ("C", "accuracy"): ("true", RESULT, "a.answer_icfr = i.gold_icfr"),
    ("C", "failure_rate"): ("true", RESULT, f"NOT ({DONE})"),
    ("A", "failure_rate"): ("true", RESULT, f"NOT ({DONE})"),
    ("B", "failure_rate"): ("true", RESULT, f"NOT ({DONE})"),
    ("D", "failure_rate"): ("true", RESULT, f"NOT ({DONE})"),
    ("A", "component_primary"): ("true", RESULT, "s.component_correct"),
    ("A", "component_accepted"): ("true", RESULT, "s.component_accepted"),
    ("A", "severity"): ("i.gradient_bearing AND i.gold_severity IS NOT NULL", RESULT, "s.severity_correct"),
    ("B", "verdict"): ("true", RESULT, "s.correct"),
    ("B", "gap_type"): ("i.gold_effective = false", f"{DONE} AND s.gap_type_correct IS NOT NULL", "s.gap_type_correct"),
    ("B", "severity"): ("i.gold_severity IS NOT NULL", RESULT, "s.severity_correct"),
    ("D", "citation_accepted"): ("true", RESULT, "s.correct"),
    ("D", "citation_exact"): ("true", RESULT, "s.citation_exact"),
    ("D", "citation_hallucinated"): ("true", f"{DONE} AND s.citation_hallucinated IS NOT NULL", "s.citation_hallucinated"),
    ("D", "citation_abstained"): ("true", f"{DONE} AND s.citation_abstained IS NOT NULL", "s.citation_abstained"),
    ("D", "component_primary"): ("true", RESULT, "s.component_correct"),
    ("D", "evidence_exact"): ("true", RESULT, "s.evidence_exact"),
    ("D", "evidence_hit"): ("len(i.gold_evidence) > 0", RESULT, "s.evidence_hit"),
}  # fmt: skip
SPLITS = {
    "all": "'all'", "label_source": "label_source", "population": "population", "review_status": "review_status",
    "touches_itgc": "CASE WHEN touches_itgc THEN 'yes' ELSE 'no' END", "drafted_by": "drafted_by", "form": "form",
    "seasoning_tier": "seasoning_tier", "sic_division": "sic_division", "fiscal_year": "fiscal_year::VARCHAR",
    "pair_kind": "pair_kind", "issuer": "CASE WHEN form IN ('20-F', '40-F') THEN 'foreign' WHEN form IS NOT NULL THEN 'domestic' END",
    "arm": "i.arm", "stratum": "unnest(strata)", "gold": "gold_icfr",
    "jurisdiction": "jurisdiction",
}  # fmt: skip


Counts = dict[tuple[str, ...], tuple[int, int, int]]


@pytest.fixture(scope="module")
def counted(lake: Lake) -> Counts:
    return recount(lake)


def recount(lake: Lake) -> Counts:
    """(model, run, task, metric, split by, split) to (k, n, companies), over the files of the lake."""
    found: Counts = {}
    with duckdb.connect() as connection:
        for view, table in (("i", "labeled_items"), ("a", "parsed_answers"), ("s", "scores")):
            files = ", ".join(f"'{file}'" for file in lake.files(table))
            connection.execute(f"CREATE VIEW {view} AS SELECT * FROM read_parquet([{files}])")
        for (task, metric), (applies, counted, success) in RATES.items():
            for by, value in SPLITS.items():
                if (metric == "failure_rate" and by not in ("all", "gold")) or (
                    metric != "failure_rate" and by == "gold"
                ):
                    continue
                arm = "true" if by == "arm" else "i.arm = 'verbatim'"
                for row in connection.execute(
                    f"SELECT model_id, run_id, split, count(*) FILTER (WHERE counted AND success), "
                    f"count(*) FILTER (WHERE counted), count(DISTINCT company_key) FILTER (WHERE counted) FROM ("
                    f"SELECT a.model_id, a.run_id, i.company_key, {value} AS split, ({counted}) AS counted, "
                    f"coalesce({success}, false) AS success FROM i JOIN a USING (item_id) JOIN s USING (request_key) "
                    f"WHERE i.task = '{task}' AND {arm} AND ({applies}) AND s.dataset_version = '{VERSION}') "
                    f"WHERE split IS NOT NULL GROUP BY ALL"
                ).fetchall():  # fmt: skip
                    found[row[0], row[1], task, metric, by, row[2]] = (row[3], row[4], row[5])
    return found


def test_every_rate_of_the_metrics_equals_a_count_in_sql(counted: Counts, corpus: Corpus) -> None:
    runs = corpus.runs()
    rows = metric_rows(runs, headline_rows(runs))
    metrics = {
        (row.model_id, row.run_id, row.task, row.metric, row.split_by, row.split): (row.k, row.n, row.clusters)
        for row in rows
        if (row.task, row.metric) in RATES
    }
    assert len(metrics) > 500
    assert metrics == counted


def test_runs_read_in_sql_equal_runs_collected_from_rows(lake: Lake, corpus: Corpus) -> None:
    ours, theirs = corpus.runs(), load_runs(lake, VERSION)
    assert [run.identity for run in ours] == [run.identity for run in theirs]
    assert headline_rows(ours) == headline_rows(theirs)
    assert metric_rows(ours, headline_rows(ours)) == metric_rows(theirs, headline_rows(theirs))


def test_a_wrong_count_would_be_seen(counted: Counts) -> None:
    key = ("vendor/alpha-2026-01-15", "r1", "C", "false_positive_rate", "all", "all")
    assert counted[key] == (3, 34, 34)


def test_the_warehouse_gives_the_same_headline_as_the_lake(warehouse: Path, counted: Counts) -> None:
    with open_warehouse(warehouse) as connection:
        rows = connection.execute("SELECT model_id, run_id, k, n, companies FROM headline").fetchall()
    assert len(rows) == 4
    for model, run, k, n, companies in rows:
        assert counted[model, run, "C", "false_positive_rate", "all", "all"] == (k, n, companies)


@pytest.mark.parametrize("table", ["model_responses", "parsed_answers"])
def test_runs_without_responses_or_answers_are_still_counted(tmp_path: Path, table: str) -> None:
    corpus = Corpus()
    for number in range(1, 4):
        corpus.filing(number, "clean_attested")
    corpus.run("vendor/alpha-2026-01-15")
    lake = corpus.write(str(tmp_path))
    for file in lake.files(table):
        Path(file).unlink()
    (run,) = load_runs(lake, VERSION)
    assert int(run.answered.sum()) == 3
