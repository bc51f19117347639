"""Partitions: fiscal and audit years are static, models are dynamic, tasks are A to D.

Partition keys are years and not filings: tens of thousands of keys freeze the UI and health queries.
"""

from benchmark_pipeline.assets.common import audit_years, fiscal_years

__all__ = ["audit_years", "fiscal_years"]
