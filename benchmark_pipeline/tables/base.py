"""What every row model shares, and how a row model becomes a Parquet schema.

One pydantic model a table is the only place where a column is defined: the Parquet schema, Dagster's
column metadata, the warehouse comments and the data dictionary are all derived from it.
"""

from __future__ import annotations

import types
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, StringConstraints

Cik = Annotated[str, StringConstraints(pattern=r"^\d{10}$")]
"""Central Index Key, zero-padded to ten digits so that it joins as text."""
Accession = Annotated[str, StringConstraints(pattern=r"^\d{10}-\d{2}-\d{6}$")]
"""EDGAR accession number with dashes. Its prefix is the submitter's id, often a filing agent's."""
Sha256 = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
Utc = AwareDatetime
"""An instant; stored in Parquet as a TIMESTAMP in UTC."""

Group = Literal["sources", "disclosures", "clean_pool", "items", "evaluation", "publication"]
Partitioning = Literal["fiscal_year", "audit_year", "model_task", "none"]


class Row(BaseModel):
    """One row of a table: frozen, and no column that the model does not name."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Struct(BaseModel):
    """A value nested in a column (a STRUCT in Parquet)."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Span(Struct):
    """Where a fact stands: characters [start, end) of the normalised text of one document."""

    document_sha256: Sha256
    """SHA-256 of the stored document, as filed."""
    start: int = Field(ge=0)
    """First character, in the document's normalised text."""
    end: int = Field(ge=0)
    """One past the last character."""
    quote: str
    """The characters themselves, so that a reader needs no second look-up."""


@dataclass(frozen=True)
class TableSpec:
    """A table's name, its row model and where it stands in the pipeline."""

    name: str
    model: type[Row]
    group: Group
    partitioning: Partitioning
    key: tuple[str, ...]
    """Columns that identify a row; an asset check proves that they do."""
    description: str

    @property
    def columns(self) -> dict[str, str]:
        """Column name to DuckDB type, in the order of the model's fields."""
        return {name: duckdb_type(field.annotation) for name, field in self.model.model_fields.items()}

    def column_description(self, name: str) -> str:
        """The string under the field, which the dictionary and the UI show."""
        return (self.model.model_fields[name].description or "").strip()


_SCALARS: dict[object, str] = {
    str: "VARCHAR",
    int: "BIGINT",
    float: "DOUBLE",
    bool: "BOOLEAN",
    date: "DATE",
    datetime: "TIMESTAMP",
    AwareDatetime: "TIMESTAMP",
}


def stored_values(values: dict[str, Any]) -> dict[str, Any]:
    """A row's values as its model takes them: a TIMESTAMP comes from DuckDB without its zone, which is UTC."""
    return {
        key: value.replace(tzinfo=UTC) if isinstance(value, datetime) and value.tzinfo is None else value
        for key, value in values.items()
    }


def duckdb_type(annotation: Any) -> str:
    """The DuckDB type of a field's annotation.

    Raises:
        TypeError: for an annotation that has no column type (a dict, a union of two types).
    """
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return duckdb_type(args[0])
    if origin is Literal:
        return "VARCHAR" if isinstance(args[0], str) else "BIGINT"
    if origin in (Union, types.UnionType):
        inner = [a for a in args if a is not type(None)]
        if len(inner) == 1:
            return duckdb_type(inner[0])
    if origin in (list, tuple):
        return f"{duckdb_type(args[0])}[]"
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        fields = ", ".join(
            f'"{name}" {duckdb_type(field.annotation)}' for name, field in annotation.model_fields.items()
        )
        return f"STRUCT({fields})"
    raise TypeError(f"no column type for {annotation!r}")
