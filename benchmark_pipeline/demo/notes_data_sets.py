"""The authored covers as the SEC's Financial Statement and Notes data sets would give them.

Made from what the corpus says of each filing and not from its documents, so that reading both and comparing them tests
the reading of the documents.
"""

from __future__ import annotations

import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmark_pipeline.edgar.fiscal_year import ANNUAL_AMENDMENTS, ANNUAL_FORMS, quarter_of
from benchmark_pipeline.edgar.notes_data_sets import archive_paths

from .corpus.cover_page import attested
from .corpus.submission import Submission

_SUB = ("adsh", "cik", "name", "sic", "countryba", "countryinc", "form", "period", "fy", "fp", "fye", "filed", "accepted",
        "prevrpt", "detail", "instance", "nciks", "aciks")  # fmt: skip
_TXT = ("adsh", "tag", "version", "ddate", "qtrs", "iprx", "lang", "dcml", "durp", "datp", "dimh", "dimn", "coreg",
        "escaped", "srclen", "txtlen", "footnote", "footlen", "context", "value")  # fmt: skip
_STAMP = (2025, 6, 30, 0, 0, 0)


def write_notes_data_sets(www: Path, submissions: Iterable[Submission]) -> None:
    """One archive a quarter, and one a month in the last quarter, which is not rolled up yet."""
    tagged = [one for one in submissions if one.inline and one.filing.form in ANNUAL_FORMS + ANNUAL_AMENDMENTS]
    last = quarter_of(max(one.filing.filed for one in tagged))
    archives: dict[str, list[Submission]] = defaultdict(list)
    for one in tagged:
        quarter = quarter_of(one.filing.filed)
        whole, months = archive_paths(quarter)
        archives[months[(one.filing.filed.month - 1) % 3] if quarter == last else whole].append(one)
    for path, own in archives.items():
        target = www / path.lstrip("/")
        target.parent.mkdir(parents=True, exist_ok=True)
        with zipfile.ZipFile(target, "w") as packed:
            for name, columns, rows in (
                ("sub.tsv", _SUB, [_filing(one) for one in own]),
                ("txt.tsv", _TXT, [fact for one in own for fact in _facts(one)]),
            ):
                lines = ["\t".join(columns), *("\t".join(row.get(column, "") for column in columns) for row in rows)]
                # A fixed time: the same corpus gives the same bytes.
                entry = zipfile.ZipInfo(name, _STAMP)
                entry.compress_type = zipfile.ZIP_DEFLATED
                packed.writestr(entry, "\n".join(lines) + "\n")


def _filing(one: Submission) -> dict[str, str]:
    return {
        "adsh": one.accession,
        "cik": str(int(one.registrant.cik)),
        "name": one.registrant.name.upper(),
        "sic": one.registrant.sic,
        "form": one.filing.form,
        "period": f"{one.filing.period:%Y%m%d}",
        "fp": "FY",
        "fye": one.registrant.fye,
        "filed": f"{one.filing.filed:%Y%m%d}",
        "instance": one.documents[0].name.replace(".htm", "_htm.xml"),
        "nciks": str(len(one.ciks)),
    }


def _facts(one: Submission) -> Iterator[dict[str, str]]:
    facts = {
        "IcfrAuditorAttestationFlag": str(attested(one.filing)).lower(),
        "EntityEmergingGrowthCompany": str(one.registrant.emerging).lower(),
    }
    if not one.filing.form.startswith("40-F"):
        facts["EntityFilerCategory"] = one.filing.category or one.registrant.category
    if one.filing.form.startswith("10-K"):
        facts["EntityShellCompany"] = str(one.registrant.shell).lower()
    for tag, value in facts.items():
        yield {
            "adsh": one.accession,
            "tag": tag,
            "version": f"dei/{one.filing.period.year}",
            "ddate": f"{one.filing.period:%Y%m%d}",
            "qtrs": "4",
            "lang": "en-US",
            "dimn": "0",
            "value": value,
        }
