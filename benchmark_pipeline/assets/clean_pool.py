"""Assets of the `clean_pool` stage: evidence against clean labels, and one decision a filing."""

from collections import Counter
from collections.abc import Sequence
from datetime import date

import dagster as dg

from benchmark_pipeline import progress
from benchmark_pipeline.icfr.decision_order import DECISION_ORDER, RULE_VERSION
from benchmark_pipeline.icfr.evidence import EXTRACTOR_VERSION, find_evidence
from benchmark_pipeline.icfr.evidence_review import LOG_NAME, apply_reviews, unreviewed
from benchmark_pipeline.icfr.pool_assembly import decide, registrant_records
from benchmark_pipeline.icfr.registrant_record import RegistrantRecord
from benchmark_pipeline.icfr.strata import SEASONED_DAYS
from benchmark_pipeline.icfr.successions import Succession
from benchmark_pipeline.pools import CLEAN_POOL_WRITER
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import AppendLog, DocumentStore, Lake
from benchmark_pipeline.storage.lake import WrittenFile
from benchmark_pipeline.tables.clean_pool import ContradictingEvidenceRow
from benchmark_pipeline.tables.disclosures import IcfrSectionRow, MaterialWeaknessRow
from benchmark_pipeline.tables.sources import EightK402Row, FilingIndexRow, RawFilingRow

from .common import logging_progress, record, table_asset, table_markdown
from .evidence_reader import StoredTexts
from .pool_facts import filings_to_judge, report_facts, succession_links, surroundings, with_successors
from .rejudging import Rejudging, listed_for, of_filings, of_registrants, plan, remember

EVIDENCE_INPUTS = (
    "filing_index", "raw_filings", "eight_k_402_index", "icfr_sections", "icfr_assertions", "material_weaknesses",
)  # fmt: skip
DECISION_INPUTS = (
    "filing_index", "raw_filings", "eight_k_402_index", "icfr_sections", "icfr_assertions", "contradicting_evidence",
)  # fmt: skip
EVIDENCE_ROLES = ("amendment", "item_401", "quarterly", "late_notice")
"""Filings whose documents are read for evidence; annual reports and notices have tables of their own."""
MAY_HAVE_EVIDENCE = """
    SELECT cik FROM eight_k_402_index
    UNION SELECT cik FROM icfr_assertions WHERE mgmt_conclusion IN ('ineffective', 'mixed') OR attest_opinion = 'adverse'
        OR prior_mw_remediated OR error_correction_flag = 'true'
    UNION SELECT unnest(list_append(ciks, cik)) FROM filing_index WHERE role IN (SELECT unnest($roles))
"""
"""Registrants with a filing that may speak against a clean label; `may_tell` says the same of one report."""
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
        links = succession_links(lake, settings.as_of)
        todo = plan(
            lake, "contradicting_evidence", EVIDENCE_INPUTS, snapshot=settings.as_of, state=settings.judged_folder,
            rules=EXTRACTOR_VERSION, links=links,
        )  # fmt: skip
        rows: list[ContradictingEvidenceRow] = []
        if todo.unchanged:
            earlier = lake.read(ContradictingEvidenceRow, "contradicting_evidence")
            rows += unreviewed(row for row in earlier if row.cik in todo.unchanged)
        records, texts = _searched(lake, documents, settings, links, todo)
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
            registrants_searched=len(records),
            registrants_unchanged=len(todo.unchanged),
            registrants_succeeded=len({link.predecessor for link in links}),
            by_code=table_markdown(evidence_counts(reviewed)),
        )

    @table_asset(
        "clean_pool",
        deps=DECISION_INPUTS,
        code_version=RULE_VERSION,
        pool=CLEAN_POOL_WRITER,
    )
    def clean_pool(context: dg.AssetExecutionContext, lake: dg.ResourceParam[Lake]) -> None:
        links = succession_links(lake, settings.as_of)
        todo = plan(
            lake, "clean_pool", DECISION_INPUTS, snapshot=settings.as_of, state=settings.judged_folder,
            rules=RULE_VERSION, links=links,
        )  # fmt: skip
        written = _write_decisions(lake, settings.as_of, links, todo)
        remember(written.sha256, "clean_pool", todo, settings.judged_folder)
        counts = decision_counts(lake)
        ((late,),) = lake.query(AFTER_SNAPSHOT, {"snapshot": settings.as_of}, tables=["filing_index"])
        record(
            context,
            written,
            snapshot_date=str(settings.as_of),
            annual_filings_after_snapshot=late,
            registrants_judged=len(todo.changed),
            registrants_unchanged=len(todo.unchanged),
            **decisions(counts),
            by_decision=table_markdown(counts),
            funnel=table_markdown(funnel(lake)),
            by_tier=table_markdown(tier_counts(lake)),
        )

    return [contradicting_evidence, clean_pool]


def _searched(
    lake: Lake, documents: DocumentStore, settings: Settings, links: Sequence[Succession], todo: Rejudging
) -> tuple[dict[str, RegistrantRecord], StoredTexts]:
    """Records of the changed registrants that may have evidence against them, and the texts that it is read from."""
    may_have = {cik for (cik,) in lake.query(
        MAY_HAVE_EVIDENCE, {"roles": list(EVIDENCE_ROLES)}, tables=["eight_k_402_index", "icfr_assertions", "filing_index"]
    )}  # fmt: skip
    may_have |= {link.predecessor for link in links}
    wanted = [cik for cik in todo.changed if cik in may_have]
    read = with_successors(wanted, links)
    own = of_registrants(read)
    condition, parameters = listed_for(read)
    index = lake.read(
        FilingIndexRow, "filing_index",
        where=(f"({condition}) AND role IN (SELECT unnest($roles))", {**parameters, "roles": list(EVIDENCE_ROLES)}),
    )  # fmt: skip
    facts = report_facts(lake, settings.as_of, read)
    records = registrant_records(
        facts, index, lake.read(EightK402Row, "eight_k_402_index", where=own),
        lake.read(MaterialWeaknessRow, "material_weaknesses", where=own), snapshot=settings.as_of, links=links,
    )  # fmt: skip
    filed = of_filings([], sorted({row.accession for row in index if row.accession}))
    texts = StoredTexts(
        lake.read(RawFilingRow, "raw_filings", where=filed),
        lake.read(IcfrSectionRow, "icfr_sections", where=own),
        documents,
    )
    return {cik: records[cik] for cik in wanted if cik in records}, texts


def _write_decisions(lake: Lake, snapshot: date, links: Sequence[Succession], todo: Rejudging) -> WrittenFile:
    """Judges the changed registrants' filings; the rows of the others stay in the file, seasoned to the snapshot date."""
    only = todo.changed if todo.unchanged else None
    read = with_successors(only, links) if only is not None else None
    facts = report_facts(lake, snapshot, read)
    around = surroundings(lake, facts, links, snapshot, read)
    own = facts if only is None else [row for row in facts if row.cik in set(only)]
    filings = filings_to_judge(lake, own, snapshot, only)
    evidence = lake.read(ContradictingEvidenceRow, "contradicting_evidence", where=of_registrants(only) if only is not None else None)  # fmt: skip
    rows = decide(filings, evidence, around, snapshot)
    if only is None:
        return lake.write("clean_pool", rows)
    present = {cik for (cik,) in lake.query("SELECT DISTINCT cik FROM clean_pool", {}, tables=["clean_pool"])}
    return lake.revise(
        "clean_pool", rows, of=sorted({*only, *(present - todo.unchanged)}), recomputed=_seasoned(snapshot)
    )


def _seasoned(snapshot: date) -> str:
    """Columns of a decision whose inputs are unchanged, on another snapshot date: only its seasoning moves."""
    day = f"DATE '{snapshot.isoformat()}'"
    days = f"seasoning_days + date_diff('day', snapshot_date, {day})"
    return (
        f"{days} AS seasoning_days, {day} AS snapshot_date, CASE WHEN followup = 'second_annual_seen' OR {days} >= "
        f"{SEASONED_DAYS} THEN 'S2' WHEN followup = 'next_annual_seen' THEN 'S1' ELSE 'S0' END AS seasoning_tier"
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


def decision_counts(lake: Lake) -> list[dict[str, object]]:
    """Filings by decision and reason, the largest first."""
    counted = lake.query(
        "SELECT decision, coalesce(reason, ''), count(*) FROM clean_pool GROUP BY ALL ORDER BY 3 DESC, 1, 2", {},
        tables=["clean_pool"],
    )  # fmt: skip
    return [{"decision": decision, "reason": reason, "filings": count} for decision, reason, count in counted]


def decisions(counts: Sequence[dict[str, object]]) -> dict[str, int]:
    """Filings by decision alone, as numbers that the UI plots over time."""
    found: Counter[str] = Counter()
    for line in counts:
        found[str(line["decision"])] += int(str(line["filings"]))
    return dict(found)


def funnel(lake: Lake) -> list[dict[str, object]]:
    """How many filings enter each step of the decision order, how many it decides, and how many go on."""
    decided = Counter(dict(lake.query(
        "SELECT decided_at_step, count(*) FROM clean_pool GROUP BY ALL", {}, tables=["clean_pool"]
    )))  # fmt: skip
    entering, lines = decided.total(), []
    for step, rule in enumerate(DECISION_ORDER):
        lines.append({"step": step, "rule": rule.__name__, "enter": entering, "decided here": decided[step], "go on": entering - decided[step]})  # fmt: skip
        entering -= decided[step]
    return lines


def tier_counts(lake: Lake) -> list[dict[str, object]]:
    """Clean filings by seasoning tier."""
    counted = lake.query(
        "SELECT decision, seasoning_tier, count(*) FROM clean_pool WHERE decision LIKE 'clean%' GROUP BY ALL ORDER BY 1, 2",
        {}, tables=["clean_pool"],
    )  # fmt: skip
    return [{"decision": decision, "tier": tier, "filings": count} for decision, tier, count in counted]
