"""Headers of filings: from the header page, or from the full submission where the folder has none."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import NamedTuple

from benchmark_pipeline.edgar.accession import full_submission_path, index_headers_path
from benchmark_pipeline.edgar.fiscal_year import fiscal_year_of
from benchmark_pipeline.edgar.item_titles import header_items
from benchmark_pipeline.edgar.sgml_header import parse_header
from benchmark_pipeline.edgar.universe import RegistrantFilings, lacks_items
from benchmark_pipeline.resources.edgar import EdgarClient, Fetched, Wanted
from benchmark_pipeline.resources.edgar_answers import header_of, submission_of


@dataclass(frozen=True)
class HeaderAnswer:
    """What was retrieved to know a filing's header and its documents."""

    fetched: Fetched
    is_full_submission: bool


class Filing(NamedTuple):
    """A filing whose header is wanted."""

    cik: str
    accession: str
    filed: date | None


def fetch_headers(edgar: EdgarClient, filings: Sequence[Filing], what: str) -> list[HeaderAnswer]:
    """The header of each filing; where neither source has it, the failed answer for the header page."""
    pages = edgar.fetch(
        [
            Wanted("www", index_headers_path(one.cik, one.accession), header_of(one.accession), filed=one.filed)
            for one in filings
        ],
        what,
    )
    without = [one for one, page in zip(filings, pages, strict=True) if page.sha256 is None]
    wholes = edgar.fetch(
        [
            Wanted("www", full_submission_path(one.cik, one.accession), submission_of(one.accession), filed=one.filed)
            for one in without
        ],
        f"{what}, full submissions",
    )
    whole = {one: fetched for one, fetched in zip(without, wholes, strict=True) if fetched.sha256 is not None}
    return [HeaderAnswer(whole.get(one, page), one in whole) for one, page in zip(filings, pages, strict=True)]


def with_items_of_headers(
    edgar: EdgarClient, registrants: Sequence[RegistrantFilings], fiscal_years: Sequence[int], as_of: date
) -> tuple[list[RegistrantFilings], list[str]]:
    """Fills in the items of current reports for which the lists give none, as for some of the older ones.

    Returns:
        The registrants, and the accessions whose items no header told.
    """
    filers = {
        filing.accession: Filing(one.cik, filing.accession, filing.filed_date)
        for one in registrants
        for filing, _ in one.filings
        if lacks_items(filing) and filing.filed_date <= as_of and fiscal_year_of(filing.filed_date) in fiscal_years
    }
    asked = [filing for _, filing in sorted(filers.items())]
    items: dict[str, tuple[str, ...]] = {}
    untold = []
    for filing, answer in zip(asked, fetch_headers(edgar, asked, "headers of current reports"), strict=True):
        if answer.fetched.sha256 is None:
            untold.append(filing.accession)
            continue
        items[filing.accession] = header_items(parse_header(edgar.body(answer.fetched)))
    if not items:
        return list(registrants), untold
    return [
        replace(
            one,
            filings=[
                (replace(filing, items=items[filing.accession]) if filing.accession in items else filing, source)
                for filing, source in one.filings
            ],
        )
        for one in registrants
    ], untold
