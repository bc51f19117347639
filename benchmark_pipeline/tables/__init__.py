"""The tables of the benchmark, one pydantic row model each.

`TABLES` maps a table's name to its `TableSpec`. The name is the same in Dagster, in the lake and in the warehouse.
"""

from __future__ import annotations

from .base import Row, Span, Struct, TableSpec, duckdb_type
from .clean_pool import CLEAN_POOL
from .disclosures import DISCLOSURES
from .evaluation import EVALUATION
from .items import ITEMS
from .publication import PUBLICATION
from .sources import SOURCES

TABLES: dict[str, TableSpec] = {
    spec.name: spec for spec in (*SOURCES, *DISCLOSURES, *CLEAN_POOL, *ITEMS, *EVALUATION, *PUBLICATION)
}

__all__ = ["TABLES", "Row", "Span", "Struct", "TableSpec", "duckdb_type"]
