"""Cover-page facts in bulk, from the SEC's Financial Statement and Notes data sets.

Each archive holds tab-separated tables without quoting. `sub.tsv` has a row a filing; `txt.tsv` has a row a non-numeric
fact, the tagged cover among them. Only these two are read, line by line, and nothing is unpacked to disk. The companyfacts
and frames services have numeric facts only, so neither carries the flags.

Source: SEC, Financial Statement and Notes (data set documentation), tables SUB and TXT.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from .accession import accession_number, padded_cik
from .cover_page import boolean
from .fiscal_year import ANNUAL_AMENDMENTS, ANNUAL_FORMS, Quarter

FOLDER = "/files/dera/data/financial-statement-notes-data-sets"
BOOLEANS = {
    "IcfrAuditorAttestationFlag": "attest_flag",
    "EntityEmergingGrowthCompany": "emerging_growth",
    "EntityShellCompany": "shell_company",
    "DocumentFinStmtErrorCorrectionFlag": "error_correction_flag",
}
"""Tagged booleans and the columns of `icfr_assertions` that hold them."""
WORDS = {"EntityFilerCategory": "filer_category"}
_TABLES = {"sub": ("adsh", "cik", "form", "period"), "txt": ("adsh", "tag", "version", "coreg", "value")}
_MAX_LINE_BYTES = 4 * 1024 * 1024


class NotADataSet(ValueError):
    """The archive is damaged, or lacks a table or a column."""


@dataclass
class BulkCover:
    """What one archive says about the cover of one annual filing."""

    accession: str
    cik: str
    """Ten digits: of co-registrants, the one under which the filing stands in `sub.tsv`."""
    form: str
    period_end: date | None
    """Balance sheet date, rounded by the SEC to the nearest month end."""
    facts: dict[str, str] = field(default_factory=dict)
    """Column of `icfr_assertions` to value; booleans are `true`, `false` or `unknown`."""


@dataclass
class NotesDataSet:
    """The annual filings of one archive."""

    covers: dict[str, BulkCover]
    """By accession."""
    unreadable: int
    """Lines of either table that could not be read."""


def archive_paths(quarter: Quarter) -> tuple[str, tuple[str, ...]]:
    """Path of the quarter's archive, and of those of its months: recent months are rolled into quarters later."""
    months = range(3 * quarter.number - 2, 3 * quarter.number + 1)
    return (
        f"{FOLDER}/{quarter.year}q{quarter.number}_notes.zip",
        tuple(f"{FOLDER}/{quarter.year}_{month:02}_notes.zip" for month in months),
    )


def read_notes_data_set(path: Path, wanted: Collection[str]) -> NotesDataSet:
    """Reads the covers of the wanted filings.

    Args:
        path: the archive.
        wanted: accessions; all others are passed over.

    Raises:
        NotADataSet: the archive is damaged, or lacks a table or a column.
    """
    found = NotesDataSet({}, 0)
    try:
        with zipfile.ZipFile(path) as archive:
            for row in _rows(archive, "sub", found):
                _add_filing(found, row, wanted)
            for row in _rows(archive, "txt", found):
                _add_fact(found, row)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise NotADataSet(f"{path.name} cannot be read: {error}") from error
    return found


def _rows(archive: zipfile.ZipFile, table: str, found: NotesDataSet) -> Iterator[dict[str, str]]:
    name = next((one for one in archive.namelist() if re.fullmatch(rf"{table}\.(?:tsv|txt)", one)), None)
    if name is None:
        raise NotADataSet(f"{archive.filename}: no table {table}")
    with archive.open(name) as handle:
        columns = handle.readline(_MAX_LINE_BYTES).decode("utf-8-sig", "replace").rstrip("\r\n").split("\t")
        if lacking := [column for column in _TABLES[table] if column not in columns]:
            raise NotADataSet(f"{archive.filename}: {name} has no column {', '.join(lacking)}")
        places = [(column, columns.index(column)) for column in _TABLES[table]]
        while line := handle.readline(_MAX_LINE_BYTES):
            values = line.decode("utf-8", "replace").rstrip("\r\n").split("\t")
            if len(values) != len(columns):
                found.unreadable += 1
                continue
            yield {column: values[place] for column, place in places}


def _add_filing(found: NotesDataSet, row: dict[str, str], wanted: Collection[str]) -> None:
    try:
        accession, cik = accession_number(row["adsh"]), padded_cik(row["cik"])
    except ValueError:
        found.unreadable += 1
        return
    if accession in wanted and row["form"] in ANNUAL_FORMS + ANNUAL_AMENDMENTS:
        found.covers[accession] = BulkCover(accession, cik, row["form"], _day(row["period"]))


def _add_fact(found: NotesDataSet, row: dict[str, str]) -> None:
    column = BOOLEANS.get(row["tag"]) or WORDS.get(row["tag"])
    cover = found.covers.get(row["adsh"])
    # A co-registrant's own facts carry its name, and a custom tag of the same name is the filer's own.
    if column is None or cover is None or row["coreg"].strip() or not row["version"].startswith("dei/"):
        return
    value = boolean(row["value"], "") if row["tag"] in BOOLEANS else " ".join(row["value"].split())
    if cover.facts.setdefault(column, value) != value:
        cover.facts[column] = "unknown"


def _day(text: str) -> date | None:
    try:
        return date(int(text[:4]), int(text[4:6]), int(text[6:])) if re.fullmatch(r"\d{8}", text) else None
    except ValueError:
        return None
