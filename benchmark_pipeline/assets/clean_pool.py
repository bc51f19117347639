"""Assets of the `clean_pool` stage: evidence against clean labels, and one decision a filing."""

from collections import Counter
from collections.abc import Sequence

import dagster as dg

from benchmark_pipeline import progress
from benchmark_pipeline.icfr.decision_order import DECISION_ORDER, RULE_VERSION
from benchmark_pipeline.icfr.evidence import EXTRACTOR_VERSION, find_evidence
from benchmark_pipeline.icfr.evidence_review import LOG_NAME, apply_reviews, unreviewed
from benchmark_pipeline.icfr.pool_assembly import annual_filings, decide, registrant_records, seasoned
from benchmark_pipeline.icfr.registrant_record import RegistrantRecord
from benchmark_pipeline.pools import CLEAN_POOL_WRITER
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import AppendLog, DocumentStore, Lake
from benchmark_pipeline.tables.clean_pool import CleanPoolRow, ContradictingEvidenceRow
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow, IcfrSectionRow, MaterialWeaknessRow
from benchmark_pipeline.tables.sources import EightK402Row, FilingIndexRow, RawFilingRow

from .common import logging_progress, record, table_asset, table_markdown
from .evidence_reader import StoredTexts
from .rejudging import listed_for, of_filings, of_registrants, plan, remember

EVIDENCE_INPUTS = (
    "filing_index", "raw_filings", "eight_k_402_index", "icfr_sections", "icfr_assertions", "material_weaknesses",
)  # fmt: skip
DECISION_INPUTS = (
    "filing_index", "raw_filings", "eight_k_402_index", "icfr_sections", "icfr_assertions", "contradicting_evidence",
)  # fmt: skip
AFTER_SNAPSHOT = """
    SELECT count(*) FROM filing_index WHERE role = 'annual' AND accession IS NOT NULL AND filed_date > $snapshot
    AND coalesce(reject_reason, 'none') IN ('none', 'missing_period', 'not_retrievable')
"""


def build(settings: Settings) -> list[dg.AssetsDefinition]:
    """The stage's assets for these settings."""

    @table_asset(
        "contradicting_evidence",
        deps=EVIDENCE_INPUTS,
        code_version=EXTRACTOR_VERSION,
        pool=CLEAN_POOL_WRITER,
    )
    def contradicting_evidence(
        context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake], documents: dg.ResourceParam[DocumentStore]
    ) -> None:
        todo = plan(
            lake, "contradicting_evidence", EVIDENCE_INPUTS, snapshot=settings.as_of, state=settings.judged_folder,
            rules=EXTRACTOR_VERSION,
        )  # fmt: skip
        rows: list[ContradictingEvidenceRow] = []
        if todo.unchanged:
            earlier = lake.read(ContradictingEvidenceRow, "contradicting_evidence")
            rows += unreviewed(row for row in earlier if row.cik in todo.unchanged)
        only = todo.changed if todo.unchanged else None
        records, index = _records(lake, settings, only)
        texts = _texts(lake, documents, index, only)
        with logging_progress(context):
            for done, cik in enumerate(records, start=1):
                rows += find_evidence(records[cik], texts, settings.as_of)
                progress.advance("registrants searched for evidence", done, len(records))
        reviewed = apply_reviews(rows, AppendLog(settings.review_log_folder / LOG_NAME).read())
        written = lake.write("contradicting_evidence", reviewed)
        remember(written.sha256, "contradicting_evidence", todo, settings.judged_folder)
        record(
            context,
            written,
            snapshot_date=str(settings.as_of),
            registrants_judged=len(todo.changed),
            registrants_unchanged=len(todo.unchanged),
            by_code=table_markdown(evidence_counts(reviewed)),
        )

    @table_asset(
        "clean_pool",
        deps=DECISION_INPUTS,
        code_version=RULE_VERSION,
        pool=CLEAN_POOL_WRITER,
    )
    def clean_pool(context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake]) -> None:
        todo = plan(
            lake, "clean_pool", DECISION_INPUTS, snapshot=settings.as_of, state=settings.judged_folder,
            rules=RULE_VERSION,
        )  # fmt: skip
        rows: list[CleanPoolRow] = []
        if todo.unchanged:
            earlier = lake.read(CleanPoolRow, "clean_pool")
            rows += [seasoned(row, settings.as_of) for row in earlier if row.cik in todo.unchanged]
        rows += _judged(lake, settings, todo.changed if todo.unchanged else None)
        rows.sort(key=lambda row: (row.accession, row.cik))
        written = lake.write("clean_pool", rows)
        remember(written.sha256, "clean_pool", todo, settings.judged_folder)
        ((late,),) = lake.query(AFTER_SNAPSHOT, {"snapshot": settings.as_of}, tables=["filing_index"])
        record(
            context,
            written,
            snapshot_date=str(settings.as_of),
            annual_filings_after_snapshot=late,
            registrants_judged=len(todo.changed),
            registrants_unchanged=len(todo.unchanged),
            **{str(decision): count for decision, count in Counter(row.decision for row in rows).items()},
            by_decision=table_markdown(decision_counts(rows)),
            funnel=table_markdown(funnel(rows)),
            by_tier=table_markdown(tier_counts(rows)),
        )

    return [contradicting_evidence, clean_pool]


def _records(
    lake: Lake, settings: Settings, only: Sequence[str] | None
) -> tuple[dict[str, RegistrantRecord], list[FilingIndexRow]]:
    """Records of these registrants (or of all), and the index rows that they hold."""
    own = of_registrants(only) if only is not None else None
    index = lake.read(FilingIndexRow, "filing_index", where=listed_for(only) if only is not None else None)
    records = registrant_records(
        lake.read(IcfrAssertionRow, "icfr_assertions", where=own),
        index,
        lake.read(EightK402Row, "eight_k_402_index", where=own),
        lake.read(MaterialWeaknessRow, "material_weaknesses", where=own),
        snapshot=settings.as_of,
    )
    # A co-registrant's record would hold only what it shares with these.
    wanted = records.keys() if only is None else set(only)
    return {cik: record for cik, record in records.items() if cik in wanted}, index


def _texts(
    lake: Lake, documents: DocumentStore, index: Sequence[FilingIndexRow], only: Sequence[str] | None
) -> StoredTexts:
    own = of_registrants(only) if only is not None else None
    filed = of_filings([], _accessions(index)) if only is not None else None
    return StoredTexts(
        lake.read(RawFilingRow, "raw_filings", where=filed),
        lake.read(IcfrSectionRow, "icfr_sections", where=own),
        documents,
    )


def _judged(lake: Lake, settings: Settings, only: Sequence[str] | None) -> list[CleanPoolRow]:
    """Decisions on the filings of these registrants, or of all."""
    index = lake.read(FilingIndexRow, "filing_index", where=listed_for(only) if only is not None else None)
    filed = of_filings(only, _accessions(index)) if only is not None else None
    own = of_registrants(only) if only is not None else None
    assertions = lake.read(IcfrAssertionRow, "icfr_assertions", where=filed)
    sections = [
        row.model_copy(update={"text": None}) for row in lake.read(IcfrSectionRow, "icfr_sections", where=filed)
    ]
    raw = lake.read(RawFilingRow, "raw_filings", where=filed)
    filings = annual_filings(index, assertions, sections, raw, snapshot=settings.as_of)
    notices = lake.read(EightK402Row, "eight_k_402_index", where=own)
    records = registrant_records(assertions, index, notices, snapshot=settings.as_of)
    evidence = lake.read(ContradictingEvidenceRow, "contradicting_evidence", where=own)
    wanted = None if only is None else set(only)
    return list(decide(
        [filing for filing in filings if wanted is None or filing.cik in wanted], evidence, records, settings.as_of
    ))  # fmt: skip


def _accessions(index: Sequence[FilingIndexRow]) -> list[str]:
    return sorted({row.accession for row in index if row.accession})


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
