"""How much memory and time does the nightly archive of all submissions take?

    python benchmarks/bulk_submissions.py [--gigabytes 1.5] [--members 900000] [--wanted 7000]

An archive of that size is made with as many members as EDGAR's has registrants, then the lists of the annual filers are
read out of it in a process of its own, whose peak memory is measured. It must stay below 500 MB, and nothing may be written.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

from benchmark_pipeline.edgar.bulk_archive import BulkArchive
from benchmark_pipeline.edgar.submissions import parse_submissions
from benchmark_pipeline.edgar.universe import of_interest

LARGEST_MB = 500


def list_of(cik: int, filings: int, draw: random.Random) -> bytes:
    """The submissions of one registrant, three fifths of them of interest."""
    forms = [("10-Q", "8-K", "4", "4", "10-K")[number % 5] for number in range(filings)]
    columns = {
        "accessionNumber": [f"{cik:010}-24-{number:06}" for number in range(filings)],
        "filingDate": ["2024-03-01"] * filings,
        "reportDate": ["2023-12-31"] * filings,
        "acceptanceDateTime": ["2024-03-01T21:00:00.000Z"] * filings,
        "form": forms,
        "items": ["4.02,9.01" if form == "8-K" else "" for form in forms],
        "size": [draw.randrange(10**7) for _ in range(filings)],
        "isInlineXBRL": [1] * filings,
        "primaryDocument": [f"{draw.getrandbits(64):x}.htm" for _ in range(filings)],
    }
    body = {"cik": str(cik), "name": f"CO {cik}", "filings": {"recent": columns, "files": []}}
    return json.dumps(body).encode()


def make_archive(path: Path, size_bytes: int, members: int, wanted: int) -> None:
    """Writes the archive: few long lists, many short ones, and padding that does not compress, up to the size."""
    draw = random.Random(7)
    long = [list_of(1, 1000, draw)]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED, allowZip64=True) as packed:
        each = max(0, (size_bytes - members * 150) // members - 200)
        for number in range(1, members + 1):
            name = zipfile.ZipInfo(f"CIK{number:010}.json")
            if number <= wanted:
                name.compress_type = zipfile.ZIP_DEFLATED
                packed.writestr(name, long[0].replace(b'"cik": "1"', b'"cik": "%d"' % number))
            else:
                packed.writestr(name, draw.randbytes(each))


def peak_bytes() -> int:
    """Peak resident memory of this program (Linux); `ru_maxrss` would count the one that started it too."""
    (line,) = [line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM:")]
    return int(line.split()[1]) * 1024


def read_archive(path: Path, wanted: int) -> None:
    """Reads the wanted lists as the pipeline does, and prints what it took."""
    started = time.monotonic()
    names = {f"CIK{number:010}.json" for number in range(1, wanted + 1)}
    kept = 0
    with BulkArchive(path) as archive:
        members = {member.name: member for member in archive.members(names.__contains__)}
        listed = time.monotonic() - started
        for name in sorted(members):
            page = parse_submissions(archive.read(members[name]))
            kept += sum(of_interest(filing) for filing in page.filings)
    print(
        json.dumps(
            {
                "members": archive.count,
                "read": len(members),
                "filings_of_interest": kept,
                "directory_seconds": round(listed, 1),
                "seconds": round(time.monotonic() - started, 1),
                "peak_mb": round(peak_bytes() / 1e6, 1),
            }
        )
    )


def main() -> int:
    """Runs the measurement; the exit code says whether the bound holds."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--gigabytes", type=float, default=1.5)
    parser.add_argument("--members", type=int, default=900_000)
    parser.add_argument("--wanted", type=int, default=7_000)
    parser.add_argument("--read", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.read:
        read_archive(options.read, options.wanted)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "submissions.zip"
        make_archive(path, int(options.gigabytes * 1e9), options.members, options.wanted)
        before = set(Path(folder).iterdir())
        command = [sys.executable, __file__, "--read", str(path), "--wanted", str(options.wanted)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found = json.loads(output)
        size = path.stat().st_size / 1e9
        written = set(Path(folder).iterdir()) - before
    good = found["peak_mb"] < LARGEST_MB and not written and found["read"] == options.wanted
    print(f"archive             {size:.2f} GB, {found['members']:,} members")
    print(f"lists read          {found['read']:,}, {found['filings_of_interest']:,} filings of interest")
    print(f"time                {found['seconds']} s, of which {found['directory_seconds']} s for the directory")
    print(f"peak memory         {found['peak_mb']} MB (bound {LARGEST_MB})")
    print(f"load of the machine {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print("the bound holds" if good else "THE BOUND IS BROKEN")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
