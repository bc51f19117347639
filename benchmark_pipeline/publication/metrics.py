"""Every number of the report, as rows: one measure of one run on one split.

Pure: the same scores and items give the same rows at any time.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from benchmark_pipeline.tables.evaluation import ModelResponseRow, ScoreRow
from benchmark_pipeline.tables.items import TASKS, ItemRow
from benchmark_pipeline.tables.publication import HeadlineRow, MetricRow

from . import metrics_derived
from .measures import MEASURES, Measure, answered_outcomes, splits
from .metric_builder import Cell, MetricBuilder
from .results import Result, collect_runs


def metric_rows(
    scores: Iterable[ScoreRow],
    items: Iterable[ItemRow],
    responses: Iterable[ModelResponseRow],
    headline: Sequence[HeadlineRow],
    dataset_version: str,
) -> list[MetricRow]:
    """All metrics of all runs on one dataset version.

    Args:
        scores: scored calls.
        items: the full item set with its twins.
        responses: the calls, for outcome details, tokens and cost.
        headline: headline rows of the same runs, which decide what is comparable.
        dataset_version: the version to compute; scores of others are left out.
    """
    calls = {response.request_key: response for response in responses}
    comparable = {
        (row.dataset_version, row.prompt_version, row.scoring_version, row.model_id, row.run_id): row.comparable
        for row in headline
    }
    rows: list[MetricRow] = []
    for run in collect_runs(scores, items, dataset_version):
        identity = run.identity
        key = (*identity.versions, identity.model_id, identity.run_id)
        rows += _RunMetrics(run, comparable[key]).rows(calls)
    return rows


class _RunMetrics(MetricBuilder):
    """All metric rows of one run."""

    def rows(self, calls: Mapping[str, ModelResponseRow]) -> list[MetricRow]:
        """All rows of the run."""
        rows: list[MetricRow] = []
        for measure in MEASURES:
            rows += self._measure(measure)
        for task in TASKS:
            rows += self._outcomes(task, calls)
        rows += metrics_derived.rows(self)
        rows += self._usage(calls)
        return rows

    def _measure(self, measure: Measure) -> list[MetricRow]:
        """One measure: on the items as filed by every split, and on each other arm as a split of its own."""
        cells: dict[tuple[str, str], list[Result]] = defaultdict(list)
        for result in self.run.results:
            item = result.item
            if item.task != measure.task or not measure.applies(item):
                continue
            cells["arm", item.arm].append(result)
            if item.arm == "verbatim":
                for split in splits(item):
                    cells[split].append(result)
        return [
            self.rate(Cell(measure.task, measure.name, by, value), answered_outcomes(measure, results), results)
            for (by, value), results in sorted(cells.items())
        ]

    def _outcomes(self, task: str, calls: Mapping[str, ModelResponseRow]) -> list[MetricRow]:
        """How the calls of a task ended: one row an outcome, by gold label too, since failures may hit one label more."""
        results = [result for result in self.run.results if result.item.task == task and result.item.arm == "verbatim"]
        if not results:
            return []
        rows = []
        labels = Counter(_outcome_label(result, calls) for result in results)
        for label, count in sorted(labels.items()):
            cell = Cell(task, "outcome", "outcome", label)
            rows.append(self.row(cell, results, estimate=count / len(results), k=count, n=len(results)))
        groups: dict[tuple[str, str], list[Result]] = defaultdict(list)
        for result in results:
            groups["all", "all"].append(result)
            if result.item.gold_icfr is not None:
                groups["gold", result.item.gold_icfr].append(result)
        for (by, split), members in sorted(groups.items()):
            judged = [(result, result.failed) for result in members if not result.missing]
            rows.append(self.rate(Cell(task, "failure_rate", by, split), judged, members))
        return rows

    def _usage(self, calls: Mapping[str, ModelResponseRow]) -> list[MetricRow]:
        """Tokens and cost over all calls of the run; a total is null when a call lacks the figure."""
        made = [calls[r.score.request_key] for r in self.run.results if r.score and r.score.request_key in calls]
        rows = []
        for metric in ("prompt_tokens", "completion_tokens", "cost_usd"):
            figures = [getattr(call, metric) for call in made]
            known = [float(figure) for figure in figures if figure is not None]
            complete = bool(known) and len(known) == len(figures)
            note = None if complete else f"known for {len(known)} of {len(figures)} calls"
            total = sum(known) if complete else None
            rows.append(self.row(Cell("all", metric), self.run.results, estimate=total, n=len(known), note=note))
        return rows


def _outcome_label(result: Result, calls: Mapping[str, ModelResponseRow]) -> str:
    """The outcome; fenced JSON is counted apart, so that a reader sees what salvaging would have bought."""
    call = calls.get(result.score.request_key) if result.score else None
    fenced = result.outcome == "parse_fail" and call is not None and call.outcome_detail == "fenced"
    return "parse_fail/fenced" if fenced else result.outcome
