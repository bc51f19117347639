"""Which registrants and filings the benchmark looks at, decided from EDGAR's lists alone.

The universe is every registrant with an annual report of one of the fiscal years built. Of such a registrant, the annual
reports are what may become items, and every other filing that may contradict one is kept beside them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from benchmark_pipeline.tables.sources import FilingIndexRow, FilingRole, IndexReject

from .accession import submitter_cik
from .fiscal_year import ANNUAL_AMENDMENTS, ANNUAL_FORMS, fiscal_year_of, partition_fiscal_year
from .indexes import IndexLine, MalformedLine
from .submissions import SubmissionFiling, UnreadableFiling

_SUCCESSIONS = frozenset(f"{form}{suffix}" for form in ("8-K12B", "8-K12G3", "8-K15D5") for suffix in ("", "/A"))
"""Current reports of a successor issuer (Exchange Act Rules 12g-3 and 15d-5)."""
_CURRENT_REPORTS = frozenset({"8-K", "8-K/A"} | _SUCCESSIONS)
_ENDS_OF_REPORTING = ("15-12B", "15-12G", "15-15D", "15F-12B", "15F-12G", "15F-15D", "REVOKED")
"""Form 15 by the rule that permits it (12g-4, 15d-6, 12h-6), and an order under Exchange Act section 12(j)."""
_OTHER_FORMS: dict[str, FilingRole] = {
    **dict.fromkeys(ANNUAL_FORMS, "annual"),
    **dict.fromkeys(ANNUAL_AMENDMENTS, "amendment"),
    **dict.fromkeys(("10-Q", "10-Q/A", "10-QT", "10-QT/A"), "quarterly"),
    **dict.fromkeys(("NT 10-K", "NT 10-K/A", "NT 20-F", "NT 20-F/A"), "late_notice"),
    **dict.fromkeys(("6-K", "6-K/A"), "foreign_report"),
    **dict.fromkeys(_ENDS_OF_REPORTING, "reporting_ended"),
}
NON_RELIANCE_ITEM = "4.02"
AUDITOR_CHANGE_ITEM = "4.01"
ITEM_NUMBERS_SINCE = date(2004, 8, 23)
"""Effective date of the present 8-K items (SEC release 33-8400); before, no item said non-reliance."""


def role_of(form: str, items: Iterable[str]) -> FilingRole | None:
    """Why a filing is of interest, from its exact form and item numbers; null where it is not."""
    if form in _CURRENT_REPORTS:
        tokens = set(items)
        if NON_RELIANCE_ITEM in tokens:
            return "item_402"
        if AUDITOR_CHANGE_ITEM in tokens:
            return "item_401"
        return "succession" if form in _SUCCESSIONS else None
    return _OTHER_FORMS.get(form)


def lacks_items(filing: SubmissionFiling) -> bool:
    """Whether the list gives no items for a current report that must have some: its header has to tell."""
    return filing.form in _CURRENT_REPORTS and not filing.items and filing.filed_date >= ITEM_NUMBERS_SINCE


def of_interest(filing: SubmissionFiling) -> bool:
    """Whether a filing has a role, or may have one once its header is read."""
    return role_of(filing.form, filing.items) is not None or lacks_items(filing)


@dataclass(frozen=True)
class ListSource:
    """The list that a row was read from."""

    url: str
    sha256: str | None


@dataclass
class IndexExtract:
    """What the quarterly indexes say about annual filers."""

    names: dict[str, str] = field(default_factory=dict)
    """CIK to name, of every registrant with an annual report."""
    annual: dict[tuple[str, str], tuple[IndexLine, ListSource]] = field(default_factory=dict)
    """Annual reports by (accession, CIK)."""
    filers: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """CIKs by accession, of every filing whose form may be of interest."""
    forms: dict[str, str] = field(default_factory=dict)
    """Form by accession, of the same filings."""
    filed: dict[str, date] = field(default_factory=dict)
    """Date filed by accession, of the same filings."""
    malformed: list[tuple[MalformedLine, date, ListSource]] = field(default_factory=list)
    """Lines that could not be read, with the first day of their quarter."""
    lines: int = 0
    """Rows read, all forms."""

    def add(
        self,
        lines: Iterable[IndexLine | MalformedLine],
        quarter: date,
        source: ListSource,
        as_of: date,
        *,
        universe: bool = True,
    ) -> None:
        """Takes in one index; what was filed after the snapshot date does not exist.

        Args:
            lines: rows of the index.
            quarter: its first day.
            source: where it came from.
            as_of: snapshot date.
            universe: whether annual reports in it make their filers part of the universe. An index read only to see who
                has filed since does not, and its bad lines are not this dataset's.
        """
        for line in lines:
            if isinstance(line, MalformedLine):
                if not universe:
                    continue
                self.malformed.append((line, quarter, source))
                continue
            self.lines += 1
            if line.filed_date > as_of or (line.form not in _OTHER_FORMS and line.form not in _CURRENT_REPORTS):
                continue
            self.filers[line.accession].add(line.cik)
            self.forms[line.accession] = line.form
            self.filed[line.accession] = line.filed_date
            if universe and line.form in ANNUAL_FORMS:
                self.names[line.cik] = line.company_name
                self.annual[line.accession, line.cik] = (line, source)

    def filed_by(self, ciks: Iterable[str]) -> dict[str, dict[str, date]]:
        """Of each registrant, what the indexes list that may be of interest: accession to date filed."""
        listed: dict[str, dict[str, date]] = {cik: {} for cik in ciks}
        for accession, filers in self.filers.items():
            for cik in filers:
                if cik in listed:
                    listed[cik][accession] = self.filed[accession]
        return listed


@dataclass(frozen=True)
class RegistrantFilings:
    """The filings of interest that the submissions of one registrant list, over all pages."""

    cik: str
    filings: Sequence[tuple[SubmissionFiling, ListSource]] = ()
    unreadable: Sequence[tuple[UnreadableFiling, ListSource]] = ()
    problem: IndexReject | None = None
    """Set where the list as a whole could not be used."""
    problem_detail: str = ""
    problem_source: ListSource | None = None


def filing_index_rows(
    index: IndexExtract, registrants: Iterable[RegistrantFilings], fiscal_years: Sequence[int], as_of: date
) -> list[FilingIndexRow]:
    """Rows of `filing_index` for all fiscal years built, one a filing, rejected lines included.

    Args:
        index: extract of all quarters in which annual reports of these years are filed.
        registrants: the submissions of every registrant in `index.names`.
        fiscal_years: the years built. A rejected line whose year is not known goes to the nearest of them.
        as_of: snapshot date.
    """
    years = set(fiscal_years)
    listed: dict[str, tuple[SubmissionFiling, ListSource]] = {}
    owners: dict[str, set[str]] = defaultdict(set)
    rows = [_malformed(line, quarter, source, fiscal_years) for line, quarter, source in index.malformed]
    unusable: dict[str, RegistrantFilings] = {}
    for registrant in registrants:
        if registrant.problem is not None:
            unusable[registrant.cik] = registrant
            continue
        rows += [_unreadable(registrant.cik, index, bad, source, fiscal_years) for bad, source in registrant.unreadable]
        own = [(filing, source) for filing, source in registrant.filings if filing.filed_date <= as_of]
        if not any(_fiscal_year(filing) in years and filing.form in ANNUAL_FORMS for filing, _ in own):
            continue
        for filing, source in own:
            if role_of(filing.form, filing.items) and _fiscal_year(filing) in years:
                listed.setdefault(filing.accession, (filing, source))
                owners[filing.accession].add(registrant.cik)
    for accession, (filing, source) in listed.items():
        rows.append(_row(filing, source, owners[accession] | index.filers.get(accession, set()), index))
    rows += _unlisted(index, listed, unusable, registrants_seen=owners, fiscal_years=fiscal_years)
    return sorted(rows, key=lambda row: (row.fiscal_year, row.accession or "~", row.cik or "", row.reject_detail or ""))


def _fiscal_year(filing: SubmissionFiling) -> int:
    return partition_fiscal_year(filing.form, filing.report_date, filing.filed_date)


def _found_in(source: ListSource) -> Literal["full_index", "daily_index", "submissions", "submissions_bulk"]:
    if "/daily-index/bulkdata/" in source.url:
        return "submissions_bulk"
    if "/daily-index/" in source.url:
        return "daily_index"
    return "full_index" if "/full-index/" in source.url else "submissions"


def order_registrants(accession: str, ciks: Iterable[str]) -> list[str]:
    """Co-registrants, first the one that transmitted the filing itself, then by CIK.

    EDGAR's lists do not say who is the parent; a registrant whose own CIK begins the accession number is the best sign.
    """
    return sorted(ciks, key=lambda cik: (cik != submitter_cik(accession), cik))


def _row(filing: SubmissionFiling, source: ListSource, ciks: set[str], index: IndexExtract) -> FilingIndexRow:
    ordered = order_registrants(filing.accession, ciks)
    role = role_of(filing.form, filing.items)
    no_period = role == "annual" and filing.report_date is None
    return FilingIndexRow(
        accession=filing.accession,
        cik=ordered[0],
        ciks=ordered,
        company_name=index.names.get(ordered[0], ""),
        form=filing.form,
        role=role,
        filed_date=filing.filed_date,
        accepted_at=filing.accepted_at,
        period_of_report=filing.report_date,
        fiscal_year=_fiscal_year(filing),
        items=list(filing.items),
        primary_document=filing.primary_document,
        size_bytes=filing.size_bytes,
        is_inline_xbrl=filing.is_inline_xbrl,
        discovered_via=_found_in(source),
        source_url=source.url,
        source_sha256=source.sha256,
        reject_reason="missing_period" if no_period else None,
        reject_detail="an annual report without a period of report" if no_period else None,
    )


def _rejected(
    reason: IndexReject,
    detail: str,
    source: ListSource,
    fiscal_year: int,
    *,
    line: IndexLine | None = None,
    cik: str | None = None,
    name: str = "",
) -> FilingIndexRow:
    return FilingIndexRow(
        accession=line.accession if line else None,
        cik=line.cik if line else cik,
        ciks=[line.cik] if line else [cik] if cik else [],
        company_name=line.company_name if line else name,
        form=line.form if line else "",
        role=role_of(line.form, ()) if line else None,
        filed_date=line.filed_date if line else None,
        accepted_at=None,
        period_of_report=None,
        fiscal_year=fiscal_year,
        items=[],
        primary_document=None,
        size_bytes=None,
        is_inline_xbrl=None,
        discovered_via=_found_in(source),
        source_url=source.url,
        source_sha256=source.sha256,
        reject_reason=reason,
        reject_detail=detail[:1000],
    )


def nearest_year(year: int, fiscal_years: Sequence[int]) -> int:
    """The built fiscal year nearest to this one, so that no rejected line falls out of the partitions."""
    return min(fiscal_years, key=lambda built: (abs(built - year), built))


def _malformed(line: MalformedLine, quarter: date, source: ListSource, years: Sequence[int]) -> FilingIndexRow:
    year = nearest_year(fiscal_year_of(quarter), years)
    detail = f"line {line.number}: {line.problem}: {line.text}"
    return _rejected("malformed_line", detail, source, year)


def _unreadable(
    cik: str, index: IndexExtract, bad: UnreadableFiling, source: ListSource, years: Sequence[int]
) -> FilingIndexRow:
    detail = f"{bad.accession_text}: {bad.problem}"
    name = index.names.get(cik, "")
    return _rejected("unknown_accession", detail, source, max(years), cik=cik, name=name)


def _unlisted(
    index: IndexExtract,
    listed: dict[str, tuple[SubmissionFiling, ListSource]],
    unusable: dict[str, RegistrantFilings],
    *,
    registrants_seen: dict[str, set[str]],
    fiscal_years: Sequence[int],
) -> list[FilingIndexRow]:
    """Annual reports of the index that no usable list of submissions carries."""
    rows, done = [], set(listed)
    for (accession, cik), (line, source) in sorted(index.annual.items()):
        registrant = unusable.get(cik)
        if registrant is None or accession in done or registrants_seen.get(accession):
            continue
        done.add(accession)
        year = nearest_year(fiscal_year_of(line.filed_date), fiscal_years)
        detail = f"{registrant.problem_source.url if registrant.problem_source else ''}: {registrant.problem_detail}"
        rows.append(_rejected(registrant.problem or "not_retrievable", detail, source, year, line=line))
    return rows


def missing_from_submissions(index: IndexExtract, registrants: Iterable[RegistrantFilings]) -> list[IndexLine]:
    """Annual reports that the index lists and their registrant's readable submissions do not: the lists disagree."""
    known = {(filing.accession, one.cik) for one in registrants for filing, _ in one.filings}
    usable = {one.cik for one in registrants if one.problem is None}
    return [line for key, (line, _) in sorted(index.annual.items()) if line.cik in usable and key not in known]


def filed_after_the_last_year(
    registrants: Iterable[RegistrantFilings], fiscal_years: Sequence[int], as_of: date
) -> int:
    """How many filings of the universe, filed by the snapshot date, belong to a fiscal year after the last one built."""
    years, last, count = set(fiscal_years), max(fiscal_years), 0
    for registrant in registrants:
        own = [filing for filing, _ in registrant.filings if filing.filed_date <= as_of]
        if any(filing.form in ANNUAL_FORMS and _fiscal_year(filing) in years for filing in own):
            count += sum(
                _fiscal_year(filing) > last and role_of(filing.form, filing.items) is not None for filing in own
            )
    return count
