"""The counts of the set: as metadata of the assets, and as a view of the warehouse."""

from __future__ import annotations

from pathlib import Path

import duckdb
from item_rows import SECTIONS, filing

from benchmark_pipeline.items.candidates import composition
from benchmark_pipeline.items.scenarios import load_scenarios
from benchmark_pipeline.items.selection import reject
from benchmark_pipeline.items.task_b import build_task_b
from benchmark_pipeline.items.task_c import section_item
from benchmark_pipeline.publication.warehouse import read_view
from benchmark_pipeline.settings import PROJECT_ROOT
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.items import ItemRow


def items() -> list[ItemRow]:
    sections = [
        section_item(filing(SECTIONS[0], 1, scope_out=True)),
        section_item(filing(SECTIONS[2], 2, decision="clean_management_only")),
        section_item(filing(SECTIONS[1], 3, decision="deficient", deficient_by="management")),
    ]
    return [*(item for item in sections if item), *build_task_b(load_scenarios(PROJECT_ROOT / "scenarios" / "demo"))]


def test_the_view_counts_each_item_once_a_dimension_and_once_a_stratum(tmp_path: Path) -> None:
    rows = items()
    rows[0] = rows[0].model_copy(update={"review_status": "accepted"})
    lake = Lake(str(tmp_path))
    lake.write("labeled_items", rows)
    connection = duckdb.connect()
    connection.execute(f"CREATE VIEW labeled_items AS SELECT * FROM read_parquet('{lake.path('labeled_items')}')")
    counted = {
        (task, dimension, value): (count, pending)
        for task, arm, dimension, value, count, pending in connection.execute(
            read_view("item_composition")[1]
        ).fetchall()
    }
    assert counted["C", "all", "all"] == (3, 2)
    assert counted["B", "all", "all"] == (16, 16)
    assert counted["C", "gold", "clean attested"] == (1, 0)
    assert counted["C", "gold", "clean management_only"] == (1, 1)
    assert counted["C", "stratum", "scope_out"] == (1, 0)
    assert counted["B", "label_source", "llm_draft_human_verified"] == (16, 16)
    assert counted["B", "population", "synthetic_scenario"] == (16, 16)
    for dimension in (
        "population",
        "label_source",
        "drafted_by",
        "gold",
        "severity",
        "jurisdiction",
        "form",
        "fiscal_year",
    ):
        assert sum(count for (_, name, _), (count, _) in counted.items() if name == dimension) == len(rows), dimension


def test_the_metadata_count_accepted_items_alone() -> None:
    rows = items()
    rows[1] = reject(rows[1], "near_duplicate", "for the test")
    told = {(row["task"], row["population"], row["label_source"]): row for row in composition(rows)}
    assert told["C", "sec_annual_report", "disclosure"]["items"] == 2
    assert "scope_out 1" in told["C", "sec_annual_report", "disclosure"]["strata"]
    assert told["B", "synthetic_scenario", "llm_draft_human_verified"]["items"] == 16
