"""Yield and speed of section extraction over real annual reports, beside a peer and the bounds of parsing.

    python benchmarks/sections.py ../shared/edgar [--limit 30] [--peers ~/.cache/section-peers] [--differences]

The folder holds reports and a MANIFEST.csv. Prints, for the located section alone and for every fact: documents a
second, megabytes a second, the 95th percentile, peak memory of the process, and how many sections were found, followed
or rejected. With `--peers`, edgartools is installed in an environment of its own in that folder (outside the tree) and
run over the same reports in the same run, one process each; with `--differences` both cuts are printed where they
differ. One process. Not a test.
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

import section_peers as peers

from benchmark_pipeline.edgar.sections import FilingDocument, Rejection, Section, locate
from benchmark_pipeline.icfr.conclusion import states_icfr_conclusion
from benchmark_pipeline.icfr.disclosure import FilingInput, read_disclosures
from benchmark_pipeline.icfr.registrants import Registrant

ACCESSION = "0000000000-00-000000"
FORMS = ("10-K", "20-F", "40-F")


def reports(folder: Path, limit: int | None) -> list[tuple[str, str]]:
    """Path and form of each annual report."""
    with (folder / "MANIFEST.csv").open(encoding="utf-8", newline="") as handle:
        return [(str(folder / row["path"]), row["form"]) for row in csv.DictReader(handle) if row["form"] in FORMS][
            :limit
        ]


def bodies(folder: Path, limit: int | None) -> list[tuple[str, bytes]]:
    """Form and body of each annual report."""
    found = []
    for path, form in reports(folder, limit):
        raw = Path(path).read_bytes()
        found.append((form, gzip.decompress(raw) if path.endswith(".gz") else raw))
    return found


def run(name: str, work: list[tuple[str, bytes]], every_fact: bool) -> tuple[float, list[str]]:
    """Measures one way and prints a line; documents a second, and the text of each item as located."""
    outcomes: Counter[str] = Counter()
    times: list[float] = []
    items: list[str] = []
    for form, body in work:
        started = time.process_time()
        document = FilingDocument("report", form, body)
        if every_fact:
            registrant = Registrant("0000000000", "")
            filing = FilingInput(ACCESSION, form, 2000, date(2000, 1, 1), date(2000, 1, 1), (registrant,), (document,))
            outcome = read_disclosures(filing).sections[0].status
        else:
            located = locate([document], form, states_icfr_conclusion)
            outcome = _outcome(located)
            items.append(_item(located))
        times.append(time.process_time() - started)
        outcomes[outcome] += 1
    size = sum(len(body) for _, body in work) / 1e6
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    _print(name, times, size, peak, dict(outcomes))
    return len(work) / sum(times), items


def _outcome(located: Section | Rejection) -> str:
    if isinstance(located, Rejection):
        return "rejected"
    return "followed_pointer" if located.followed_pointer else "found"


def _item(located: Section | Rejection) -> str:
    """The item itself, which is what peers return, also where it only points."""
    if isinstance(located, Rejection):
        return ""
    return (located.item_stretch or located.stretch).text


def _print(name: str, times: list[float], size: float, peak: int, outcomes: dict[str, int]) -> None:
    total = sum(times)
    slowest = sorted(times)[len(times) * 95 // 100]
    print(
        f"{name:16} {len(times)} documents, {size:.1f} MB: {len(times) / total:.2f} documents/s, {size / total:.1f} MB/s, "
        f"95 % within {slowest:.3f} s, {outcomes}, peak memory {peak / (1024 if sys.platform != 'darwin' else 1024**2):.0f} MB",
        flush=True,
    )


def compare(folder: Path, work: list[tuple[str, str]], size: float, rate: float, items: list[str], show: bool) -> None:
    """Runs the peer and the bounds over the same reports and prints them beside ours."""
    python = peers.environment(folder)
    theirs, peak = peers.edgartools(python, work)
    seconds = [section.seconds for section in theirs]
    outcomes = Counter("found" if section.text else ("raised" if section.error else "empty") for section in theirs)
    _print("edgartools", seconds, size, peak, dict(outcomes))
    for name, total in peers.bounds(python, work).items():
        print(f"{name:16} parse and text alone: {len(work) / total:.1f} documents/s, {size / total:.1f} MB/s")
    print(f"located section against edgartools: {rate * sum(seconds) / len(work):.0f} times the documents/s")
    kinds = [peers.difference(ours, section.text) for ours, section in zip(items, theirs, strict=True)]
    print(f"edges against edgartools, {peers.EDGE_LETTERS} letters apart counted as the same: {dict(Counter(kinds))}")
    print(peers.STATED)
    for (path, _), kind, ours, section in zip(work, kinds, items, theirs, strict=True):
        if show and kind not in ("same", "none"):
            print(f"\n{path}: {kind}\n  ours   {_ends(ours)}\n  theirs {_ends(section.text) or section.error}")


def _ends(text: str) -> str:
    line = " ".join(text.split())
    return f"{len(line)} letters: {line[:70]} … {line[-70:]}" if line else ""


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=int)
    parser.add_argument("--peers", type=Path, help="folder of the peers' environment, made where it is missing")
    parser.add_argument("--differences", action="store_true", help="print both cuts where they differ")
    arguments = parser.parse_args()
    work = bodies(arguments.folder, arguments.limit)
    rate, items = run("located section", work, every_fact=False)
    run("every fact", work, every_fact=True)
    if arguments.peers:
        paths = reports(arguments.folder, arguments.limit)
        compare(
            arguments.peers.expanduser(), paths, sum(len(b) for _, b in work) / 1e6, rate, items, arguments.differences
        )


if __name__ == "__main__":
    main()
