"""The datasheet of a release (after Gebru et al. 2021, *Datasheets for Datasets*), filled from its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from benchmark_pipeline.items.agreement import agreement_by_task
from benchmark_pipeline.tables.items import ItemReviewRow, ItemRow


def datasheet(version: str, items: Sequence[ItemRow], decisions: Sequence[ItemReviewRow], canary: str) -> str:
    """The datasheet as Markdown."""
    populations = Counter(item.population for item in items)
    drafted = Counter(item.drafted_by or "nobody (filed text and filed label)" for item in items)
    readers = sorted({name for item in items for name in item.reviewed_by})
    agreement = [
        f"| {row.task} | {row.agreement.units} | {_number(row.agreement.raw)} | {_number(row.agreement.alpha)} "
        f"| {_number(row.agreement.ac1)} |"
        for row in agreement_by_task(decisions, items)
    ]
    return "\n".join([
        f"# Datasheet, version {version}", "",
        "## Motivation", "",
        "To measure how often a language model calls sound internal control over financial reporting (ICFR) deficient, "
        "and how well it names what is wrong where something is.", "",
        "## Composition", "",
        *(f"- {count} items from `{name}`" for name, count in sorted(populations.items())),
        *(f"- drafted by {name}: {count}" for name, count in sorted(drafted.items())), "",
        "Inputs are in `data/`, truth in `labels/`, decisions of readers in `reviews/`, decisions on filings with every "
        "step in `evidence/`, scores and the headline in `results/`.", "",
        "## Collection", "",
        "Annual reports, amendments and current reports from EDGAR; findings from the Federal Audit Clearinghouse; "
        "scenarios authored in minimal pairs. `inclusion_probability` states the seeded stratified selection.", "",
        "## Labelling", "",
        f"Readers: {', '.join(readers) or 'none yet'}. Tasks A, B and D need two readers, the second blind to the draft; "
        "Task C and paraphrases one. Agreement of readers:", "",
        "| Task | Read twice | Raw | Krippendorff's alpha | Gwet's AC1 |", "|---|---|---|---|---|", *agreement, "",
        "## Uses", "",
        "For evaluating models. Not audit evidence, not an assessment of any company's controls, not for training.", "",
        "## Distribution and maintenance", "",
        "CC-BY 4.0 for selection, spans, labels, paraphrases and scenarios; filing text is a public record whose words are "
        "the filer's. A release never changes; what later evidence contradicts is listed in `withdrawn.jsonl` of the next.", "",
        f"Canary: `{canary}`. It stands in the files and in no prompt.", "",
    ])  # fmt: skip


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
