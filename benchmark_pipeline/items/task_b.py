"""Task B: is the described control designed effectively against the stated risk. Each half of a pair is an item."""

from __future__ import annotations

from collections.abc import Iterable

from benchmark_pipeline.tables.items import ItemRow, ScenarioRow

from .drafting import draft_item
from .registry import component_of_principle


def scenario_text(row: ScenarioRow) -> str:
    """What a model reads of one half: setting, risk, control."""
    return f"Process\n{row.process_narrative}\n\nRisk\n{row.risk}\n\nControl\n{row.control_description}"


def build_task_b(scenarios: Iterable[ScenarioRow]) -> list[ItemRow]:
    """Items of Task B, both halves of every pair. All are gradient-bearing: an author can express any tier."""
    return [
        draft_item(
            "B",
            row.scenario_id,
            scenario_text(row),
            population="synthetic_scenario",
            jurisdiction="XX",
            regime="none",
            company_key=f"pair:{row.pair_id}",
            label_source="human" if row.drafted_by == "human" else "llm_draft_human_verified",
            drafted_by=row.drafted_by,
            gradient_bearing=True,
            gold_effective=row.designed_effectively,
            gold_gap_type=row.gap_type,
            gold_severity=row.severity,
            pair_id=row.pair_id,
            pair_role=row.pair_role,
            pair_kind=row.pair_kind,
            strata=[
                f"archetype:{row.archetype}",
                f"process:{row.process}",
                f"size:{row.entity_size}",
                f"component:{component_of_principle(row.principle)}",
                *(["compensating_control"] if row.compensating_control else []),
            ],
        )
        for row in sorted(scenarios, key=lambda row: row.scenario_id)
    ]
