"""Bars stay on the terminal while Dagster keeps a step's standard output in a file."""

from __future__ import annotations

import os
import pty
import subprocess
import sys

CHILD = """
import sys
from rich.console import Console
from dagster._core.execution.compute_logs import redirect_to_file
from benchmark_pipeline.cli.execution import _bars
with _bars(Console()) as shown:
    task = shown.add_task("work", total=2, what="")
    with redirect_to_file(sys.stdout, sys.argv[1]):
        shown.update(task, completed=1, what="3 s left")
        shown.refresh()
"""


def test_a_bar_moves_while_standard_output_is_captured(tmp_path):
    ours, theirs = pty.openpty()
    captured = tmp_path / "captured"
    subprocess.run(
        [sys.executable, "-c", CHILD, str(captured)], stdout=theirs, check=True, env={**os.environ, "TERM": "xterm"}
    )
    os.close(theirs)
    assert "3 s left" in os.read(ours, 100_000).decode()
    assert "3 s left" not in captured.read_text("utf-8")
