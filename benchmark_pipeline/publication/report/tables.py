"""The report's tables of metrics: measures down, models across."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from .collect import Record, ResultSet, run_key
from .words import LABELS, name


@dataclass(frozen=True)
class Line:
    """One line of a table."""

    label: str
    cells: Sequence[Record | None]
    """One metric row a model; None where the model has none."""
    signed: bool = False
    """The value is a difference: its sign is printed."""
    plain: bool = False
    """The value is no share: it is printed with two decimals."""


@dataclass(frozen=True)
class MetricTable:
    """A table with a model a column."""

    title: str
    note: str
    lines: Sequence[Line]


def _line(results: ResultSet, label: str, task: str, metric: str, *split: str) -> Line:
    """The line of a measure on (split by, split), or on all items."""
    by, value = split or ("all", "all")
    cells = [results.metrics.get((run_key(row), task, metric, by, value)) for row in results.headline]
    return Line(label, cells, signed="_gap" in metric or metric.endswith("_rate_difference"),
                plain=metric in ("severity_quadratic_kappa", "severity_mean_distance"))  # fmt: skip


def _by(results: ResultSet, task: str, metric: str, by: str, prefix: str = "") -> list[Line]:
    return [
        _line(results, prefix + _value(by, split), task, metric, by, split)
        for split in results.splits(task, metric, by)
    ]


def _value(by: str, split: str) -> str:
    return LABELS.get(split, split.replace("_", " ") if by == "stratum" else split)


def clean_tables(results: ResultSet) -> list[MetricTable]:
    """Task C: checks of the headline, and where it comes from."""
    rate = "false_positive_rate"
    return _kept([
        MetricTable("Checks of the headline", "The same rate counted in other ways, and what a flag would be worth.", [
            _line(results, "False-positive rate, Korn-Graubard interval", "C", rate),
            _line(results, "Same, bootstrap over companies", "C", "false_positive_rate_bootstrap"),
            _line(results, "Each company weighs one", "C", "false_positive_rate_company_mean"),
            _line(results, "Recall on deficient items (failures are misses)", "C", "recall"),
            _line(results, "Macro-F1, clean and deficient", "C", "macro_f1"),
            _line(results, "Precision if 7.6 % are deficient", "C", "precision_at_prevalence", "prevalence", "7.6 %"),
            _line(results, "Precision if 24 % are deficient", "C", "precision_at_prevalence", "prevalence", "24 %"),
        ]),
        MetricTable("By seasoning of the filing", "S0: no later annual report has been read yet, so a contradiction may still come. "
                    "S1: the next one was read. S2: the second was read, or 900 days have passed.",
                    _by(results, "C", rate, "seasoning_tier")),
        MetricTable("By form, issuer and jurisdiction", "Foreign issuers file 20-F or 40-F under the same rules.",
                    [*_by(results, "C", rate, "form"), *_by(results, "C", rate, "issuer"),
                     *_by(results, "C", rate, "jurisdiction", "Jurisdiction ")]),
        MetricTable("By training cutoff", "A report whose year ended past a model's stated cutoff cannot have been read in training. "
                    f"Models that state no cutoff have no figure of their own.{_who_states(results)}", [
            *_by(results, "C", rate, "training_cutoff", "This model's own cutoff: "),
            *_by(results, "C", rate, "past_most_cutoffs", "Past the cutoff of most models here: "),
        ]),
        MetricTable("Hard strata", "Clean filings that read like deficient ones. Strata overlap.",
                    _by(results, "C", rate, "stratum")),
    ])  # fmt: skip


def _who_states(results: ResultSet) -> str:
    """Whose cutoffs the second figure rests on."""
    notes = {row["note"] for key, row in results.metrics.items() if key[3] == "past_most_cutoffs"}
    return f" Most models: {'; '.join(sorted(notes))}." if notes else ""


def other_task_tables(results: ResultSet) -> list[MetricTable]:
    """Tasks A, B and D; Single Audit findings apart from filings."""
    return _kept([
        MetricTable("Task A: component and severity", "Severity is scored only where the source could have stated another tier. "
                    "Single Audit findings concern federal award compliance and are reported apart.", [
            *_by(results, "A", "component_primary", "population", "Component, primary: "),
            *_by(results, "A", "component_accepted", "population", "Component, accepted set: "),
            *_by(results, "A", "severity", "population", "Severity: "),
            _line(results, "Severity, quadratic weighted kappa (−1 to 1)", "A", "severity_quadratic_kappa"),
            _line(results, "Severity, mean distance in tiers", "A", "severity_mean_distance"),
        ]),
        MetricTable("Task B: control design", "Authored scenarios, free of contamination by construction: the reasoning control group. "
                    "A pair counts when both halves are right; a constant answer scores 0 %, guessing 25 %.", [
            _line(results, "Verdict, single halves", "B", "verdict"),
            _line(results, "Pair accuracy, all pairs", "B", "pair_accuracy"),
            *_by(results, "B", "pair_accuracy", "pair_kind", "Pair accuracy: "),
            _line(results, "Only the control half right", "B", "pair_only_control_right"),
            _line(results, "Only the changed half right", "B", "pair_only_variant_right"),
            _line(results, "Kind of gap, where a gap was seen", "B", "gap_type"),
            _line(results, "Severity of the gap", "B", "severity"),
            _line(results, "Severity of the gap, quadratic weighted kappa (−1 to 1)", "B", "severity_quadratic_kappa"),
            _line(results, "Severity of the gap, mean distance in tiers", "B", "severity_mean_distance"),
            *_by(results, "B", "pair_accuracy", "drafted_by", "Pair accuracy, drafted by "),
        ]),
        MetricTable("Task D: grounded citation", "One COSO principle or AS 2201 paragraph with the words that call for it.", [
            _line(results, "Reference accepted", "D", "citation_accepted"),
            _line(results, "Reference is the primary one", "D", "citation_exact"),
            _line(results, "Reference does not exist (hallucinated)", "D", "citation_hallucinated"),
            _line(results, "Answered that none fits", "D", "citation_abstained"),
            _line(results, "Quoted words stand in the passage", "D", "evidence_exact"),
            _line(results, "Quoted words cover a marked span", "D", "evidence_hit"),
        ]),
    ])  # fmt: skip


def twin_tables(results: ResultSet) -> list[MetricTable]:
    """Verbatim less paraphrase, on the same items."""
    lines = []
    for task in "ABCD":
        for metric, label in (("accuracy_gap", "accuracy"), ("false_positive_rate_gap", "flags on clean items")):
            lines += [
                _line(results, f"Task {task}, {label}: verbatim less {LABELS.get(arm, arm)}", task, metric, "arm", arm)
                for arm in results.splits(task, metric, "arm")
            ]
            lines += [
                _line(
                    results, f"Task {task}, {label}: paraphrases drafted by {who}", task, metric, "paraphrased_by", who
                )
                for who in results.splits(task, metric, "paraphrased_by")
            ]
            lines += [
                _line(
                    results,
                    f"Task {task}, {label}: {side} the model's training cutoff",
                    task,
                    metric,
                    "training_cutoff",
                    side,
                )
                for side in results.splits(task, metric, "training_cutoff")
            ]
            change = metric.replace("_gap", "_gap_difference")
            lines.append(
                _line(
                    results,
                    f"Task {task}, {label}: gap before less gap past the cutoff (memory)",
                    task,
                    change,
                    "training_cutoff",
                    "before_less_past",
                )
            )
    for arm in results.splits("C", "accuracy", "arm"):
        lines.append(_line(results, f"Task C accuracy, {LABELS.get(arm, arm)}", "C", "accuracy", "arm", arm))
    return _kept([MetricTable("Verbatim against paraphrase", "In percentage points on the items answered in both wordings. A gap can be memory, "
                              "but also style or difficulty; one smaller than its interval is not seen, which is not the same as none.", lines)])  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """Two models on the same attested clean items."""

    first: str
    second: str
    metric: Record


def comparisons(results: ResultSet) -> list[Comparison]:
    """Every pair of comparable models, the first less the second."""
    return [
        Comparison(key[0].split("\x1f")[0], key[4].rsplit(" ", 1)[0], row)
        for key, row in sorted(results.metrics.items())
        if key[2] == "false_positive_rate_difference"
    ]


MAIN = (
    ("C", "false_positive_rate", "C: false positives, attested"),
    ("C", "false_positive_rate_management_only", "C: false positives, management-only"),
    ("C", "recall", "C: recall"),
    ("A", "component_accepted", "A: component accepted"),
    ("B", "verdict", "B: verdict"),
    ("D", "citation_accepted", "D: reference accepted"),
)


def label_tables(results: ResultSet) -> list[MetricTable]:
    """Every main measure by how its labels came about, who drafted them, and what they are about."""
    tables = []
    for by, title, note in (
        ("label_source", "By label source", "How the truth of an item was established."),
        ("drafted_by", "By drafting model", "A model that drafted items should not be judged on them unseen."),
        ("review_status", "By human review", "Items not yet accepted by a person are only a preview."),
        ("population", "By population", "Annual reports, Single Audit findings and scenarios are never pooled."),
        ("touches_itgc", "By IT general controls", "Whether the weakness or control is about IT general controls."),
    ):
        about = ", IT general controls" if by == "touches_itgc" else ""
        lines = [line for task, metric, label in MAIN for line in _by(results, task, metric, by, f"{label}{about}: ")]
        tables.append(MetricTable(title, note, lines))
    return _kept(tables)


def label_source_table(results: ResultSet) -> MetricTable | None:
    """Every number that is taken on items, by how the truth of these was established."""
    keys = sorted({key[1:3] for key in results.metrics if key[3] == "label_source"})
    lines = [
        line
        for task, metric in keys
        for line in _by(results, task, metric, "label_source", f"{task}: {name(metric)}, ")
    ]
    note = (
        "Precision at a prevalence follows from recall and the false-positive rate, and a comparison of two models from "
        "their rates: both are split with these."
    )
    return next(iter(_kept([MetricTable("Every measure by label source", note, lines)])), None)


def flagged(results: ResultSet) -> list[list[Record]]:
    """False positives of each run, in the order of the headline."""
    groups = [[row for row in results.false_positives if run_key(row) == run_key(head)] for head in results.headline]
    return [group for group in groups if group]


def cutoffs(results: ResultSet) -> list[tuple[Record, str]]:
    """Up to when the training data of each language model reach, and where that is stated."""
    found = [
        (row, results.metrics.get((run_key(row), "all", "training_cutoff", "all", "all"))) for row in results.models
    ]
    return [(row, str(metric["note"])) for row, metric in found if metric]


def outcome_table(results: ResultSet) -> list[tuple[str, list[Record | None]]]:
    """Calls by task and outcome: (label, metric row of each run)."""
    found = []
    for task in "ABCD":
        for split in results.splits(task, "outcome", "outcome"):
            line = _line(results, "", task, "outcome", "outcome", split)
            found.append((f"{task} {LABELS.get(split, split)}", list(line.cells)))
    return found


def _kept(tables: Sequence[MetricTable]) -> list[MetricTable]:
    """Tables with at least one figure, and of these only the lines with one."""
    kept = []
    for table in tables:
        lines = [line for line in table.lines if any(cell and cell["estimate"] is not None for cell in line.cells)]
        if lines:
            kept.append(MetricTable(table.title, table.note, lines))
    return kept
