"""Which registrants must be judged again: those of whose inputs anything changed since the last run.

A fingerprint of each registrant's rows is kept beside the output. A registrant whose fingerprint is the same keeps its
rows as they are; every other one is read and judged anew. Rules that changed, an output that is not the one the
fingerprints belong to, or a missing file of fingerprints mean that everyone is judged again, so deleting the file
is always safe.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from pathlib import Path
from typing import Any

import duckdb

import benchmark_pipeline.edgar.text
import benchmark_pipeline.icfr
from benchmark_pipeline.icfr.successions import Succession, successors
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.storage.files import filesystem, write_bytes

NOT_INPUT = {
    "raw_filings": ("retrieved_at", "headers", "http_status", "url"),
    "filing_index": ("source_sha256", "source_url", "discovered_via"),
    "icfr_sections": ("text",),
}
"""Columns that bear on no judgement (the section's text is there by its SHA-256): to fetch a list again changes nothing."""
BY_DATE = ("icfr_assertions", "eight_k_402_index")
"""Tables whose rows count up to the snapshot date."""


@dataclass(frozen=True)
class Rejudging:
    """Registrants by what becomes of them in this run."""

    fingerprints: Mapping[str, str]
    """Of this run's inputs, by CIK."""
    unchanged: frozenset[str]
    """Their rows are copied."""
    version: str
    """Rules that judge."""

    @property
    def changed(self) -> tuple[str, ...]:
        """Registrants to judge."""
        return tuple(cik for cik in sorted(self.fingerprints) if cik not in self.unchanged)


def plan(
    lake: Lake, table: str, inputs: Sequence[str], *, snapshot: date, state: Path, rules: str,
    links: Sequence[Succession] = (),
) -> Rejudging:  # fmt: skip
    """Compares the registrants' inputs with those that the table in the lake was made from.

    Args:
        lake: Where inputs and output rest.
        table: The output.
        inputs: Tables that it is made from; `filing_index` is always one.
        snapshot: What was filed later does not count.
        state: Folder of the fingerprints.
        rules: Version of the rules.
        links: What a successor files is an input of its predecessor too.
    """
    version = f"{rules} {_code_sha256()} DuckDB {duckdb.__version__}"
    current = fingerprints(lake, inputs, snapshot, links)
    path = state / f"{table}.json"
    try:
        earlier = json.loads(path.read_bytes())
        same = earlier["version"] == version and earlier["output_sha256"] == lake.sha256(table)
        known = earlier["registrants"] if same else {}
    except (OSError, ValueError, KeyError, TypeError):
        known = {}
    return Rejudging(current, frozenset(cik for cik, mark in current.items() if known.get(cik) == mark), version)


def remember(output_sha256: str, table: str, judged: Rejudging, state: Path) -> None:
    """Keeps the fingerprints with the digest of the file that this run wrote.

    The digest is the writer's own and not read back from the lake: where another run has replaced the file meanwhile, the
    two do not match, and the next run judges everyone again.
    """
    record = {"version": judged.version, "output_sha256": output_sha256, "registrants": dict(judged.fingerprints)}
    fs, path = filesystem(str(state / f"{table}.json"))
    write_bytes(fs, path, json.dumps(record, sort_keys=True).encode())


def fingerprints(lake: Lake, inputs: Sequence[str], snapshot: date, links: Sequence[Succession] = ()) -> dict[str, str]:
    """CIK to a digest over all rows about the registrant, whatever their order; a co-registrant's filing is in each one's.

    Each row is hashed by DuckDB (64 bits; the digests are kept with its version, because another one may hash otherwise).
    """
    lines = ["SELECT cik, mark FROM filings"]
    for table in inputs:
        if table == "filing_index":
            continue
        until = "WHERE filed_date <= $snapshot" if table in BY_DATE else ""
        rows = f"(SELECT accession, cik, {_mark(table)} AS mark FROM {table} AS t {until})"
        lines.append(f"SELECT filings.cik, t.mark FROM {rows} AS t JOIN filings USING (accession)")
        if table != "raw_filings":
            lines.append(f"SELECT cik, mark FROM {rows}")
    found = dict(lake.query(
        f"""
        WITH filings AS MATERIALIZED (
            SELECT DISTINCT unnest(list_append(ciks, cik)) AS cik, accession, {_mark("filing_index")} AS mark
            FROM filing_index AS t WHERE accession IS NOT NULL AND filed_date <= $snapshot
        )
        SELECT cik, md5(string_agg(mark, ' ' ORDER BY mark)) FROM ({" UNION ALL ".join(lines)})
        WHERE cik IS NOT NULL GROUP BY cik ORDER BY cik
        """,
        {"snapshot": snapshot},
        tables=inputs,
    ))  # fmt: skip
    after = {
        cik: ([found.get(link.successor, "") for link in chain], [link.since.isoformat() for link in chain])
        for cik, chain in successors(links).items()
    }
    return {
        cik: hashlib.md5(json.dumps([mark, after[cik]]).encode(), usedforsecurity=False).hexdigest()
        if cik in after else mark
        for cik, mark in found.items()
    }  # fmt: skip


def _mark(table: str) -> str:
    without = ", ".join(NOT_INPUT.get(table, ()))
    row = f"(SELECT hash(u) FROM (SELECT t.* EXCLUDE ({without})) AS u)" if without else "hash(t)"
    return f"'{table} ' || CAST({row} AS VARCHAR)"


@lru_cache(maxsize=1)
def _code_sha256() -> str:
    """Digest of the rules' source, so that an edited rule is never mistaken for the one that judged."""
    files = sorted(Path(benchmark_pipeline.icfr.__path__[0]).glob("*.py"))
    digest = hashlib.sha256()
    for path in [*files, Path(benchmark_pipeline.edgar.text.__file__)]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def of_registrants(ciks: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """A condition for `Lake.read`: rows about these registrants."""
    return "cik IN (SELECT unnest($ciks))", {"ciks": list(ciks)}


def of_filings(ciks: Sequence[str], accessions: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """A condition for `Lake.read`: rows about these registrants or in these filings."""
    return (
        "cik IN (SELECT unnest($ciks)) OR accession IN (SELECT unnest($accessions))",
        {"ciks": list(ciks), "accessions": list(accessions)},
    )


def listed_for(ciks: Sequence[str]) -> tuple[str, dict[str, Any]]:
    """A condition for `Lake.read` on `filing_index`: filings of these registrants, co-registrants included."""
    return "cik IN (SELECT unnest($ciks)) OR list_has_any(ciks, $ciks)", {"ciks": list(ciks)}
