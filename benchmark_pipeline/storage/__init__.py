"""Where bytes rest: the Parquet lake, the raw document store and append-only logs. No Dagster in here."""

from .append_log import AppendLog
from .documents import DocumentStore
from .lake import Lake

__all__ = ["AppendLog", "DocumentStore", "Lake"]
