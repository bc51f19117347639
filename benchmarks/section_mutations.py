"""Damaged annual reports: no crash, no hang, no runaway memory.

    python benchmarks/section_mutations.py ../shared/edgar [--cases 20000] [--seed 1]

Each case damages a real report (bytes flipped, cut short, stretches repeated, removed or moved, tags nested deep, references
chained) or builds a hostile one, and reads every fact of it. Prints counts by kind, the slowest case and the peak memory;
exits with status 1 where a case raised, took more than 10 s or the process more than 1 GB. Small reports are damaged
most often, so that thousands of cases fit in minutes; large ones and a 50 MB table come in fixed numbers.
"""

from __future__ import annotations

import argparse
import random
import resource
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

from sections import ACCESSION, bodies

from benchmark_pipeline.assets.disclosures import read_within_limit
from benchmark_pipeline.edgar.sections import FilingDocument
from benchmark_pipeline.icfr.disclosure import FilingInput
from benchmark_pipeline.icfr.registrants import Registrant

MOST_SECONDS = 10.0
MOST_MEGABYTES = 1000
_WINDOW = 24_000


def flip(body: bytes, rng: random.Random) -> bytes:
    """Random bytes put in random places."""
    damaged = bytearray(body)
    for _ in range(rng.choice((1, 10, 300))):
        damaged[rng.randrange(len(damaged))] = rng.randrange(256)
    return bytes(damaged)


def truncate(body: bytes, rng: random.Random) -> bytes:
    """Cut short."""
    return body[: rng.randrange(1, len(body))]


def repeat(body: bytes, rng: random.Random) -> bytes:
    """A stretch printed several times."""
    start = rng.randrange(len(body))
    return body[:start] + body[start : start + rng.randrange(1, 3000)] * rng.randrange(2, 12) + body[start:]


def remove(body: bytes, rng: random.Random) -> bytes:
    """A stretch left out."""
    start = rng.randrange(len(body))
    return body[:start] + body[start + rng.randrange(1, 20_000) :]


def swap(body: bytes, rng: random.Random) -> bytes:
    """Two halves exchanged."""
    middle = rng.randrange(len(body))
    return body[middle:] + body[:middle]


def nest(body: bytes, rng: random.Random) -> bytes:
    """Tags opened thousands of times and never closed."""
    tag = rng.choice(
        (
            b"<div>",
            b"<table><tr><td>",
            b"<font>",
            b"<!--",
            b"<",
            b"<pre>",
            b"<script>",
            b"<ix:nonNumeric name='dei:EntityRegistrantName'>",
        )
    )
    start = rng.randrange(len(body))
    return body[:start] + tag * rng.randrange(100, 5000) + body[start:]


def references(body: bytes, rng: random.Random) -> bytes:
    """A document type that defines references by references, and thousands of them used."""
    bomb = (
        b"<!DOCTYPE x [" + b"".join(b'<!ENTITY e%d "%s">' % (i, b"&e%d;" % (i - 1) * 10) for i in range(1, 12)) + b"]>"
    )
    use = rng.choice((b"&e11;", b"&amp;amp;", b"&#x10FFFF;", b"&", b"&#0;", b"&#55296;")) * rng.randrange(10, 5000)
    start = rng.randrange(len(body))
    return bomb + body[:start] + use + body[start:]


def headings(body: bytes, rng: random.Random) -> bytes:
    """Headings and words of conclusions strewn about."""
    pieces = (b"<p>Item 9A. Controls and Procedures</p>", b"<p>Item 9B. Other Information</p>", b"material weakness ", b"(1) ",
              b"our internal control over financial reporting was not effective ", b"in our opinion ", b"excluded from ")  # fmt: skip
    damaged = body
    for _ in range(rng.randrange(1, 12)):
        start = rng.randrange(len(damaged))
        damaged = damaged[:start] + rng.choice(pieces) * rng.randrange(1, 60) + damaged[start:]
    return damaged


KINDS: tuple[Callable[[bytes, random.Random], bytes], ...] = (
    flip, truncate, repeat, remove, swap, nest, references, headings,
)  # fmt: skip


def hostile() -> Iterator[tuple[str, bytes]]:
    """Documents of 50 MB, each hard in one way."""
    row = b"<tr><td style='a'>1,234</td><td>internal control over financial reporting</td></tr>"
    size = 50_000_000
    head, tail = (
        b"<html><body><p>Item 9A. Controls and Procedures</p>",
        b"<p>Item 9B. Other Information</p></body></html>",
    )
    yield "table of 50 MB", head + b"<table>" + row * (size // len(row)) + b"</table>" + tail
    yield "50 MB without a break", head + b"x" * size + tail
    yield (
        "50 MB of one sentence",
        head + b"internal control over financial reporting was not effective and " * (size // 64) + tail,
    )
    yield "50 MB of opening angles", head + b"<" * size + tail
    yield "nested 5 million deep", head + b"<div>" * 5_000_000 + b"disclosure controls" + tail
    yield "50 MB of blanks", head + b" \n" * (size // 2) + tail
    yield "50 MB of references", head + b"&#8217;" * (size // 7) + tail
    yield (
        "a million headings",
        b"<html><body>" + b"<p>Item 9A. Controls and Procedures</p><p>disclosure controls</p>" * 700_000,
    )
    yield (
        "50 MB of plain text",
        b"ITEM 9A. CONTROLS AND PROCEDURES\n\n" + b"Our management was not effective.\n" * (size // 34),
    )


def read(body: bytes, form: str) -> str:
    """Reads every fact; the status of the section."""
    document = FilingDocument("report.htm", form, body)
    filing = FilingInput(
        ACCESSION, form, 2020, date(2021, 3, 1), date(2020, 12, 31), (Registrant("0000000000", ""),), (document,)
    )
    return read_within_limit(filing).sections[0].status


def cases(folder: Path, count: int, seed: int) -> Iterator[tuple[str, str, bytes]]:
    """Kind, form and body of every case."""
    rng = random.Random(seed)
    reports = bodies(folder, None)
    excerpts = []
    for form, body in reports:
        lowered = body.lower()
        places = [lowered.find(word) for word in (b"over financial reporting", b"disclosure controls")]
        for place in filter(lambda at: at > 0, places):
            start = max(0, place - _WINDOW // 2)
            excerpts.append((form, b"<html><body>" + body[start : start + _WINDOW]))
    for number in range(count):
        form, body = rng.choice(reports if number % 200 == 0 else excerpts)
        for _ in range(rng.choice((1, 1, 2, 3))):
            kind = rng.choice(KINDS)
            body = kind(body, rng) or b" "
        yield kind.__name__, form, body
    for name, body in hostile():
        yield name, "10-K", body


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cases", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    outcomes: Counter[tuple[str, str]] = Counter()
    slowest: tuple[float, str] = (0.0, "")
    failed = 0
    total = 0
    for name, form, body in cases(arguments.folder, arguments.cases, arguments.seed):
        total += 1
        if total % 1000 == 0:
            print(f"{total} cases read", file=sys.stderr, flush=True)
        started = time.process_time()
        try:
            outcomes[name, read(body, form)] += 1
        except Exception:
            failed += 1
            print(f"{name}: {len(body)} bytes\n{traceback.format_exc()}", file=sys.stderr)
        seconds = time.process_time() - started
        slowest = max(slowest, (seconds, name))
        if seconds > 1:
            print(f"{name}: {len(body) / 1e6:.1f} MB in {seconds:.1f} s", flush=True)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)
    for (name, outcome), number in sorted(outcomes.items()):
        print(f"{name:28} {outcome:18} {number}")
    print(f"{total} cases, {failed} raised, slowest {slowest[0]:.1f} s ({slowest[1]}), peak memory {memory:.0f} MB")
    sys.exit(failed > 0 or slowest[0] > MOST_SECONDS or memory > MOST_MEGABYTES)


if __name__ == "__main__":
    main()
