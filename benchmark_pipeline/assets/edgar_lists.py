"""Reading EDGAR's lists: quarterly and daily indexes, and the submissions of every annual filer.

A refresh asks for little. Past quarters are final, the last two are asked conditionally, daily indexes fill the days that
the quarterly one does not cover yet, and a registrant's list is asked for again only when the indexes show a filing that
it lacks.
"""

import re
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

from benchmark_pipeline.edgar.bulk_archive import BadArchive, BulkArchive, Member
from benchmark_pipeline.edgar.filing_folder import parse_folder_index
from benchmark_pipeline.edgar.fiscal_year import Quarter, first_day, index_quarters, quarters_between
from benchmark_pipeline.edgar.indexes import (
    IndexLine,
    MalformedLine,
    daily_index_days,
    last_data_received,
    parse_master_index,
)
from benchmark_pipeline.edgar.submissions import InconsistentArrays, NotSubmissions, Submissions, parse_submissions
from benchmark_pipeline.edgar.universe import IndexExtract, ListSource, RegistrantFilings, of_interest
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.resources.download import Download
from benchmark_pipeline.resources.edgar import EdgarClient, Fetched, Wanted
from benchmark_pipeline.resources.edgar_answers import a_folder_listing, a_master_index, submissions_of
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.tables.sources import IndexReject

ARCHIVE_PATH = "/Archives/edgar/daily-index/bulkdata/submissions.zip"
WORTH_THE_ARCHIVE = 0.5
"""In bulk mode the archive is brought again when more than this share of registrants would have to be asked for."""
CORRECTED_WITHIN = timedelta(days=7)
"""EDGAR rebuilds its lists weekly: a list that lacks an older filing disagrees with the index and is not asked again."""
_MEMBER = re.compile(r"CIK(\d{10})(?:-submissions-\d{3,})?\.json", re.ASCII)
_EASTERN = ZoneInfo("America/New_York")
_SATURDAY = 5


@dataclass(frozen=True)
class Lists:
    """What EDGAR's lists say, before it is cut into fiscal years."""

    index: IndexExtract
    registrants: list[RegistrantFilings]
    missing_quarters: list[Quarter]
    daily_indexes: int = 0
    """Daily indexes read for days that no quarterly one covers."""
    asked_for: int = 0
    """Registrants whose lists had to be asked for one by one."""


def built_quarters(settings: Settings) -> list[Quarter]:
    """Quarters in which annual reports of the fiscal years built are filed."""
    return sorted({quarter for year in settings.fiscal_years for quarter in index_quarters(year, settings.as_of)})


def quarterly_index(quarter: Quarter) -> Wanted:
    """A quarter's index; EDGAR corrects it afterwards, and it is taken as final when the next quarter is over."""
    settled = quarter.following.last_day
    return Wanted("www", quarter.master_index_path, a_master_index, mutable=True, changed_until=settled)


def daily_listing(quarter: Quarter) -> Wanted:
    """The listing of a quarter's daily indexes."""
    path = quarter.daily_listing_path
    return Wanted("www", path, a_folder_listing, mutable=True, changed_until=quarter.last_day)


def read_lists(edgar: EdgarClient, settings: Settings) -> Lists:
    """Reads the indexes of all fiscal years built, then the submissions of every annual filer.

    All years are read whatever the partition: whether a 10-Q is of interest depends on an annual report of another year.

    Raises:
        BenchError: no index could be had at all.
    """
    quarters = built_quarters(settings)
    reader = _IndexReader(edgar, settings.as_of)
    reader.read(quarters, universe=True)
    if len(reader.missing) == len(quarters):
        raise BenchError(
            f"EDGAR has no quarterly index for fiscal years {settings.fiscal_years}",
            remedy="check ICFR_BENCH_FISCAL_YEARS and ICFR_BENCH_SNAPSHOT_DATE",
        )
    missing = list(reader.missing)
    ciks = sorted(reader.index.names)
    oldest = min((known.retrieved_at for cik in ciks if (known := edgar.known(_first(cik))) and known.retrieved_at), default=None)  # fmt: skip
    if oldest is not None:  # who has filed since stands in indexes that the years built may not reach
        later = quarters_between(oldest.date() - CORRECTED_WITHIN, settings.as_of)
        reader.read([quarter for quarter in later if quarter not in quarters], universe=False)
    registrants, asked_for = _Registrants(edgar, settings, reader.index).read(ciks)
    return Lists(reader.index, registrants, missing, reader.daily, asked_for)


@dataclass
class _IndexReader:
    edgar: EdgarClient
    as_of: date
    index: IndexExtract = field(default_factory=IndexExtract)
    missing: list[Quarter] = field(default_factory=list)
    """Quarters of which no index at all could be had."""
    daily: int = 0

    def read(self, quarters: Sequence[Quarter], *, universe: bool) -> None:
        answers = self.edgar.fetch([quarterly_index(quarter) for quarter in quarters], "quarterly indexes")
        for quarter, fetched in zip(quarters, answers, strict=True):
            if fetched.sha256 is None and fetched.problem != "not_found":
                raise BenchError(
                    f"the index {fetched.url} cannot be used: {fetched.problem} ({fetched.detail})",
                    remedy="run again later; without it filings would be lost without a trace",
                )
            covered = self._add(quarter, fetched, universe) if fetched.sha256 else None
            found = self._read_days(quarter, covered, universe)
            if fetched.sha256 is None and not found:
                self.missing.append(quarter)

    def _add(self, quarter: Quarter, fetched: Fetched, universe: bool) -> date | None:
        """The day up to which the index is complete; null for an empty one that does not say."""
        body = self.edgar.body(fetched)
        lines = list(parse_master_index(body))
        self._take(lines, quarter, fetched, universe)
        filed = [line.filed_date for line in lines if isinstance(line, IndexLine)]
        return last_data_received(body) or max(filed, default=None)

    def _take(
        self, lines: Sequence[IndexLine | MalformedLine], quarter: Quarter, fetched: Fetched, universe: bool
    ) -> None:
        source = ListSource(fetched.url, fetched.sha256)
        self.index.add(lines, quarter.first_day, source, self.as_of, universe=universe)

    def _read_days(self, quarter: Quarter, covered: date | None, universe: bool) -> int:
        """Daily indexes after the last day covered: all of them where there is no quarterly one."""
        last = min(quarter.last_day, self.as_of)
        if covered is not None and quarter.following.last_day < self.as_of:
            return 0  # a past quarter's index is whole, whatever day its header names
        after = covered or quarter.first_day - timedelta(days=1)
        if not any((after + timedelta(days=day)).weekday() < _SATURDAY for day in range(1, (last - after).days + 1)):
            return 0
        (listed,) = self.edgar.fetch(
            [daily_listing(quarter)], f"daily indexes of {quarter.year} quarter {quarter.number}"
        )
        if listed.sha256 is None:
            return 0
        names = [item.name for item in parse_folder_index(self.edgar.body(listed))]
        days = [day for day in daily_index_days(names) if after < day <= last]
        wanted = [Wanted("www", quarter.daily_index_path(day), a_master_index) for day in days]
        for fetched in self.edgar.fetch(wanted, f"daily indexes of {quarter.year} quarter {quarter.number}"):
            if fetched.sha256 is None:
                raise BenchError(
                    f"the daily index {fetched.url} is listed and cannot be had: {fetched.problem} ({fetched.detail})",
                    remedy="run again later; without it filings would be lost without a trace",
                )
            self._take(list(parse_master_index(self.edgar.body(fetched))), quarter, fetched, universe)
        self.daily += len(days)
        return len(days)


class _Page(NamedTuple):
    source: ListSource
    page: Submissions | None
    retrieved_at: datetime | None
    problem: str = ""
    inconsistent: bool = False


def _first(cik: str) -> Wanted:
    return Wanted("data", f"/submissions/CIK{cik}.json", submissions_of(cik), mutable=True)


def _older(name: str) -> Wanted:
    return Wanted("data", f"/submissions/{name}", submissions_of(None), mutable=True)


class _Registrants:
    """The lists of registrants, from what is known, from the archive, or asked for."""

    def __init__(self, edgar: EdgarClient, settings: Settings, index: IndexExtract) -> None:
        self._edgar = edgar
        self._bulk = settings.edgar_submissions == "bulk"
        self._since = first_day(min(settings.fiscal_years))
        self._listed = index.filed_by(index.names)

    def read(self, ciks: Sequence[str]) -> tuple[list[RegistrantFilings], int]:
        """The filings of each registrant, and how many had to be asked for one by one."""
        found: dict[str, RegistrantFilings] = {}
        self._settle(ciks, self._edgar.downloaded("www", ARCHIVE_PATH) if self._bulk else None, found)
        open_ciks = [cik for cik in ciks if cik not in found]
        if self._bulk and len(open_ciks) > WORTH_THE_ARCHIVE * len(ciks):
            archive = self._edgar.download("www", ARCHIVE_PATH, "archive of submissions")
            self._settle(open_ciks, archive, found)
            open_ciks = [cik for cik in ciks if cik not in found]
        self._ask(open_ciks, found)
        return [found[cik] for cik in ciks], len(open_ciks)

    def _settle(self, ciks: Sequence[str], archive: Download | None, found: dict[str, RegistrantFilings]) -> None:
        """Takes what is known, where the indexes show nothing that it lacks; of two copies the newer."""
        with ExitStack() as stack:
            packed = stack.enter_context(_PackedLists(archive, set(ciks))) if archive else None
            for cik in ciks:
                pages = self._known(cik)
                if packed is not None and (not pages or _retrieved(pages) < packed.download.retrieved_at):
                    pages = packed.pages(cik, self._since) or pages
                if pages and not self._lacks(cik, pages):
                    found[cik] = _registrant(cik, pages)

    def _known(self, cik: str) -> list[_Page]:
        """The pages as last retrieved; empty where one is not known, or was not what was asked."""
        answer = self._edgar.known(_first(cik))
        pages = [_read_page(self._edgar, answer)] if answer else []
        for older in pages[0].page.older_pages if pages and pages[0].page else ():
            if older.last >= self._since:
                further = self._edgar.known(_older(older.name))
                if further is None:
                    return []
                pages.append(_read_page(self._edgar, further))
        settled = all(page.page or page.inconsistent or page.problem.startswith("not_found") for page in pages)
        return pages if settled and all(page.retrieved_at for page in pages) else []

    def _lacks(self, cik: str, pages: Sequence[_Page]) -> bool:
        """Whether the indexes list a filing that the list, as retrieved, may have been too early to hold."""
        held = {filing.accession for page in pages if page.page for filing in page.page.filings}
        seen = _retrieved(pages).astimezone(_EASTERN).date()
        return any(
            accession not in held and filed + CORRECTED_WITHIN >= seen for accession, filed in self._listed[cik].items()
        )

    def _ask(self, ciks: Sequence[str], found: dict[str, RegistrantFilings]) -> None:
        answers = self._edgar.fetch([_first(cik) for cik in ciks], "submissions of registrants")
        pages: dict[str, list[_Page]] = {}
        names: list[tuple[str, str]] = []
        for cik, fetched in zip(ciks, answers, strict=True):
            first = _read_page(self._edgar, fetched)
            pages[cik] = [first]
            names += [
                (cik, one.name) for one in (first.page.older_pages if first.page else ()) if one.last >= self._since
            ]
        older = self._edgar.fetch([_older(name) for _, name in names], "older pages of submissions")
        for (cik, _), fetched in zip(names, older, strict=True):
            pages[cik].append(_read_page(self._edgar, fetched))
        for cik in ciks:
            found[cik] = _registrant(cik, pages.pop(cik))


class _PackedLists:
    """Lists in the nightly archive, read member by member."""

    def __init__(self, download: Download, ciks: set[str]) -> None:
        self.download = download
        try:
            self._archive = BulkArchive(download.path)
            members = self._archive.members(lambda name: _registrant_of(name) in ciks)
            self._members: dict[str, Member] = {member.name: member for member in members}
        except BadArchive as error:
            raise BenchError(
                f"the archive {download.path} cannot be read: {error}", remedy="delete it and run again"
            ) from error

    def __enter__(self) -> "_PackedLists":
        return self

    def __exit__(self, *_: object) -> None:
        self._archive.__exit__(None, None, None)

    def pages(self, cik: str, since: date) -> list[_Page]:
        """All pages of one registrant; empty where one is absent or unusable, so that it is asked for."""
        first = self._page(f"CIK{cik}.json")
        if first is None or (first.page is None and not first.inconsistent) or (first.page and first.page.cik != cik):
            return []
        pages = [first]
        for older in first.page.older_pages if first.page else ():
            if older.last >= since:
                page = self._page(older.name)
                if page is None or (page.page is None and not page.inconsistent):
                    return []
                pages.append(page)
        return pages

    def _page(self, name: str) -> _Page | None:
        member = self._members.get(name)
        if member is None:
            return None
        source = ListSource(f"{self.download.url}#{name}", self.download.sha256)
        try:
            return _parsed(source, self._archive.read(member), self.download.retrieved_at)
        except BadArchive:
            return None


def _registrant_of(name: str) -> str | None:
    match = _MEMBER.fullmatch(name)
    return match[1] if match else None


def _retrieved(pages: Sequence[_Page]) -> datetime:
    return min(page.retrieved_at for page in pages if page.retrieved_at)


def _read_page(edgar: EdgarClient, fetched: Fetched) -> _Page:
    source = ListSource(fetched.url, fetched.sha256)
    if fetched.sha256 is None:
        return _Page(source, None, fetched.retrieved_at, f"{fetched.problem}: {fetched.detail}")
    return _parsed(source, edgar.body(fetched), fetched.retrieved_at)


def _parsed(source: ListSource, body: bytes, retrieved_at: datetime | None) -> _Page:
    try:
        return _Page(source, parse_submissions(body), retrieved_at)
    except InconsistentArrays as error:
        return _Page(source, None, retrieved_at, str(error), inconsistent=True)
    except NotSubmissions as error:
        return _Page(source, None, retrieved_at, str(error))


def _registrant(cik: str, pages: Sequence[_Page]) -> RegistrantFilings:
    # One bad page makes the registrant unusable: a filing that contradicts an annual report may stand on it.
    bad = next((page for page in pages if page.page is None), None)
    if bad is not None:
        reason: IndexReject = "inconsistent_arrays" if bad.inconsistent else "not_retrievable"
        return RegistrantFilings(cik, problem=reason, problem_detail=bad.problem, problem_source=bad.source)
    # Only what may be used is kept: most of what a large registrant files are its officers' trades.
    return RegistrantFilings(
        cik,
        filings=[
            (filing, page.source) for page in pages if page.page for filing in page.page.filings if of_interest(filing)
        ],
        unreadable=[(filing, page.source) for page in pages if page.page for filing in page.page.unreadable],
    )
