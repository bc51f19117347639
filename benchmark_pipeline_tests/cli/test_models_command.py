"""`icfr-bench models`: estimates ask nothing, a run goes through Dagster, errors come before the first call."""

from __future__ import annotations

import sys
from io import StringIO
from pathlib import Path

import pytest
import yaml
from rich.console import Console

from benchmark_pipeline.cli.models import print_models, run_models
from benchmark_pipeline.errors import ConfigurationError
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.evaluation import ModelResponseRow

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "evaluation"))

from evaluation_examples import item
from mock_openai import MockOpenAI

PRICE = {"input_per_million": 2.0, "output_per_million": 8.0, "as_of": "2026-11-30", "source": "test"}
ECHO = "example/echo-2026-01-31"


@pytest.fixture
def made(tmp_path):
    """Settings with four items of task C and one of A, and a models file of the test's own."""

    def make(url: str) -> Settings:
        entry = {"id": ECHO, "route": "openai/echo-2026-01-31", "api_base": url, "price": PRICE}
        models = [
            entry,
            {**entry, "repeat": 1},
            {"id": "openai/gpt-4.1-2025-04-14", "api_key_env": "NO_SUCH_KEY"},
            {"id": "baseline/keyword", "kind": "baseline"},
        ]
        path = tmp_path / "models.yaml"
        path.write_text(yaml.safe_dump({"models": models}))
        settings = Settings(data_root=tmp_path / "data", models_file=path)
        Lake(settings.storage_root).write("labeled_items", [*(item("C", company=str(n)) for n in range(4)), item("A")])
        return settings

    return make


def told(action, *arguments, **options) -> str:
    out = StringIO()
    action(arguments[0], Console(file=out, width=100, highlight=False), *arguments[1:], **options)
    return out.getvalue()


def test_a_run_its_repeat_and_a_budget_go_through_dagster_side_by_side(made):
    with MockOpenAI() as server:
        settings = made(server.url)
        estimate = told(run_models, settings, [ECHO], tasks="C", dry_run=True)
        assert "Nothing was asked" in estimate
        assert not server.asked
        first = told(run_models, settings, [ECHO], tasks="C", max_cost_usd=0.0)
        assert f"{ECHO} C: 4 not_run" in first
        assert not server.asked
        both = told(run_models, settings, [ECHO, f"{ECHO}#1"], tasks="C")
        assert f"{ECHO}#1 C: 4 answered" in both
        assert sum(server.asked.values()) == 8
        again = told(run_models, settings, [ECHO, f"{ECHO}#1"], tasks="C")
        assert sum(server.asked.values()) == 8
        assert "this command: $0.0000" in again
    rows = Lake(settings.storage_root).read(ModelResponseRow, "model_responses")
    assert len({row.request_key for row in rows}) == 8
    assert sorted({row.run_id[:2] for row in rows}) == ["r0", "r1"]
    listed = told(print_models, settings)
    assert listed.count("results 0 0 4 0") == 2


@pytest.mark.parametrize(
    ("names", "tasks", "message"),
    [
        ([ECHO, "openai/gpt-4.1-2025-04-14"], "C", "NO_SUCH_KEY is not set"),
        ([ECHO, "openai/gpt-4o"], "C", "is an alias"),
        ([ECHO, "openai/m-2030-01-01"], "C", "add it, or use one of"),
        ([ECHO], "C,E", "names no tasks"),
    ],
)
def test_what_stands_against_a_run_is_told_before_the_first_call(made, names, tasks, message):
    with MockOpenAI() as server:
        settings = made(server.url)
        with pytest.raises(ConfigurationError, match=message):
            told(run_models, settings, names, tasks=tasks)
        assert not server.asked
