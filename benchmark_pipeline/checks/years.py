"""Which years a check judges: those that its run has written.

Another run may be writing another year at this moment, on another machine, and a check that read it would fail for what is
only half done. It also keeps a nightly check from reading twenty years of documents again.
"""

from __future__ import annotations

import dagster as dg

from benchmark_pipeline.failures import years_of
from benchmark_pipeline.storage import Lake


def years_of_run(context: dg.AssetCheckExecutionContext, lake: Lake, table: str) -> list[str]:
    """Partitions of the table that the check's run has written; all there are where the run has no partitions."""
    written = lake.partitions(table)
    years = years_of(context.run.tags)
    return written if years is None else [year for year in written if year in years]
