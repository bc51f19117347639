"""The data dictionary, rendered from the row models so that it cannot disagree with the tables."""

from __future__ import annotations

from . import TABLES
from .base import TableSpec

_GROUPS = {
    "sources": "Sources",
    "disclosures": "Disclosures",
    "clean_pool": "Clean pool",
    "items": "Items",
    "evaluation": "Evaluation",
    "publication": "Publication",
}


def render() -> str:
    """The whole dictionary as Markdown."""
    lines = [
        "# Data dictionary",
        "",
        "Generated from the row models by `icfr-bench reference-pages`; a test fails when this page is out of date.",
        "The same names hold in Dagster, in the lake (`lake/<table>/<partition>.parquet`) and in the warehouse.",
        "Instants are UTC.",
        "",
    ]
    for group, title in _GROUPS.items():
        lines += [f"## {title}", ""]
        for spec in TABLES.values():
            if spec.group == group:
                lines += _table(spec)
    return "\n".join(lines).rstrip() + "\n"


def _table(spec: TableSpec) -> list[str]:
    partitioning = "not partitioned" if spec.partitioning == "none" else f"partitioned by {spec.partitioning}"
    lines = [
        f"### `{spec.name}`",
        "",
        spec.description,
        "",
        f"Key: {', '.join(f'`{name}`' for name in spec.key)}; {partitioning.replace('_', ' ')}.",
        "",
        "| column | type | meaning |",
        "|---|---|---|",
    ]
    for name, kind in spec.columns.items():
        meaning = " ".join(spec.column_description(name).split()).replace("|", "\\|")
        lines.append(f"| `{name}` | `{_short(kind)}` | {meaning} |")
    return [*lines, ""]


def _short(kind: str) -> str:
    return kind.replace('"', "")
