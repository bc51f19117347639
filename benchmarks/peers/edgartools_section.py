"""Runs in the peer's own environment: edgartools' controls item of each report, as JSON on standard output.

Reads a JSON list of [path, form] from standard input. No network: the report is handed over as a filing that is
already there.
"""

import gzip
import json
import resource
import sys
import time
from pathlib import Path
from types import SimpleNamespace

from edgar.company_reports.ten_k import TenK
from edgar.company_reports.twenty_f import TwentyF


def section(html: str, form: str) -> str:
    """The text that edgartools returns for the item, empty where it returns none."""
    filing = SimpleNamespace(
        form=form, html=lambda: html, text=lambda: html, markdown=lambda: html, company="", filing_date="2020-01-01",
        accession_no="0000000000-00-000000", accession_number="0000000000-00-000000", cik=0, period_of_report="2019-12-31", xbrl=lambda: None,
    )  # fmt: skip
    report = TwentyF(filing) if form == "20-F" else TenK(filing)
    return str(report["Item 15" if form == "20-F" else "Item 9A"] or "")


def main() -> None:
    """Command line."""
    results = []
    # Imports that the first report would be charged with.
    section("<html><body><p>Item 9A. Controls</p></body></html>", "10-K")
    for path, form in json.load(sys.stdin):
        raw = Path(path).read_bytes()
        body = gzip.decompress(raw) if path.endswith(".gz") else raw
        started = time.process_time()
        error = ""
        try:
            text = section(body.decode("utf-8", "replace"), form)
        except Exception as problem:
            text, error = "", f"{type(problem).__name__}: {problem}"
        seconds = time.process_time() - started
        results.append({"path": path, "seconds": seconds, "text": text, "error": error})
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    json.dump({"results": results, "peak": peak}, sys.stdout)


if __name__ == "__main__":
    main()
