"""Rows of the `publication` stage: metrics, the headline, and what was published."""

from __future__ import annotations

from typing import Literal

from .base import Row, Sha256, TableSpec, Utc

Status = Literal["release", "preview"]


class MetricRow(Row):
    """One number with its interval, for one result identity and one split."""

    dataset_version: str
    """Version of the dataset whose items were answered."""
    prompt_version: str
    """Version of the prompts that asked."""
    scoring_version: str
    """Version of the rules that scored, such as `sv1`."""
    model_id: str
    """Model, in full and dated."""
    run_id: str
    """Which of several runs of the same model on the same items."""
    task: str
    """A, B, C, D or `all`."""
    metric: str
    """Name of the measure."""
    split_by: str
    """What the items are split by: `all`, `clean_rating`, `label_source`, `form`, …"""
    split: str
    """Value of the split: `attested`, `10-K`, …"""
    estimate: float | None
    """The number; null where it is not defined."""
    ci_low: float | None
    """Lower end of the 95 % interval."""
    ci_high: float | None
    """Upper end."""
    ci_method: str | None
    """korn_graubard, clopper_pearson, cluster_bootstrap, …"""
    k: int | None
    """Successes."""
    n: int | None
    """Denominator: answered items."""
    planned: int
    """Calls planned in the split."""
    failures: int
    """Results without an answer."""
    bound_low: float | None
    """Lowest that the estimate can be, whatever the failed calls would have answered; null where failures do not enter."""
    bound_high: float | None
    """Highest that it can be."""
    clusters: int | None
    """Companies."""
    design_effect: float | None
    """Clustered over binomial variance."""
    note: str | None
    """What a reader must know."""
    status: Status
    """`preview` until every item is reviewed."""
    comparable: bool
    """False: more than 2 % failures on the headline items, or an incomplete run."""


class HeadlineRow(Row):
    """The false-positive rate on attested clean items of one model, and all that must be printed with it."""

    dataset_version: str
    """Version of the dataset whose items were answered."""
    prompt_version: str
    """Version of the prompts that asked."""
    scoring_version: str
    """Version of the rules that scored, such as `sv1`."""
    model_id: str
    """Model, in full and dated."""
    run_id: str
    """Which of several runs of the same model on the same items."""
    kind: Literal["model", "baseline"]
    """A language model, or a rule that stands beside it."""
    fpr: float | None
    """Flagged over answered; null where no headline may be printed."""
    ci_low: float | None
    """Korn-Graubard, clustered by company."""
    ci_high: float | None
    """Korn-Graubard, clustered by company."""
    k: int
    """Attested clean items flagged deficient."""
    n: int
    """Attested clean items answered."""
    planned: int
    """Attested clean items asked."""
    companies: int
    """Clusters."""
    design_effect: float | None
    """Clustered over binomial variance."""
    failures: int
    """Attested clean items without an answer."""
    failure_rate: float
    """Failures over planned."""
    fpr_if_failures_pass: float | None
    """Lower bound."""
    fpr_if_failures_flag: float | None
    """Upper bound."""
    management_only_fpr: float | None
    """The weaker measurement, beside it."""
    management_only_ci_low: float | None
    """Lower end."""
    management_only_ci_high: float | None
    """Upper end."""
    management_only_k: int
    """Flagged."""
    management_only_n: int
    """Answered."""
    recall: float | None
    """Deficient items flagged over deficient items asked: failures are misses."""
    recall_k: int
    """Deficient items flagged."""
    recall_n: int
    """Deficient items asked."""
    complete: bool
    """Every planned call has a result."""
    comparable: bool
    """Complete, and at most 2 % failures on these items."""
    rank_group: int | None
    """Models that cannot be told apart share a number; null where not comparable or a baseline."""
    why_not: str | None
    """Why there is no headline or no rank, in words."""
    status: Status
    """`preview` until every item is reviewed."""


class PublishedFileRow(Row):
    """One file that was published: the warehouse, the report or a release."""

    path: str
    """Path below the data folder."""
    kind: Literal["warehouse", "report", "dataset_release"]
    """What it is."""
    dataset_version: str
    """Dataset."""
    status: Status
    """preview or release."""
    sha256: Sha256
    """SHA-256 of the file, or of SHA256SUMS for a folder."""
    size_bytes: int
    """Size."""
    built_at: Utc
    """When."""


PUBLICATION = (
    TableSpec(
        "metrics", MetricRow, "publication", "none",
        ("dataset_version", "prompt_version", "scoring_version", "model_id", "run_id", "task", "metric", "split_by", "split"),
        "Every number of the report, with interval, counts and clusters.",
    ),
    TableSpec(
        "headline_false_positive_rate", HeadlineRow, "publication", "none",
        ("dataset_version", "prompt_version", "scoring_version", "model_id", "run_id"),
        "The headline: of the filings whose controls an auditor attested as effective, and that nothing contradicted since, the "
        "share that a model calls deficient; one row a model, with everything that must be printed with it.",
    ),
    TableSpec(
        "warehouse", PublishedFileRow, "publication", "none", ("path",),
        "The DuckDB warehouse, built whole from the lake and swapped in.",
    ),
    TableSpec(
        "report", PublishedFileRow, "publication", "none", ("path",),
        "The static HTML report, rendered from the warehouse alone.",
    ),
    TableSpec(
        "dataset_release", PublishedFileRow, "publication", "none", ("path",),
        "The versioned dataset folder; a preview until every item is reviewed.",
    ),
)  # fmt: skip
