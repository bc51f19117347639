"""Checks of the `publication` stage. Blocking: nothing is published from a headline that breaks one of them."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing

import dagster as dg
import duckdb

from benchmark_pipeline.assets.publication import release_contents
from benchmark_pipeline.checks.words import in_words
from benchmark_pipeline.publication.changes import compare
from benchmark_pipeline.publication.published import earlier_releases
from benchmark_pipeline.publication.release_gate import GATE, WARNINGS
from benchmark_pipeline.publication.results import status_of
from benchmark_pipeline.publication.warehouse import literal, write_ahead_log
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.storage.engine import session
from benchmark_pipeline.tables import TABLES
from benchmark_pipeline.tables.items import ItemRow
from benchmark_pipeline.tables.publication import HeadlineRow, MetricRow, PublishedFileRow

SHOWN = 10
"""Examples listed in a check's metadata."""


def build(settings: Settings) -> list[dg.AssetChecksDefinition]:
    """The stage's checks for these settings."""

    @dg.asset_check(asset="headline_false_positive_rate", blocking=True)
    def every_headline_has_its_own_identity(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Dataset, prompt and scoring version, model and run occur once."""
        return _result(repeated_identities(lake.read(HeadlineRow, "headline_false_positive_rate")))

    @dg.asset_check(asset="headline_false_positive_rate", blocking=True)
    def counts_and_intervals_fit_together(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Flagged, answered and planned are in order, the rate lies in its interval and between its bounds, and what is withheld says why."""
        return _result(inconsistent_counts(lake.read(HeadlineRow, "headline_false_positive_rate")))

    @dg.asset_check(asset="headline_false_positive_rate", blocking=True)
    def preview_is_stated_while_an_item_is_unreviewed(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """No number is called a release while an item waits for its human decision."""
        status = status_of(lake.read(ItemRow, "labeled_items"))
        rows = lake.read(HeadlineRow, "headline_false_positive_rate")
        return _result([f"{row.model_id}: {row.status} instead of {status}" for row in rows if row.status != status])

    @dg.asset_check(asset="headline_false_positive_rate", blocking=True)
    def headline_equals_an_independent_count_in_sql(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Counted again from the lake's files in SQL, without the code that made the table."""
        return _result(differing_headlines(lake, settings.dataset_version))

    @dg.asset_check(asset="metrics", blocking=True)
    def every_metric_has_its_own_identity_and_k_at_most_n(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """A measure of a run on a split occurs once, with no more successes than trials, and between the bounds of its failures."""
        return _result(inconsistent_metrics(lake.read(MetricRow, "metrics")))

    @dg.asset_check(asset="warehouse", blocking=True)
    def warehouse_opens_and_holds_every_table(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """The published file opens read-only, has no log beside it, and each table has as many rows as the lake."""
        return _result(missing_from_warehouse(lake, settings))

    @dg.asset_check(asset="report", blocking=True)
    def report_needs_no_network_and_states_its_status(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """The page loads nothing, and says that it is a preview where it is one."""
        page = settings.report_path.read_text(encoding="utf-8")
        return _result(report_problems(page, status_of(lake.read(ItemRow, "labeled_items"))))

    @dg.asset_check(asset="dataset_release", blocking=True)
    def release_files_match_their_checksums(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Every file of the newest folder is listed in SHA256SUMS and has that hash."""
        rows = lake.read(PublishedFileRow, "dataset_release")
        return _result([problem for row in rows for problem in checksum_problems(settings, row)])

    # One step for all rules: each alone would read the same tables again.
    @dg.multi_asset_check(
        name="release_gate",
        specs=[
            *(dg.AssetCheckSpec(rule.name, asset="dataset_release", blocking=True, description=_GATE_SAYS) for rule in GATE),
            *(dg.AssetCheckSpec(rule.name, asset="dataset_release", description=_WARNING_SAYS) for rule in WARNINGS),
        ],
    )  # fmt: skip
    def release_gate(lake: dg.ResourceParam[Lake]) -> Iterator[dg.AssetCheckResult]:
        yield from gate_results(settings, lake)

    @dg.asset_check(asset="dataset_release", blocking=True)
    def a_version_that_was_cut_keeps_its_items(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Results are known by dataset version: once it is cut, other items or labels need another version."""
        return _result(moved_since_cut(settings, lake))

    return [
        release_gate,
        a_version_that_was_cut_keeps_its_items,
        every_headline_has_its_own_identity,
        counts_and_intervals_fit_together,
        preview_is_stated_while_an_item_is_unreviewed,
        headline_equals_an_independent_count_in_sql,
        every_metric_has_its_own_identity_and_k_at_most_n,
        warehouse_opens_and_holds_every_table,
        report_needs_no_network_and_states_its_status,
        release_files_match_their_checksums,
    ]


_GATE_SAYS = (
    "A rule of the release gate. Broken, it blocks a release and is a warning on a preview, which says so by name."
)


_WARNING_SAYS = "What a reader of the results should know; it stops no release."


def gate_results(settings: Settings, lake: Lake) -> Iterator[dg.AssetCheckResult]:
    """Each rule on the rows of the newest folder, with every offender."""
    given = release_contents(settings, lake)[0].gate_input
    rows = lake.read(PublishedFileRow, "dataset_release")
    preview = not any(row.status == "release" and row.dataset_version == settings.dataset_version for row in rows)
    for rule in (*GATE, *WARNINGS):
        offenders = rule.offenders(given)
        warns = preview or rule in WARNINGS
        yield dg.AssetCheckResult(
            passed=not offenders,
            asset_key="dataset_release",
            check_name=rule.name,
            severity=dg.AssetCheckSeverity.WARN if warns else dg.AssetCheckSeverity.ERROR,
            metadata={"offenders": offenders, "found": len(offenders)},
        )


def moved_since_cut(settings: Settings, lake: Lake) -> list[str]:
    """Items of the present dataset version that its release does not hold as they are now."""
    now = release_contents(settings, lake)[0].published
    for release in earlier_releases(settings.releases_folder):
        if release.version == now.version:
            changes = compare(release, now)
            return [*changes.came, *changes.went, *changes.relabelled]
    return []


def repeated_identities(rows: Iterable[HeadlineRow]) -> list[str]:
    """Result identities that occur more than once."""
    key = TABLES["headline_false_positive_rate"].key
    found = Counter(tuple(getattr(row, name) for name in key) for row in rows)
    return [f"{' / '.join(identity)}: {count} rows" for identity, count in found.items() if count > 1]


def inconsistent_counts(rows: Iterable[HeadlineRow]) -> list[str]:
    """Rows whose numbers contradict one another."""
    problems = []
    for row in rows:
        if not 0 <= row.k <= row.n <= row.planned or row.failures > row.planned:
            problems.append(f"{row.model_id}: k {row.k}, n {row.n}, planned {row.planned}, failures {row.failures}")
        elif row.fpr is None:
            if row.why_not is None:
                problems.append(f"{row.model_id}: no headline and no reason")
        elif not row.complete or row.n + row.failures != row.planned or abs(row.fpr - row.k / row.n) > 1e-12:
            problems.append(
                f"{row.model_id}: rate {row.fpr} does not follow from {row.k} of {row.n}, planned {row.planned}"
            )
        elif not (row.fpr_if_failures_pass or 0) <= row.fpr <= (row.fpr_if_failures_flag or 0) + 1e-12:
            problems.append(f"{row.model_id}: the rate lies outside its bounds")
        elif row.ci_low is not None and row.ci_high is not None and not row.ci_low <= row.fpr <= row.ci_high:
            problems.append(f"{row.model_id}: the rate lies outside its interval")
        if row.rank_group is not None and (not row.comparable or row.kind == "baseline"):
            problems.append(f"{row.model_id}: ranked, though it is not comparable")
    return problems


def inconsistent_metrics(rows: Iterable[MetricRow]) -> list[str]:
    """Metrics that occur twice or count more successes than trials."""
    key = TABLES["metrics"].key
    listed = list(rows)
    found = Counter(tuple(getattr(row, name) for name in key) for row in listed)
    problems = [f"{' / '.join(identity)}: {count} rows" for identity, count in found.items() if count > 1]
    return (
        problems
        + [
            f"{row.model_id} {row.metric} {row.split_by}={row.split}: {row.k} of {row.n}"
            for row in listed
            if row.k is not None and row.n is not None and row.k > row.n
        ]
        + [
            f"{row.model_id} {row.metric} {row.split_by}={row.split}: {row.estimate} lies outside its bounds"
            for row in listed
            if row.k is not None
            and row.n
            and row.estimate == row.k / row.n
            and row.bound_low is not None
            and not row.bound_low - 1e-12 <= row.estimate <= (row.bound_high or 0) + 1e-12
        ]
    )


_RECOUNT = """
WITH asked AS (
    SELECT s.dataset_version, s.prompt_version, s.scoring_version, s.model_id, s.run_id,
        a.outcome, a.answer_icfr
    FROM read_parquet($scores) AS s
    JOIN read_parquet($items) AS i ON i.item_id = s.item_id
    JOIN read_parquet($answers) AS a
        ON a.request_key = s.request_key AND a.dataset_version = s.dataset_version
        AND a.prompt_version = s.prompt_version AND a.model_id = s.model_id AND a.run_id = s.run_id
    WHERE i.task = 'C' AND i.arm = 'verbatim' AND i.gold_icfr = 'clean' AND i.clean_rating = 'attested'
        AND s.dataset_version = $version
)
SELECT dataset_version, prompt_version, scoring_version, model_id, run_id,
    count(*) FILTER (WHERE outcome = 'answered' AND answer_icfr = 'deficient') AS k,
    count(*) FILTER (WHERE outcome = 'answered') AS n,
    count(*) FILTER (WHERE outcome NOT IN ('answered', 'transport_fail', 'not_run')) AS failures
FROM asked GROUP BY ALL
"""


def differing_headlines(lake: Lake, dataset_version: str) -> list[str]:
    """Headline rows that differ from a count over answers and items in SQL, and runs without a row.

    It reads the parsed answers, not the scores' own verdicts, so a mistake in scoring shows too.
    """
    table = {
        (*_identity(row),): (row.k, row.n, row.failures)
        for row in lake.read(HeadlineRow, "headline_false_positive_rate")
        if row.planned
    }
    parameters = {
        "scores": lake.files("scores"),
        "items": lake.files("labeled_items"),
        "answers": lake.files("parsed_answers"),
        "version": dataset_version,
    }
    with session() as connection:
        counted = {tuple(row[:5]): tuple(row[5:]) for row in connection.execute(_RECOUNT, parameters).fetchall()}
    return [
        f"{' / '.join(key)}: table {table.get(key)}, counted {counted.get(key)} (k, n, failures)"
        for key in sorted(set(table) | set(counted))
        if table.get(key, (0, 0, 0)) != counted.get(key, (0, 0, 0))
    ]


def _identity(row: HeadlineRow) -> tuple[str, str, str, str, str]:
    return row.dataset_version, row.prompt_version, row.scoring_version, row.model_id, row.run_id


def missing_from_warehouse(lake: Lake, settings: Settings) -> list[str]:
    """Tables whose row count in the published file differs from the lake's."""
    path = settings.warehouse_path
    problems = [f"{write_ahead_log(path)} exists"] if write_ahead_log(path).exists() else []
    published = {"warehouse", "report", "dataset_release"}  # these describe the publication itself and change after it
    with closing(duckdb.connect(str(path), read_only=True)) as connection:
        for table in TABLES:
            files = ", ".join(literal(file) for file in lake.files(table))
            query = f'SELECT (SELECT count(*) FROM "{table}"), ' + (
                f"(SELECT count(*) FROM read_parquet([{files}]))" if files else "0"
            )
            found = connection.execute(query).fetchone()
            if table not in published and (found is None or found[0] != found[1]):
                problems.append(f"{table}: (warehouse, lake) = {found}")
    return problems


def report_problems(page: str, status: str) -> list[str]:
    """What in a report's page would load something, or hides that it is a preview."""
    loaders = ("<script src", "<link ", "@import", "url(http", '<img src="http', "<iframe")
    problems = [f"the page holds {loader!r}" for loader in loaders if loader in page]
    if status == "preview" and "Preview" not in page:
        problems.append("the page does not say that it is a preview")
    return problems


def checksum_problems(settings: Settings, row: PublishedFileRow) -> list[str]:
    """Files of a release folder that are missing, unlisted or changed."""
    import hashlib

    folder = settings.folder / row.path
    sums = folder / "SHA256SUMS"
    if not sums.is_file() or hashlib.sha256(sums.read_bytes()).hexdigest() != row.sha256:
        return [f"{sums} is missing or changed"]
    listed = {name: digest for digest, name in (line.split("  ", 1) for line in sums.read_text().splitlines())}
    present = {p.relative_to(folder).as_posix(): p for p in folder.rglob("*") if p.is_file() and p != sums}
    problems = [
        f"{name} is {'missing' if name in listed else 'not listed'}" for name in sorted(set(listed) ^ set(present))
    ]
    return problems + [
        f"{name} has changed"
        for name, path in present.items()
        if name in listed and hashlib.sha256(path.read_bytes()).hexdigest() != listed[name]
    ]


def _result(problems: Sequence[str]) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        passed=not problems,
        description=in_words(problems),
        metadata={"problems": len(problems), "examples": list(problems[:SHOWN])},
    )
