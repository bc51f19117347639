"""What the report shows, read from the warehouse. Results are kept apart by prompt and scoring version."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import duckdb

from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.items.agreement import agreement_by_task
from benchmark_pipeline.tables.base import Row, stored_values
from benchmark_pipeline.tables.items import ItemReviewRow, ItemRow

Record = Mapping[str, Any]
R = TypeVar("R", bound=Row)


@dataclass(frozen=True)
class ResultSet:
    """The runs that may stand in one table: equal dataset, prompt and scoring version."""

    prompt_version: str
    scoring_version: str
    headline: Sequence[Record]
    """Headline rows: models by rate, then baselines."""
    metrics: Mapping[tuple[str, str, str, str, str], Record]
    """By (run key, task, metric, split by, split)."""
    confusion: Sequence[Record]
    """Gold against answer, counted."""
    false_positives: Sequence[Record]
    manifest: Sequence[Record]
    """One row a run: parameters, returned models, dates, tokens, cost."""

    def head(self, row: Record) -> Record | None:
        """The headline row of the run that a row is about."""
        return next((head for head in self.headline if run_key(head) == run_key(row)), None)

    def repeated(self, row: Record) -> bool:
        """Whether the model of a row was run more than once, so that its id alone does not name the run."""
        return bool(sum(head["model_id"] == row["model_id"] for head in self.headline) > 1)

    @property
    def models(self) -> list[Record]:
        """Language models alone."""
        return [row for row in self.headline if row["kind"] == "model"]

    def splits(self, task: str, metric: str, by: str) -> list[str]:
        """Values of a split that any run has for a measure, sorted."""
        return sorted({key[4] for key in self.metrics if key[1:4] == (task, metric, by)})


@dataclass(frozen=True)
class ReportData:
    """Everything on the page."""

    dataset_version: str
    status: str
    items: Sequence[Record]
    """Counts of items by task, arm and population."""
    reviews: Mapping[str, int]
    """Items by review state."""
    label_sources: Mapping[str, int]
    drafted_by: Mapping[str, int]
    pool: Sequence[Record]
    """Filings by decision."""
    funnel: Sequence[Record]
    """Steps from filings to the items of the headline."""
    exclusions: Sequence[Record]
    """Excluded filings by reason."""
    readers: Sequence[Record]
    """Agreement of human readers, by task."""
    prompts: Sequence[Record]
    snapshot: Record
    """Snapshot date, rule version and number of filings."""
    sets: Sequence[ResultSet] = field(default_factory=list)


def run_key(row: Record) -> str:
    """One string for model and run, within one result set."""
    return f"{row['model_id']}\x1f{row['run_id']}"


def collect(connection: duckdb.DuckDBPyConnection, dataset_version: str) -> ReportData:
    """Reads the page's data.

    Raises:
        BenchError: the warehouse holds no item, or items of another dataset version.
    """

    def rows(sql: str, *values: Any) -> list[dict[str, Any]]:
        cursor = connection.execute(sql, list(values))
        names = [column[0] for column in cursor.description or []]
        return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

    def stored(model: type[R], sql: str) -> list[R]:
        return [model.model_validate(stored_values(row)) for row in rows(sql)]

    def counts(column: str) -> dict[str, int]:
        sql = f"SELECT coalesce({column}, 'not drafted') AS name, count(*) AS items FROM labeled_items GROUP BY 1 ORDER BY 1"
        return {row["name"]: row["items"] for row in rows(sql)}

    [held] = rows("SELECT dataset_version FROM dataset")
    if held["dataset_version"] != dataset_version:
        raise BenchError(
            f"the warehouse holds the items of dataset {held['dataset_version']}, not of {dataset_version}",
            remedy="materialize labeled_items, scores, metrics and the warehouse for this dataset version",
        )
    reviews = counts("review_status")
    if not reviews:
        raise BenchError("the warehouse holds no item", remedy="materialize labeled_items, then the warehouse")
    open_states = sum(count for state, count in reviews.items() if state not in ("accepted", "changed"))
    headline = rows(
        "SELECT * FROM headline WHERE dataset_version = $1 "
        "ORDER BY kind DESC, comparable AND fpr IS NOT NULL DESC, fpr, model_id, run_id",
        dataset_version,
    )
    versions = sorted({(row["prompt_version"], row["scoring_version"]) for row in headline}, reverse=True)
    snapshot = rows(
        "SELECT max(snapshot_date) AS snapshot_date, max(rule_version) AS rule_version, count(*) AS filings, "
        "count(DISTINCT cik) AS registrants, min(fiscal_year) AS first_year, max(fiscal_year) AS last_year FROM clean_pool"
    )[0]
    return ReportData(
        dataset_version=dataset_version,
        status="preview" if open_states else "release",
        items=rows("SELECT task, arm, population, count(*) AS items, count(DISTINCT company_key) AS clusters "
                   "FROM labeled_items GROUP BY ALL ORDER BY task, arm DESC, population"),
        reviews=reviews,
        label_sources=counts("label_source"),
        drafted_by=counts("drafted_by"),
        pool=rows("SELECT decision, count(*) AS filings, count(DISTINCT cik) AS registrants FROM clean_pool "
                  "GROUP BY 1 ORDER BY filings DESC, decision"),
        funnel=rows("SELECT * FROM item_funnel WHERE filings > 0 ORDER BY step, filings DESC, reason"),
        exclusions=rows("SELECT reason, count(*) AS filings FROM clean_pool WHERE decision = 'excluded' "
                        "GROUP BY 1 ORDER BY filings DESC, reason"),
        readers=[
            found.as_row()
            for found in agreement_by_task(
                stored(ItemReviewRow, "SELECT * FROM item_reviews ORDER BY decided_at, decision_id"),
                stored(ItemRow, "SELECT * FROM candidate_items WHERE reject_reason IS NULL "
                       "AND item_id IN (SELECT item_id FROM item_reviews) ORDER BY item_id"),
            )
            if found.agreement.units
        ],
        prompts=rows("SELECT task, prompt_version, sha256 FROM prompt_templates ORDER BY prompt_version, task"),
        snapshot=snapshot,
        sets=[
            ResultSet(
                prompt_version=prompt,
                scoring_version=scoring,
                headline=[r for r in headline if (r["prompt_version"], r["scoring_version"]) == (prompt, scoring)],
                metrics={
                    (run_key(row), row["task"], row["metric"], row["split_by"], row["split"]): row
                    for row in rows("SELECT * FROM metrics WHERE dataset_version = $1 AND prompt_version = $2 "
                                    "AND scoring_version = $3", dataset_version, prompt, scoring)
                },
                confusion=rows("SELECT * FROM confusion WHERE dataset_version = $1 AND prompt_version = $2 "
                               "AND scoring_version = $3", dataset_version, prompt, scoring),
                false_positives=rows(
                    "SELECT f.*, p.trace AS decision_trace FROM false_positives AS f "
                    "LEFT JOIN clean_pool AS p USING (accession, cik) "
                    "WHERE f.dataset_version = $1 AND f.prompt_version = $2 AND f.scoring_version = $3 "
                    "AND NOT starts_with(f.model_id, 'baseline/') ORDER BY f.model_id, f.run_id, f.item_id",
                    dataset_version, prompt, scoring,
                ),
                manifest=rows(
                    "SELECT model_id, run_id, count(*) AS calls, min(started_at) AS first_call, "
                    "max(finished_at) AS last_call, string_agg(DISTINCT returned_model, ', ') AS returned, "
                    "any_value(parameters) AS parameters, string_agg(DISTINCT schema_enforcement, ', ') AS enforcement, "
                    "sum(prompt_tokens) AS prompt_tokens, sum(completion_tokens) AS completion_tokens, "
                    "CASE WHEN count(cost_usd) = count(*) THEN sum(cost_usd) END AS cost_usd "
                    "FROM model_responses WHERE dataset_version = $1 AND prompt_version = $2 GROUP BY ALL "
                    "ORDER BY model_id, run_id", dataset_version, prompt,
                ),
            )
            for prompt, scoring in versions
        ],
    )  # fmt: skip
