"""The command line, `icfr-bench`."""

from benchmark_pipeline.cli.app import main

__all__ = ["main"]
