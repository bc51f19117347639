"""What a real run would ask of EDGAR: requests, documents, hours at the permitted rate.

Two bases, and the estimate says which: `published_counts` needs no network and rests on published numbers of filers;
`indexes` counts what the quarterly indexes list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from .fiscal_year import ANNUAL_AMENDMENTS, ANNUAL_FORMS, index_quarters
from .universe import IndexExtract, role_of

ANNUAL_REPORTS_A_YEAR = 7_130
"""Management reports on ICFR for fiscal 2022: 1,740 adverse ones were 24.4 % of all (Audit Analytics)."""
DOMESTIC_FILERS = 5_976
"""Reporting domestic filers in 2024 (SEC release 33-11419); the others file 20-F or 40-F."""
NON_RELIANCE_A_YEAR = 360
"""More than 8,000 Item 4.02 events in the 22 years since August 2004."""
MEAN_REPORT_MB = 1.9
"""Mean size of an annual report's main document, uncompressed, over 172 filings of 1993 to 2025."""

OLDER_PAGE_SHARE = 0.25
AUDITOR_CHANGE_SHARE = 0.15
LATE_NOTICE_SHARE = 0.10
AMENDMENT_SHARE = 0.15
FOREIGN_REPORTS_EACH = 20
EXHIBITS_PER_FOREIGN_REPORT = 1.5
EXHIBIT_13_SHARE = 0.03
EXHIBITS_PER_40F = 8
_ALONE = ("quarterly", "late_notice", "succession", "reporting_ended")
"""Roles of filings of which one document is retrieved."""
_ASSUMED = (
    f"{OLDER_PAGE_SHARE:.0%} of registrants need one older page of submissions",
    f"{AUDITOR_CHANGE_SHARE:.0%} of registrants change their auditor in a year",
    f"{LATE_NOTICE_SHARE:.0%} of registrants file a late notice in a year",
    f"{AMENDMENT_SHARE:.0%} of annual reports are amended once",
    f"{FOREIGN_REPORTS_EACH} 6-Ks a foreign issuer and year, {EXHIBITS_PER_FOREIGN_REPORT} exhibits each",
    f"{EXHIBIT_13_SHARE:.0%} of 10-Ks have an Exhibit 13",
    f"{EXHIBITS_PER_40F} exhibits of a 40-F are read",
)


@dataclass(frozen=True)
class RunEstimate:
    """What a pull from nothing would take."""

    basis: Literal["published_counts", "indexes"]
    fiscal_years: tuple[int, ...]
    requests_a_second: float
    index_requests: int
    submissions_requests: int
    header_requests: int
    document_requests: int
    annual_reports: int
    gigabytes: float
    """Uncompressed main documents of annual reports."""
    assumptions: tuple[str, ...] = field(default=_ASSUMED)

    @property
    def requests(self) -> int:
        """All requests."""
        return self.index_requests + self.submissions_requests + self.header_requests + self.document_requests

    @property
    def hours(self) -> float:
        """Hours at the permitted rate, without pauses and retries."""
        return self.requests / self.requests_a_second / 3600


def estimate_from_published_counts(fiscal_years: Sequence[int], as_of: date, requests_a_second: float) -> RunEstimate:
    """An estimate without any request."""
    years = len(set(fiscal_years))
    counts = Counter(
        {
            "annual": ANNUAL_REPORTS_A_YEAR * years,
            "amendment": round(AMENDMENT_SHARE * ANNUAL_REPORTS_A_YEAR * years),
            "current": (NON_RELIANCE_A_YEAR + round(AUDITOR_CHANGE_SHARE * DOMESTIC_FILERS)) * years,
            "quarterly": 3 * DOMESTIC_FILERS * years,
            "late_notice": round(LATE_NOTICE_SHARE * ANNUAL_REPORTS_A_YEAR * years),
            "foreign_report": FOREIGN_REPORTS_EACH * (ANNUAL_REPORTS_A_YEAR - DOMESTIC_FILERS) * years,
        }
    )
    return _estimate(
        "published_counts", fiscal_years, as_of, requests_a_second,
        counts=counts, registrants=ANNUAL_REPORTS_A_YEAR, forty_f=0, assumptions=_ASSUMED,
    )  # fmt: skip


def estimate_from_index(
    index: IndexExtract, fiscal_years: Sequence[int], as_of: date, requests_a_second: float
) -> RunEstimate:
    """An estimate from the quarterly indexes; only items of 8-Ks and exhibits are still assumed.

    The indexes do not give periods, so filings next to the built years are counted in: the estimate errs upwards.
    """
    counts: Counter[str] = Counter()
    forty_f = 0
    for accession, form in index.forms.items():
        if not index.filers[accession] & index.names.keys():
            continue
        forty_f += form == "40-F"
        if form in ANNUAL_FORMS:
            counts["annual"] += 1
        elif form in ANNUAL_AMENDMENTS:
            counts["amendment"] += 1
        elif role := role_of(form, ()):
            counts[role] += 1
    years = len(set(fiscal_years))
    counts["current"] = (NON_RELIANCE_A_YEAR + round(AUDITOR_CHANGE_SHARE * len(index.names))) * years
    kept = tuple(_ASSUMED[number] for number in (0, 1, 4, 5))
    return _estimate(
        "indexes", fiscal_years, as_of, requests_a_second,
        counts=counts, registrants=len(index.names), forty_f=forty_f, assumptions=kept,
    )  # fmt: skip


def _estimate(
    basis: Literal["published_counts", "indexes"],
    fiscal_years: Sequence[int],
    as_of: date,
    rate: float,
    *,
    counts: Counter[str],
    registrants: int,
    forty_f: int,
    assumptions: tuple[str, ...],
) -> RunEstimate:
    quarters = {quarter for year in fiscal_years for quarter in index_quarters(year, as_of)}
    with_header = counts["annual"] + counts["amendment"] + counts["current"] + counts["foreign_report"]
    exhibits = (
        EXHIBITS_PER_FOREIGN_REPORT * counts["foreign_report"]
        + EXHIBIT_13_SHARE * counts["annual"]
        + EXHIBITS_PER_40F * forty_f
    )
    return RunEstimate(
        basis=basis,
        fiscal_years=tuple(sorted(set(fiscal_years))),
        requests_a_second=rate,
        index_requests=len(quarters),
        submissions_requests=round(registrants * (1 + OLDER_PAGE_SHARE)),
        header_requests=with_header,
        document_requests=with_header + sum(counts[role] for role in _ALONE) + round(exhibits),
        annual_reports=counts["annual"],
        gigabytes=round(counts["annual"] * MEAN_REPORT_MB / 1000, 1),
        assumptions=assumptions,
    )
