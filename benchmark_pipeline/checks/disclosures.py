"""Checks of the `disclosures` stage: nothing was dropped, and every fact stands where its span says."""

from collections import Counter
from collections.abc import Iterable, Sequence

import dagster as dg

from benchmark_pipeline.checks.words import in_words
from benchmark_pipeline.checks.years import years_of_run
from benchmark_pipeline.edgar.text import normalise
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore, Lake
from benchmark_pipeline.tables.base import Span
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow, IcfrSectionRow, MaterialWeaknessRow
from benchmark_pipeline.tables.sources import FilingIndexRow

SHOWN = 10
"""Examples listed in a check's metadata."""
LEAST_YIELD = 0.8
"""Share of a form's filings whose section is found or followed; 85 % was measured for the best of five extractors."""
SMALLEST_SAMPLE = 20
"""Below this many filings of a form a share says nothing about the extraction."""


def build(settings: Settings) -> list[dg.AssetChecksDefinition]:
    """The stage's checks for these settings."""

    @dg.asset_check(asset="icfr_sections", blocking=True)
    def every_annual_report_has_a_section_or_a_reason(
        context: dg.AssetCheckExecutionContext, lake: dg.ResourceParam[Lake]
    ) -> dg.AssetCheckResult:
        """Each annual filing of the index is in the table, with a text or with a reason, never with both."""
        years = years_of_run(context, lake, "icfr_sections")
        index = lake.read(FilingIndexRow, "filing_index", years)
        return _result(unanswered(index, lake.read(IcfrSectionRow, "icfr_sections", years)))

    @dg.asset_check(asset="icfr_sections", blocking=True)
    def every_section_reads_the_same_in_the_stored_document(
        context: dg.AssetCheckExecutionContext,
        lake: dg.ResourceParam[Lake],
        documents: dg.ResourceParam[DocumentStore],
    ) -> dg.AssetCheckResult:
        """The section's offsets give its text again, from the bytes in the store."""
        spans = [
            (f"section of {row.accession}", _section_span(row))
            for row in lake.read(IcfrSectionRow, "icfr_sections", years_of_run(context, lake, "icfr_sections"))
            if row.text is not None
        ]
        return _result(misplaced(spans, documents))

    @dg.asset_check(asset="icfr_sections")
    def the_yield_of_each_form_is_as_expected(lake: dg.ResourceParam[Lake]) -> dg.AssetCheckResult:
        """Warns where fewer sections of a form are found than extraction has reached before."""
        problems = low_yield(lake.read(IcfrSectionRow, "icfr_sections"))
        return _result(problems, severity=dg.AssetCheckSeverity.WARN)

    @dg.asset_check(asset="icfr_assertions", blocking=True)
    def every_registrant_with_a_section_has_one_assertion(
        context: dg.AssetCheckExecutionContext, lake: dg.ResourceParam[Lake]
    ) -> dg.AssetCheckResult:
        """Sections and assertions are the same filings of the same registrants, except where no period is stated."""
        years = years_of_run(context, lake, "icfr_assertions")
        sections = lake.read(IcfrSectionRow, "icfr_sections", years)
        return _result(unmatched(sections, lake.read(IcfrAssertionRow, "icfr_assertions", years)))

    @dg.asset_check(asset="icfr_assertions", blocking=True)
    def every_stated_fact_has_its_sentence(
        context: dg.AssetCheckExecutionContext,
        lake: dg.ResourceParam[Lake],
        documents: dg.ResourceParam[DocumentStore],
    ) -> dg.AssetCheckResult:
        """A conclusion or an opinion has a span, and the span's quote stands in the stored document."""
        rows = lake.read(IcfrAssertionRow, "icfr_assertions", years_of_run(context, lake, "icfr_assertions"))
        spans = [(f"{name} of {row.accession}", span) for row in rows for name, span in _spans(row)]
        return _result([*without_sentence(rows), *misplaced(spans, documents)])

    @dg.asset_check(asset="material_weaknesses", blocking=True)
    def every_weakness_belongs_to_a_deficient_report_and_is_located(
        context: dg.AssetCheckExecutionContext,
        lake: dg.ResourceParam[Lake],
        documents: dg.ResourceParam[DocumentStore],
    ) -> dg.AssetCheckResult:
        """No weakness without a report that states one; ordinals run from 1; the passage stands in the document."""
        years = years_of_run(context, lake, "material_weaknesses")
        rows = lake.read(MaterialWeaknessRow, "material_weaknesses", years)
        spans = [(f"weakness {row.weakness_id}", row.span) for row in rows]
        problems = [
            *orphaned(rows, lake.read(IcfrAssertionRow, "icfr_assertions", years)),
            *misplaced(spans, documents),
        ]
        return _result(problems)

    return [
        every_annual_report_has_a_section_or_a_reason,
        every_section_reads_the_same_in_the_stored_document,
        the_yield_of_each_form_is_as_expected,
        every_registrant_with_a_section_has_one_assertion,
        every_stated_fact_has_its_sentence,
        every_weakness_belongs_to_a_deficient_report_and_is_located,
    ]


def unanswered(index: Iterable[FilingIndexRow], sections: Sequence[IcfrSectionRow]) -> list[str]:
    """Annual filings without a row, and rows with both or neither of text and reason."""
    known = {row.accession for row in sections}
    problems = [
        f"{row.accession} has no section row"
        for row in index
        if row.role == "annual" and row.reject_reason is None and row.accession not in known
    ]
    problems += [
        f"{row.accession}: text and reject reason must exclude each other"
        for row in sections
        if (row.text is None) == (row.reject_reason is None)
    ]
    return problems


def misplaced(spans: Iterable[tuple[str, Span]], documents: DocumentStore) -> list[str]:
    """Spans whose quote is not what stands there. Each document is read once."""
    by_document: dict[str, list[tuple[str, Span]]] = {}
    for name, span in spans:
        by_document.setdefault(span.document_sha256, []).append((name, span))
    problems: list[str] = []
    for sha256, named in by_document.items():
        text = normalise(documents.get(sha256)).text
        problems += [
            f"{name}: characters {span.start} to {span.end} of {sha256[:12]} read otherwise"
            for name, span in named
            if text[span.start : span.end] != span.quote
        ]
    return problems


def low_yield(sections: Sequence[IcfrSectionRow]) -> list[str]:
    """Forms of which too few sections were found."""
    total = Counter(row.form for row in sections)
    found = Counter(row.form for row in sections if row.status != "rejected")
    return [
        f"{form}: {found[form]} of {count} sections found"
        for form, count in sorted(total.items())
        if count >= SMALLEST_SAMPLE and found[form] / count < LEAST_YIELD
    ]


def unmatched(sections: Iterable[IcfrSectionRow], assertions: Iterable[IcfrAssertionRow]) -> list[str]:
    """Keys that stand in one table only."""
    periods = {(row.accession, row.cik): row.period_end for row in sections}
    asserted = {(row.accession, row.cik) for row in assertions}
    problems = [f"{key[0]} of {key[1]} has no assertion" for key, end in periods.items() if end and key not in asserted]
    return problems + [f"{key[0]} of {key[1]} has no section row" for key in asserted if key not in periods]


def without_sentence(assertions: Iterable[IcfrAssertionRow]) -> list[str]:
    """Facts that are stated without a sentence to show for them."""
    problems: list[str] = []
    for row in assertions:
        if row.mgmt_conclusion in ("effective", "ineffective", "mixed") and row.mgmt_conclusion_span is None:
            problems.append(f"{row.accession}: conclusion {row.mgmt_conclusion} without a sentence")
        if (row.attest_opinion == "none") != (row.attest_opinion_span is None):
            problems.append(f"{row.accession}: opinion {row.attest_opinion} does not agree with its span")
        if row.mgmt_conclusion == "not_assessed" and row.not_assessed_span is None:
            problems.append(f"{row.accession}: not assessed, without a sentence")
    return problems


def orphaned(weaknesses: Iterable[MaterialWeaknessRow], assertions: Iterable[IcfrAssertionRow]) -> list[str]:
    """Weaknesses of reports that state none, and gaps in the ordinals."""
    deficient = {
        (row.accession, row.cik)
        for row in assertions
        if row.mgmt_conclusion in ("ineffective", "mixed") or row.attest_opinion == "adverse"
    }
    problems: list[str] = []
    ordinals: dict[tuple[str, str], list[int]] = {}
    for row in weaknesses:
        key = (row.accession, row.cik)
        ordinals.setdefault(key, []).append(row.ordinal)
        if key not in deficient:
            problems.append(f"{row.weakness_id}: the report states no weakness at year end")
    problems += [
        f"{key[0]} of {key[1]}: ordinals {sorted(found)}"
        for key, found in ordinals.items()
        if sorted(found) != list(range(1, len(found) + 1))
    ]
    return problems


def _section_span(row: IcfrSectionRow) -> Span:
    if row.document_sha256 is None or row.start is None or row.end is None or row.text is None:
        raise ValueError(f"{row.accession}: a section without document or offsets")
    return Span(document_sha256=row.document_sha256, start=row.start, end=row.end, quote=row.text)


def _spans(row: IcfrAssertionRow) -> list[tuple[str, Span]]:
    named = {
        "conclusion": row.mgmt_conclusion_span,
        "disclosure-controls conclusion": row.dcp_conclusion_span,
        "opinion": row.attest_opinion_span,
        "no-attestation statement": row.no_attestation_span,
        "no-assessment statement": row.not_assessed_span,
        "remediation statement": row.prior_mw_span,
    }
    return [(name, span) for name, span in named.items() if span is not None]


def _result(
    problems: Sequence[str], severity: dg.AssetCheckSeverity = dg.AssetCheckSeverity.ERROR
) -> dg.AssetCheckResult:
    return dg.AssetCheckResult(
        passed=not problems,
        severity=severity,
        description=in_words(problems),
        metadata={"problems": len(problems), "examples": "\n".join(problems[:SHOWN])},
    )
