"""The authored corpus as a tree of files, laid out under EDGAR's own URL paths."""

from __future__ import annotations

import json
from collections import defaultdict
from datetime import UTC
from pathlib import Path
from typing import Any

from .corpus.authored import Registrant, registrants
from .corpus.submission import (
    Submission,
    build,
    filed_quarter,
    full_submission,
    index_headers,
    index_json,
)
from .notes_data_sets import write_notes_data_sets

MASTER_HEADER = """Description:           Master Index of EDGAR Dissemination Feed
Last Data Received:    {last}
Comments:              webmaster@sec.gov
Anonymous FTP:         ftp://ftp.sec.gov/edgar/
Cloud HTTP:            https://www.sec.gov/Archives/




CIK|Company Name|Form Type|Date Filed|Filename
--------------------------------------------------------------------------------
"""


def build_site(folder: Path) -> None:
    """Write the whole site; the same corpus gives the same bytes.

    Args:
        folder: Root. `www/` holds what www.sec.gov serves, `data/` what data.sec.gov serves.
    """
    submissions = [build(r, f) for r in registrants() for f in r.filings]
    for submission in submissions:
        _write_filing(folder, submission)
    _write_master_indexes(folder, submissions)
    write_notes_data_sets(folder / "www", submissions)
    for registrant in registrants():
        own = [s for s in submissions if s.registrant is registrant]
        _write_submissions(folder, registrant, registrant.cik, registrant.name, own)
        if registrant.co_registrant:
            _write_submissions(folder, registrant, registrant.co_registrant.cik, registrant.co_registrant.name, own)


def _write_filing(folder: Path, submission: Submission) -> None:
    files = {d.name: d.body for d in submission.documents}
    files[f"{submission.accession}-index-headers.html"] = index_headers(submission)
    files["index.json"] = index_json(submission)
    whole = full_submission(submission)
    for cik in submission.ciks:
        home = folder / "www" / "Archives" / "edgar" / "data" / str(int(cik))
        inside = home / submission.accession.replace("-", "")
        inside.mkdir(parents=True, exist_ok=True)
        for name, body in files.items():
            (inside / name).write_bytes(body)
        (inside / f"{submission.accession}.txt").write_bytes(whole)
        (home / f"{submission.accession}.txt").write_bytes(whole)


def _write_master_indexes(folder: Path, submissions: list[Submission]) -> None:
    quarters: dict[tuple[int, int], list[tuple[str, str, str, str, str]]] = defaultdict(list)
    first = min(s.filing.filed for s in submissions).year
    last = max(s.filing.filed for s in submissions)
    for year in range(first, last.year + 1):
        for quarter in range(1, 5):
            if (year, quarter) <= filed_quarter(last):
                quarters[year, quarter] = []
    for s in submissions:
        other = s.registrant.co_registrant
        filers = [(s.registrant.cik, s.registrant.name), *([(other.cik, other.name)] if other else [])]
        for cik, name in filers:
            path = f"edgar/data/{int(cik)}/{s.accession}.txt"
            row = (str(int(cik)), name, s.filing.form, s.filing.filed.isoformat(), path)
            quarters[filed_quarter(s.filing.filed)].append(row)
    for (year, quarter), rows in quarters.items():
        home = folder / "www" / "Archives" / "edgar" / "full-index" / str(year) / f"QTR{quarter}"
        home.mkdir(parents=True, exist_ok=True)
        ended = ("March 31", "June 30", "September 30", "December 31")[quarter - 1]
        lines = ["|".join(row) for row in sorted(rows)]
        body = MASTER_HEADER.format(last=f"{ended}, {year}") + "".join(f"{line}\n" for line in lines)
        (home / "master.idx").write_bytes(body.encode("latin-1"))


_COLUMNS = (
    "accessionNumber", "filingDate", "reportDate", "acceptanceDateTime", "act", "form", "fileNumber", "filmNumber", "items",
    "core_type", "size", "isXBRL", "isInlineXBRL", "primaryDocument", "primaryDocDescription",
)  # fmt: skip


def _row(submission: Submission) -> tuple[Any, ...]:
    filing = submission.filing
    return (
        submission.accession,
        filing.filed.isoformat(),
        filing.period.isoformat(),
        submission.accepted.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z"),
        "34",
        filing.form,
        submission.registrant.file_number,
        submission.accession[-8:].replace("-", ""),
        ",".join(filing.items),
        "XBRL" if submission.inline else filing.form,
        len(full_submission(submission)),
        int(submission.inline),
        int(submission.inline),
        submission.documents[0].name,
        filing.form,
    )


def _columns(submissions: list[Submission]) -> dict[str, list[Any]]:
    rows = [_row(s) for s in sorted(submissions, key=lambda s: (s.filing.filed, s.accession), reverse=True)]
    return {name: [row[n] for row in rows] for n, name in enumerate(_COLUMNS)}


def _write_submissions(folder: Path, registrant: Registrant, cik: str, name: str, own: list[Submission]) -> None:
    home = folder / "data" / "submissions"
    home.mkdir(parents=True, exist_ok=True)
    border = registrant.older_page_before
    older = [s for s in own if border and s.filing.filed < border]
    recent = [s for s in own if s not in older]
    pages = []
    if older:
        page = f"CIK{cik}-submissions-001.json"
        days = [s.filing.filed for s in older]
        pages.append({"name": page, "filingCount": len(older), "filingFrom": min(days).isoformat(), "filingTo": max(days).isoformat()})  # fmt: skip
        (home / page).write_text(json.dumps(_columns(older)), encoding="utf-8")
    other = registrant.co_registrant
    second = other if other and other.cik == cik else None
    body = {
        "cik": cik,
        "entityType": "operating",
        "sic": second.sic if second else registrant.sic,
        "sicDescription": second.industry if second else registrant.industry,
        "name": name,
        "tickers": [registrant.stem.upper()] if registrant.exchange and not second else [],
        "exchanges": [registrant.exchange] if registrant.exchange and not second else [],
        "ein": (second.ein if second else registrant.ein).replace("-", ""),
        "lei": None,
        "description": "",
        "website": "",
        "investorWebsite": "",
        "category": (second.category if second else registrant.category).replace("Accelerated Filer", "accelerated filer"),
        "fiscalYearEnd": registrant.fye,
        "stateOfIncorporation": registrant.state,
        "stateOfIncorporationDescription": registrant.state,
        "addresses": {
            kind: {"street1": registrant.street.upper(), "street2": None, "city": registrant.city.upper(), "stateOrCountry": registrant.state, "zipCode": registrant.zip, "stateOrCountryDescription": registrant.state}
            for kind in ("mailing", "business")
        },
        "phone": registrant.phone,
        "flags": "",
        "formerNames": [
            {"name": former, "from": "2015-01-01T00:00:00.000Z", "to": f"{changed}T00:00:00.000Z"}
            for former, changed in registrant.former_names
        ],
        "filings": {"recent": _columns(recent), "files": pages},
    }  # fmt: skip
    (home / f"CIK{cik}.json").write_text(json.dumps(body), encoding="utf-8")
