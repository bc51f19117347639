"""What the decision order looks at, cut out of the lake by DuckDB: facts of reports, and what surrounds a registrant.

A pool of hundreds of thousands of filings is judged from a few columns. Whole rows are read only of registrants in whose
filings evidence may be found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from benchmark_pipeline.icfr.decision_order import AnnualFiling
from benchmark_pipeline.icfr.pool_assembly import annual_filings
from benchmark_pipeline.icfr.report_facts import ReportFacts
from benchmark_pipeline.icfr.successions import SUCCESSION_FORMS, Succession, SuccessionNotice, successions, successors
from benchmark_pipeline.icfr.surroundings import PERIODIC_ROLES, Surroundings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.disclosures import IcfrSectionRow
from benchmark_pipeline.tables.sources import EightK402Row, FilingIndexRow, RawFilingRow

from .rejudging import of_filings

_USABLE = """
    accession IS NOT NULL AND filed_date <= $snapshot
    AND coalesce(reject_reason, 'none') IN ('none', 'missing_period', 'not_retrievable')
"""
_FILERS = "unnest(list_distinct(list_filter(list_append(ciks, cik), lambda one: one IS NOT NULL)))"
_OF = "AND cik IN (SELECT unnest($only))"


def succession_links(lake: Lake, snapshot: date) -> list[Succession]:
    """Every predecessor and successor that the lists show."""
    tables = ["filing_index"]
    notices = lake.query(
        f"SELECT accession, filed_date, ciks FROM filing_index WHERE {_USABLE} AND form IN (SELECT unnest($forms))",
        {"snapshot": snapshot, "forms": list(SUCCESSION_FORMS)}, tables=tables,
    )  # fmt: skip
    if not notices:
        return []
    first = lake.query(
        f"SELECT cik, min(filed_date) FROM (SELECT {_FILERS} AS cik, filed_date FROM filing_index WHERE {_USABLE} "
        "AND role = 'annual') GROUP BY cik",
        {"snapshot": snapshot}, tables=tables,
    )  # fmt: skip
    return successions([SuccessionNotice(name, day, tuple(ciks)) for name, day, ciks in notices], dict(first))


def with_successors(ciks: Sequence[str], links: Sequence[Succession]) -> list[str]:
    """These registrants and those that took their places."""
    after = successors(links)
    return sorted({*ciks, *(link.successor for cik in ciks for link in after.get(cik, ()))})


def report_facts(lake: Lake, snapshot: date, only: Sequence[str] | None = None) -> list[ReportFacts]:
    """Facts of the annual reports of these registrants (or of all) up to the snapshot, by accession and registrant."""
    rows = lake.query(
        f"SELECT {', '.join(ReportFacts._fields)} FROM icfr_assertions WHERE filed_date <= $snapshot "
        f"{_OF if only is not None else ''} ORDER BY accession, cik",
        _parameters(snapshot, only), tables=["icfr_assertions"],
    )  # fmt: skip
    return [ReportFacts._make(row) for row in rows]


def filings_to_judge(
    lake: Lake, facts: Sequence[ReportFacts], snapshot: date, only: Sequence[str] | None = None
) -> list[AnnualFiling]:
    """Every annual filing of these registrants (or of all), read or not, by accession and registrant."""
    unread = [accession for (accession,) in lake.query(
        f"SELECT DISTINCT accession FROM filing_index WHERE {_USABLE} AND role = 'annual' AND cik IS NOT NULL "
        f"{_OF if only is not None else ''} AND accession NOT IN "
        "(SELECT accession FROM icfr_assertions WHERE filed_date <= $snapshot)",
        _parameters(snapshot, only), tables=["filing_index", "icfr_assertions"],
    )]  # fmt: skip
    rest: list[AnnualFiling] = []
    if unread:
        filed = of_filings([], unread)
        sections = [
            row.model_copy(update={"text": None}) for row in lake.read(IcfrSectionRow, "icfr_sections", where=filed)
        ]
        rest = annual_filings(
            lake.read(FilingIndexRow, "filing_index", where=filed), [], sections,
            lake.read(RawFilingRow, "raw_filings", where=filed), snapshot=snapshot,
        )  # fmt: skip
    return sorted([*map(AnnualFiling.of, facts), *rest], key=lambda filing: (filing.accession, filing.cik))


def surroundings(
    lake: Lake, facts: Sequence[ReportFacts], links: Sequence[Succession], snapshot: date,
    only: Sequence[str] | None = None,
) -> dict[str, Surroundings]:  # fmt: skip
    """What surrounds each of these registrants (or every one); `facts` and `only` hold their successors as well."""
    reports: Mapping[str, list[ReportFacts]] = defaultdict(list)
    for row in facts:
        reports[row.cik].append(row)
    notices: Mapping[str, list[EightK402Row]] = defaultdict(list)
    condition = f"filed_date <= $snapshot {_OF if only is not None else ''}", _parameters(snapshot, only)
    for notice in lake.read(EightK402Row, "eight_k_402_index", where=condition):
        notices[notice.cik].append(notice)
    listed = lake.query(
        f"""
        SELECT cik, list(DISTINCT form), max(filed_date) FILTER (role = 'quarterly'),
            max(filed_date) FILTER (role IN (SELECT unnest($periodic))),
            list((form, filed_date)) FILTER (role = 'reporting_ended')
        FROM (SELECT {_FILERS} AS cik, form, role, filed_date FROM filing_index WHERE {_USABLE})
        WHERE true {_OF if only is not None else ''} GROUP BY cik
        """,
        _parameters(snapshot, only) | {"periodic": list(PERIODIC_ROLES)}, tables=["filing_index"],
    )  # fmt: skip
    found = {
        cik: Surroundings(
            (), (), frozenset(forms), quarterly, periodic, tuple(sorted(tuple(one) for one in endings or ()))
        )
        for cik, forms, quarterly, periodic, endings in listed
    }
    whole = {
        cik: replace(
            found.get(cik, Surroundings()), reports=tuple(reports.get(cik, ())), notices=tuple(notices.get(cik, ()))
        )
        for cik in {*found, *reports, *notices}
    }
    for cik, chain in successors(links).items():
        later = [_from(whole[link.successor], link.since) for link in chain if link.successor in whole]
        if cik in whole:
            found[cik] = whole[cik].followed_by(later)
    return whole | {cik: found[cik] for cik in successors(links) if cik in whole}


def _from(around: Surroundings, since: date) -> Surroundings:
    return replace(
        around,
        reports=tuple(report for report in around.reports if report.filed_date >= since),
        notices=tuple(notice for notice in around.notices if notice.filed_date >= since),
        endings=tuple(ending for ending in around.endings if ending[1] >= since),
    )


def _parameters(snapshot: date, only: Sequence[str] | None) -> dict[str, Any]:
    return {"snapshot": snapshot} | ({"only": list(only)} if only is not None else {})
