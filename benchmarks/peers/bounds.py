"""Runs in the peers' environment: what parsing alone costs, by lxml and by selectolax, as JSON on standard output.

Reads a JSON list of [path, form] from standard input. No section is looked for: a reader that builds a tree with one
of these libraries cannot be faster.
"""

import gzip
import json
import sys
import time
from pathlib import Path

from lxml import html
from selectolax.parser import HTMLParser


def lxml_text(body: bytes) -> int:
    """Letters of the text by lxml."""
    return len(html.fromstring(body).text_content())


def selectolax_text(body: bytes) -> int:
    """Letters of the text by selectolax."""
    root = HTMLParser(body).body
    return len(root.text()) if root is not None else 0


def main() -> None:
    """Command line."""
    bodies = []
    for path, _form in json.load(sys.stdin):
        raw = Path(path).read_bytes()
        bodies.append(gzip.decompress(raw) if path.endswith(".gz") else raw)
    seconds = {}
    for name, parse in (("lxml", lxml_text), ("selectolax", selectolax_text)):
        started = time.process_time()
        for body in bodies:
            parse(body)
        seconds[name] = time.process_time() - started
    json.dump(seconds, sys.stdout)


if __name__ == "__main__":
    main()
