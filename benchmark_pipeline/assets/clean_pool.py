"""Assets of the `clean_pool` stage: evidence against clean labels, and one decision a filing."""

from collections import Counter
from collections.abc import Sequence

import dagster as dg

from benchmark_pipeline import progress
from benchmark_pipeline.icfr.decision_order import DECISION_ORDER, RULE_VERSION
from benchmark_pipeline.icfr.evidence import EXTRACTOR_VERSION, find_evidence
from benchmark_pipeline.icfr.evidence_review import LOG_NAME, apply_reviews
from benchmark_pipeline.icfr.pool_assembly import annual_filings, decide, registrant_records, usable
from benchmark_pipeline.icfr.registrant_record import RegistrantRecord
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import AppendLog, DocumentStore, Lake
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow, IcfrSectionRow, MaterialWeaknessRow
from benchmark_pipeline.tables.sources import EightK402Row, FilingIndexRow, RawFilingRow

from .common import logging_progress, record, table_asset, table_markdown
from .evidence_reader import StoredTexts


def build(settings: Settings) -> list[dg.AssetsDefinition]:
    """The stage's assets for these settings."""

    @table_asset(
        "contradicting_evidence",
        deps=("filing_index", "raw_filings", "eight_k_402_index", "icfr_sections", "icfr_assertions", "material_weaknesses"),
        code_version=EXTRACTOR_VERSION,
    )  # fmt: skip
    def contradicting_evidence(
        context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake], documents: dg.ResourceParam[DocumentStore]
    ) -> None:
        records = _records(lake, settings, with_weaknesses=True)
        texts = StoredTexts(
            lake.read(RawFilingRow, "raw_filings"), lake.read(IcfrSectionRow, "icfr_sections"), documents
        )
        rows: list[ContradictingEvidenceRow] = []
        with logging_progress(context):
            for done, cik in enumerate(records, start=1):
                rows += find_evidence(records[cik], texts, settings.as_of)
                progress.advance("registrants searched for evidence", done, len(records))
        reviewed = apply_reviews(rows, AppendLog(settings.review_log_folder / LOG_NAME).read())
        written = lake.write("contradicting_evidence", reviewed)
        record(
            context,
            written,
            snapshot_date=str(settings.as_of),
            registrants=len(records),
            by_code=table_markdown(evidence_counts(reviewed)),
        )

    @table_asset(
        "clean_pool",
        deps=("filing_index", "raw_filings", "eight_k_402_index", "icfr_sections", "icfr_assertions", "contradicting_evidence"),
        code_version=RULE_VERSION,
    )  # fmt: skip
    def clean_pool(context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake]) -> None:
        index = lake.read(FilingIndexRow, "filing_index")
        assertions = lake.read(IcfrAssertionRow, "icfr_assertions")
        sections = [row.model_copy(update={"text": None}) for row in lake.read(IcfrSectionRow, "icfr_sections")]
        filings = annual_filings(
            index, assertions, sections, lake.read(RawFilingRow, "raw_filings"), snapshot=settings.as_of
        )
        evidence = lake.read(ContradictingEvidenceRow, "contradicting_evidence")
        notices = lake.read(EightK402Row, "eight_k_402_index")
        records = registrant_records(assertions, index, notices, snapshot=settings.as_of)
        rows = list(decide(filings, evidence, records, settings.as_of))
        written = lake.write("clean_pool", rows)
        late = sum(
            row.role == "annual" and usable(row) and row.filed_date is not None and row.filed_date > settings.as_of
            for row in index
        )
        record(
            context,
            written,
            snapshot_date=str(settings.as_of),
            annual_filings_after_snapshot=late,
            by_decision=table_markdown(decision_counts(rows)),
            funnel=table_markdown(funnel(rows)),
            by_tier=table_markdown(tier_counts(rows)),
        )

    return [contradicting_evidence, clean_pool]


def _records(lake: Lake, settings: Settings, *, with_weaknesses: bool) -> dict[str, RegistrantRecord]:
    return registrant_records(
        lake.read(IcfrAssertionRow, "icfr_assertions"),
        lake.read(FilingIndexRow, "filing_index"),
        lake.read(EightK402Row, "eight_k_402_index"),
        lake.read(MaterialWeaknessRow, "material_weaknesses") if with_weaknesses else (),
        snapshot=settings.as_of,
    )


def evidence_counts(rows: Sequence[ContradictingEvidenceRow]) -> list[dict[str, object]]:
    """Rows and filings by code and strength."""
    counts = Counter((row.code, row.strength, row.match) for row in rows)
    return [
        {
            "code": code,
            "strength": strength,
            "match": match,
            "rows": count,
            "filings": len({(row.accession, row.cik) for row in rows if (row.code, row.strength, row.match) == (code, strength, match)}),
        }
        for (code, strength, match), count in sorted(counts.items(), key=lambda entry: (int(entry[0][0][1:]), entry[0]))
    ]  # fmt: skip


def decision_counts(rows: Sequence[CleanPoolRow]) -> list[dict[str, object]]:
    """Filings by decision and reason, the largest first."""
    counts = Counter((row.decision, row.reason or "") for row in rows)
    ordered = sorted(counts.items(), key=lambda entry: (-entry[1], entry[0]))
    return [{"decision": decision, "reason": reason, "filings": count} for (decision, reason), count in ordered]


def funnel(rows: Sequence[CleanPoolRow]) -> list[dict[str, object]]:
    """How many filings enter each step of the decision order, how many it decides, and how many go on."""
    decided = Counter(row.decided_at_step for row in rows)
    entering, lines = len(rows), []
    for step, rule in enumerate(DECISION_ORDER):
        lines.append({"step": step, "rule": rule.__name__, "enter": entering, "decided here": decided[step], "go on": entering - decided[step]})  # fmt: skip
        entering -= decided[step]
    return lines


def tier_counts(rows: Sequence[CleanPoolRow]) -> list[dict[str, object]]:
    """Clean filings by seasoning tier."""
    counts = Counter((row.decision, row.seasoning_tier) for row in rows if row.decision.startswith("clean"))
    return [
        {"decision": decision, "tier": tier, "filings": count} for (decision, tier), count in sorted(counts.items())
    ]
