"""`release build` and `release verify`."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console

from benchmark_pipeline.assets.items import evidence_answers, review_log
from benchmark_pipeline.assets.publication import published_release, release_contents
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.icfr.evidence_review import resolve_rows
from benchmark_pipeline.publication.release import build_holdout, build_release
from benchmark_pipeline.publication.verify import verify
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.clean_pool import ContradictingEvidenceRow
from benchmark_pipeline.tables.items import ItemReviewRow
from benchmark_pipeline.tables.publication import PublishedFileRow


def build(settings: Settings, console: Console, *, preview: bool) -> None:
    """Cuts the release of the settings' dataset version.

    Raises:
        BenchError: the gate is shut (the offenders are named), the release exists, or decisions wait to be applied.
    """
    lake = Lake(settings.storage_root)
    waiting = _not_applied(settings, lake)
    if waiting and not preview:
        raise BenchError(f"{waiting} of the review log are not applied yet", remedy="run `icfr-bench review apply`")
    contents, private = release_contents(settings, lake)
    built = build_release(contents, settings.releases_folder, preview=preview)
    for warning in built.warnings:
        console.print(f"note: {warning.problem}", markup=False)
    if private.items:
        console.print(f"held out: {build_holdout(private, settings.private_folder)}", markup=False)
    if not preview:
        earlier = [row for row in lake.read(PublishedFileRow, "dataset_release") if row.status == "release"]
        lake.write("dataset_release", [*earlier, published_release(settings, built)])
    console.print(f"{built.status}: {built.folder} ({built.files} files)", markup=False)
    for blocker in built.blockers:
        console.print(f"  not a release: {blocker}", markup=False)


def _not_applied(settings: Settings, lake: Lake) -> str:
    """What the review log says and the tables do not, in words; empty where they agree."""
    applied = {row.decision_id for row in lake.read(ItemReviewRow, "item_reviews")}
    decisions = sum(row.decision_id not in applied for row in review_log(settings).decisions)
    evidence = lake.read(ContradictingEvidenceRow, "contradicting_evidence")
    fresh = resolve_rows(evidence, evidence_answers(settings))
    answers = sum(old.resolution != new.resolution for old, new in zip(evidence, fresh, strict=True))
    said = [f"{decisions} decisions"] if decisions else []
    return " and ".join([*said, f"{answers} answers on evidence"] if answers else said)


def verify_folder(folder: Path, console: Console) -> bool:
    """Prints what was recomputed; False where anything disagrees."""
    results = verify(folder, datetime.now(UTC))
    for result in results:
        console.print(f"{'ok    ' if not result.problems else 'FAILED'} {result.name}: {result.says}", markup=False)
        for problem in result.problems[:20]:
            console.print(f"         {problem}", markup=False)
        if len(result.problems) > 20:
            console.print(f"         and {len(result.problems) - 20} more")
    return not any(result.problems for result in results)
