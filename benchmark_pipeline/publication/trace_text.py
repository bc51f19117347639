"""A trace as lines for a terminal."""

from __future__ import annotations

from collections.abc import Iterator

from rich.text import Text

from .trace import HeadlineTrace, TracedItem

LONGEST_QUOTE = 400
"""Characters of a passage that are shown; the span names them all."""


def headline_lines(trace: HeadlineTrace, *, limit: int = 10) -> Iterator[Text]:
    """The headline, then the items behind it, false positives first.

    Args:
        trace: what to show.
        limit: items shown in full; the rest is counted.
    """
    head = trace.headline
    yield Text(f"{head['model_id']} (run {head['run_id']})", style="bold")
    versions = f"dataset {head['dataset_version']}, prompts {head['prompt_version']}, scoring {head['scoring_version']}"
    yield Text(f"  {versions}, {head['status']}")
    if head["fpr"] is None:
        yield Text("  no headline", style="yellow")
    else:
        interval = f" [{head['ci_low']:.1%}, {head['ci_high']:.1%}]" if head["ci_low"] is not None else ""
        yield Text(
            f"  false-positive rate {head['fpr']:.1%}{interval}: {head['k']} of {head['n']} attested clean items flagged, "
            f"{head['companies']} companies, {head['failures']} failures"
        )
    if head["why_not"]:
        yield Text(f"  {head['why_not']}", style="yellow")
    for item in trace.items[:limit]:
        yield Text("")
        yield from item_lines(item)
    if len(trace.items) > limit:
        yield Text("")
        yield Text(f"… and {len(trace.items) - limit} more items behind this number (view item_lineage lists them all)")


def item_lines(item: TracedItem) -> Iterator[Text]:
    """One item: gold, answers, source, decision step by step, passages with their spans."""
    title = Text(f"{item.item_id}  task {item.task}, {item.arm}", style="bold")
    if item.false_positive:
        title.append("  FALSE POSITIVE", style="bold red")
    yield title
    yield Text(f"  gold      {item.gold} ({item.label})")
    for model, outcome, content in item.answers:
        yield Text(f"  answer    {model}: {outcome} {_short(content, 160)}")
    yield Text(f"  {item.source.kind:<9} {item.source.name}")
    for label, value in item.source.facts:
        yield Text(f"              {label}: {value}")
    if item.decision:
        yield Text(f"  decision  {item.decision}")
        for step in item.steps:
            yield Text(f"              step {step.step}  {step.rule}: {step.outcome} ({step.saw})")
        yield Text(f"              evidence against it: {', '.join(item.evidence_ids) or 'none seen'}")
    for passage in item.passages:
        yield Text(f"  {passage.role}: characters {passage.start}-{passage.end} of {passage.document_sha256}")
        yield Text(f"              “{_short(passage.quote, LONGEST_QUOTE)}”", style="italic")


def _short(text: str, longest: int) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= longest else flat[: longest - 1] + "…"
