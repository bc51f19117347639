"""The row models: every table is a valid schema with a described column, and the dictionary is up to date."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from benchmark_pipeline.icfr import decision_page
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables import TABLES, TableSpec, dictionary, duckdb_type

DESIGN_TABLES = {
    "filing_index", "raw_filings", "eight_k_402_index", "single_audit_findings",
    "icfr_sections", "icfr_assertions", "material_weaknesses",
    "contradicting_evidence", "clean_pool", "withdrawn_items",
    "scenarios", "candidate_items", "item_reviews", "labeled_items", "paraphrased_subset",
    "prompt_templates", "model_responses", "parsed_answers", "scores",
    "metrics", "headline_false_positive_rate", "warehouse", "report", "dataset_release",
}  # fmt: skip


def test_the_tables_are_those_of_the_pipeline() -> None:
    assert set(TABLES) == DESIGN_TABLES


@pytest.mark.parametrize("spec", TABLES.values(), ids=lambda spec: spec.name)
def test_every_column_has_a_type_and_a_meaning(spec: TableSpec) -> None:
    assert all(spec.columns.values())
    assert [name for name in spec.columns if not spec.column_description(name)] == []


@pytest.mark.parametrize("spec", TABLES.values(), ids=lambda spec: spec.name)
def test_the_key_names_columns(spec: TableSpec) -> None:
    assert set(spec.key) <= set(spec.columns)


@pytest.mark.parametrize("spec", TABLES.values(), ids=lambda spec: spec.name)
def test_every_table_can_be_written_empty(spec: TableSpec, tmp_path: Path) -> None:
    lake = Lake(str(tmp_path))
    lake.write(spec.name, [])
    assert lake.read(spec.model, spec.name) == []


@pytest.mark.parametrize("annotation", [dict[str, str], int | str, object])
def test_an_annotation_without_a_column_type_is_an_error(annotation: object) -> None:
    with pytest.raises(TypeError, match="no column type"):
        duckdb_type(annotation)


@pytest.mark.parametrize(
    ("name", "render"), [("data_dictionary.md", dictionary.render), ("clean_pool.md", decision_page.render)]
)
def test_the_generated_pages_are_up_to_date(name: str, render: Callable[[], str]) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / name
    assert page.read_text(encoding="utf-8") == render(), "run `icfr-bench reference-pages`"
