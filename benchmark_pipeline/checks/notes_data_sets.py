"""Check of cover-page facts against the SEC's own reading of them in bulk; built only where a setting asks for it."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import dagster as dg

from benchmark_pipeline.edgar.fiscal_year import quarter_of
from benchmark_pipeline.edgar.notes_data_sets import BulkCover, NotADataSet, archive_paths, read_notes_data_set
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.resources.edgar import EdgarClient
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.disclosures import IcfrAssertionRow

LARGEST_DIFFERING_SHARE = 0.005
"""Of the filings that both sources state a fact for."""
SHOWN = 20


def build(settings: Settings) -> list[dg.AssetChecksDefinition]:
    """The check, where the comparison is switched on: the archives have a gigabyte or more a quarter."""
    if not settings.notes_data_sets:
        return []

    @dg.asset_check(asset="icfr_assertions")
    def cover_page_facts_agree_with_the_notes_data_sets(
        lake: dg.ResourceParam[Lake], edgar: dg.ResourceParam[EdgarClient]
    ) -> dg.AssetCheckResult:
        """Each tagged fact differs in at most 0.5 % of the filings in which both sources state it."""
        rows = lake.read(IcfrAssertionRow, "icfr_assertions")
        covers, missing, unreadable = bulk_covers(edgar, rows)
        found = compare(rows, covers)
        problems = found.problems()
        return dg.AssetCheckResult(
            passed=not problems,
            severity=dg.AssetCheckSeverity.ERROR,
            description="; ".join(problems) or None,
            metadata={
                "filings_compared": found.filings,
                "facts_compared": dict(found.compared),
                "facts_that_differ": dict(found.differing),
                "facts_in_the_filing_only": dict(found.only_here),
                "examples": found.examples[:SHOWN],
                "months_without_a_data_set": missing,
                "unreadable_lines": unreadable,
            },
        )

    return [cover_page_facts_agree_with_the_notes_data_sets]


@dataclass
class Comparison:
    """Counts by column of `icfr_assertions`."""

    filings: int = 0
    compared: Counter[str] = field(default_factory=Counter)
    differing: Counter[str] = field(default_factory=Counter)
    only_here: Counter[str] = field(default_factory=Counter)
    """Stated by the filing, and not in the data set."""
    examples: list[str] = field(default_factory=list)

    def problems(self) -> list[str]:
        """Facts that differ too often; a comparison of nothing is a problem too."""
        if not self.filings:
            return ["no filing of icfr_assertions is in the data sets: nothing was compared"]
        return [
            f"{column}: {self.differing[column]} of {count} differ"
            for column, count in sorted(self.compared.items())
            if self.differing[column] > LARGEST_DIFFERING_SHARE * count
        ]


def compare(rows: Iterable[IcfrAssertionRow], covers: dict[str, BulkCover]) -> Comparison:
    """Compares the registrants under which the filings stand in the data sets.

    What the data set itself cannot tell (`unknown`) is not compared; what it states and the filing was not seen to state
    differs.
    """
    found = Comparison()
    for row in rows:
        cover = covers.get(row.accession)
        if cover is None or cover.cik != row.cik:
            continue
        found.filings += 1
        for column in ("attest_flag", "emerging_growth", "shell_company", "error_correction_flag", "filer_category"):
            here, there = _stated(getattr(row, column)), _stated(cover.facts.get(column))
            if there is None:
                found.only_here[column] += here is not None
                continue
            found.compared[column] += 1
            if here != there:
                found.differing[column] += 1
                found.examples.append(f"{row.accession} {column}: {here} in the filing, {there} in the data set")
    return found


def bulk_covers(edgar: EdgarClient, rows: Sequence[IcfrAssertionRow]) -> tuple[dict[str, BulkCover], list[str], int]:
    """Covers of all filings of these rows, the months without an archive, and the number of unreadable lines."""
    wanted = {row.accession for row in rows}
    covers: dict[str, BulkCover] = {}
    missing, unreadable = [], 0
    for quarter in sorted({quarter_of(row.filed_date) for row in rows}):
        whole, months = archive_paths(quarter)
        paths = [whole] if edgar.download("www", whole, whole.rsplit("/", 1)[1]) else list(months)
        for path in paths:
            name = path.rsplit("/", 1)[1]
            archive = edgar.download("www", path, name)
            if archive is None:
                missing.append(name)
                continue
            try:
                found = read_notes_data_set(archive.path, wanted)
            except NotADataSet as error:
                raise BenchError(str(error), remedy=f"delete {archive.path} and run the check again") from error
            covers |= found.covers
            unreadable += found.unreadable
    return covers, missing, unreadable


def _stated(value: object) -> str | None:
    if value is None or value in ("absent", "unknown", ""):
        return None
    return str(value).lower()
