"""Yield and speed of section extraction over real annual reports.

    python benchmarks/sections.py ../shared/edgar [--limit 60]

Prints, for the located section alone and for every fact: documents a second, megabytes a second, the 95th percentile,
peak memory of the process, and how many sections were found, followed or rejected. One process. Not a test.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import resource
import sys
import time
from collections import Counter
from datetime import date
from pathlib import Path

from benchmark_pipeline.edgar.sections import FilingDocument, Rejection, locate
from benchmark_pipeline.icfr.conclusion import states_icfr_conclusion
from benchmark_pipeline.icfr.disclosure import FilingInput, read_disclosures
from benchmark_pipeline.icfr.registrants import Registrant

ACCESSION = "0000000000-00-000000"


def bodies(folder: Path, limit: int | None) -> list[tuple[str, bytes]]:
    """Form and body of each annual report."""
    with (folder / "MANIFEST.csv").open(encoding="utf-8", newline="") as handle:
        rows = [row for row in csv.DictReader(handle) if row["form"] in ("10-K", "20-F")][:limit]
    found = []
    for row in rows:
        raw = (folder / row["path"]).read_bytes()
        found.append((row["form"], gzip.decompress(raw) if row["path"].endswith(".gz") else raw))
    return found


def run(name: str, work: list[tuple[str, bytes]], every_fact: bool) -> None:
    """Measures one way and prints a line."""
    outcomes: Counter[str] = Counter()
    times: list[float] = []
    for form, body in work:
        started = time.process_time()
        document = FilingDocument("report", form, body)
        if every_fact:
            registrant = Registrant("0000000000", "")
            filing = FilingInput(ACCESSION, form, 2000, date(2000, 1, 1), date(2000, 1, 1), (registrant,), (document,))
            outcome = read_disclosures(filing).sections[0].status
        else:
            located = locate([document], form, states_icfr_conclusion)
            outcome = (
                "rejected"
                if isinstance(located, Rejection)
                else ("followed_pointer" if located.followed_pointer else "found")
            )
        times.append(time.process_time() - started)
        outcomes[outcome] += 1
    total, size = sum(times), sum(len(body) for _, body in work) / 1e6
    slowest = sorted(times)[len(times) * 95 // 100]
    print(
        f"{name:16} {len(work)} documents, {size:.1f} MB: {len(work) / total:.1f} documents/s, {size / total:.1f} MB/s, "
        f"95 % within {slowest:.3f} s, {dict(outcomes)}, peak memory "
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != 'darwin' else 1024**2):.0f} MB"
    )


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int)
    arguments = parser.parse_args()
    work = bodies(arguments.folder, arguments.limit)
    run("located section", work, every_fact=False)
    run("every fact", work, every_fact=True)


if __name__ == "__main__":
    main()
