"""Full rebuild of metrics, headline and warehouse through their assets: seconds and peak memory for a million responses.

Usage: python benchmarks/publication.py [--runs 25] [--items 40000]

The lake is written in SQL with the real tables' columns. Texts are about as long as real ones. The time counts imports,
the assets as Dagster runs them, and their checks, which must pass.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb

from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables import TABLES

VERSION = "1.0.0"
DIGEST = "sha256({})"


def model_id(run: int) -> str:
    return f"vendor/model-{run:03d}-2026-01-15"


def query(table: str, source: str, **values: str) -> str:
    """A statement that gives every column of a table: the named expressions, and null elsewhere."""
    columns = ", ".join(
        f'CAST({values.get(name, "NULL")} AS {kind}) AS "{name}"' for name, kind in TABLES[table].columns.items()
    )
    return f"SELECT {columns} FROM {source}"


def write_lake(root: str, runs: int, items: int) -> Lake:
    """Items of all tasks, and as many runs that answered all of them; the last fifth are baselines."""
    lake = Lake(root)
    connection = duckdb.connect(config={"threads": 2, "memory_limit": "2GB"})
    connection.execute("SET enable_progress_bar = false")
    connection.execute(f"""
        CREATE TABLE i AS SELECT n, CASE WHEN n % 20 < 14 THEN 'C' WHEN n % 20 < 17 THEN 'A' WHEN n % 20 = 17 THEN 'B'
            WHEN n % 20 = 18 THEN 'D' ELSE 'C' END AS task, n % 20 = 19 AS twin,
            CASE WHEN n % 20 < 9 OR n % 20 = 19 THEN 'attested' WHEN n % 20 < 11 THEN 'management_only' END AS rating
        FROM range({items}) AS t(n)""")
    text = "repeat('Management assessed internal control over financial reporting as of year end. ', 25)"
    lake.write_query("labeled_items", connection, query(
        "labeled_items", "i", item_id="task || '-' || lpad(n::VARCHAR, 16, '0')", task="task",
        arm="CASE WHEN twin THEN 'paraphrase' ELSE 'verbatim' END", text=text, text_sha256=DIGEST.format("n::VARCHAR"),
        fiscal_year_end="DATE '2021-12-31' + (n % 4 * 365)::INTEGER", population="CASE WHEN n % 20 = 16 THEN 'single_audit' ELSE 'sec_annual_report' END",
        jurisdiction="'US'", regime="'sox_404'", language="'en'", fiscal_year="2021 + n % 4",
        form="CASE WHEN n % 11 = 0 THEN '20-F' ELSE '10-K' END", cik="lpad((n // 40 * 10 + n % 10)::VARCHAR, 10, '0')",
        company_key="(n // 40 * 10 + n % 10)::VARCHAR", source_ref="'item ' || n",
        label_source="CASE WHEN task = 'C' THEN 'disclosure' ELSE 'llm_draft_human_verified' END",
        drafted_by="CASE WHEN task <> 'C' OR twin THEN CASE WHEN n % 3 = 0 THEN 'one/a' ELSE 'two/b' END END",
        gradient_bearing="task = 'B' OR n % 20 = 16",
        gold_icfr="CASE WHEN task = 'C' THEN CASE WHEN rating IS NULL THEN 'deficient' ELSE 'clean' END END",
        clean_rating="rating", gold_effective="CASE WHEN task = 'B' THEN n % 40 >= 20 END",
        gold_severity="CASE WHEN n % 20 = 16 THEN 'significant_deficiency' WHEN task = 'B' AND n % 40 < 20 THEN 'control_deficiency' END",
        gold_components_accepted="[]", gold_citations_accepted="[]", gold_evidence="[]", touches_itgc="n % 7 = 0",
        pair_id="CASE WHEN task = 'B' THEN 'p' || n // 40 END", pair_role="CASE WHEN task = 'B' THEN CASE WHEN n % 40 >= 20 THEN 'control' ELSE 'variant' END END",
        pair_kind="CASE WHEN task = 'B' THEN 'minimal' END",
        twin_of="CASE WHEN twin THEN 'C-' || lpad((n - 19)::VARCHAR, 16, '0') END",
        seasoning_tier="CASE WHEN rating IS NOT NULL THEN 'S' || n % 3 END", strata="CASE WHEN n % 9 = 0 THEN ['scope_out'] ELSE [] END",
        sic_division="chr(65 + (n % 10)::INTEGER)", review_status="'accepted'", reviewed_by="[]", builder_version="'i1'",
    ))  # fmt: skip
    connection.execute(f"""
        CREATE VIEW r AS SELECT i.*, run, task || '-' || lpad(n::VARCHAR, 16, '0') AS item,
            CASE WHEN run >= {runs * 4 // 5} THEN 'baseline/rule-' ELSE 'vendor/model-' END || lpad(run::VARCHAR, 3, '0') || '-2026-01-15' AS model,
            hash(n * 1000 + run) % 1000 AS h, hash(n * 1000 + run + 7) % 1000 < 10 AS fails,
            CASE WHEN rating IS NULL THEN hash(n * 1000 + run) % 1000 < 850 ELSE hash(n * 1000 + run) % 1000 < 40 + 4 * run END AS flag
        FROM i, range({runs}) AS t(run)""")
    key = DIGEST.format("item || ' ' || run")
    shared = {"request_key": key, "dataset_version": f"'{VERSION}'", "prompt_version": "'pv1'", "model_id": "model",
              "run_id": "'r1'", "task": "task", "item_id": "item", "arm": "CASE WHEN twin THEN 'paraphrase' ELSE 'verbatim' END",
              "outcome": "CASE WHEN fails THEN 'parse_fail' ELSE 'answered' END"}  # fmt: skip
    answer = (
        '\'{"icfr": "clean", "reason": "\' || repeat(\'The report says that controls were effective. \', 4) || \'"}\''
    )
    lake.write_query("model_responses", connection, query(
        "model_responses", "r", **shared, outcome_detail="CASE WHEN fails THEN 'fenced' END", attempts="1",
        raw_body=f"'{{\"id\": \"' || item || '\", \"content\": ' || {answer} || '}}'", content=answer, schema_enforcement="'json_schema'",
        parameters="'{\"temperature\": 0}'", prompt_sha256=DIGEST.format("item"), prompt_tokens="600", completion_tokens="40",
        cost_usd="0.001", started_at="TIMESTAMP '2026-06-01'", finished_at="TIMESTAMP '2026-06-01'",
    ), "all-models")  # fmt: skip
    lake.write_query("parsed_answers", connection, query(
        "parsed_answers", "r", **shared,
        answer_icfr="CASE WHEN task = 'C' AND NOT fails THEN CASE WHEN flag THEN 'deficient' ELSE 'clean' END END",
        answer_severity="CASE WHEN NOT fails AND task IN ('A', 'B') THEN ['control_deficiency', 'significant_deficiency', 'material_weakness'][1 + (h % 3)::INTEGER] END",
    ))  # fmt: skip
    right = "CASE WHEN NOT fails THEN h < 700 END"
    lake.write_query("scores", connection, query(
        "scores", "r", **shared, scoring_version="'sv1'", answered="NOT fails",
        flagged_deficient="CASE WHEN task = 'C' AND NOT fails THEN flag END",
        false_positive="CASE WHEN rating IS NOT NULL AND NOT fails THEN flag END",
        true_positive="CASE WHEN task = 'C' AND rating IS NULL AND NOT fails THEN flag END",
        correct=f"CASE WHEN task = 'C' THEN CASE WHEN NOT fails THEN flag = (rating IS NULL) END ELSE {right} END",
        **dict.fromkeys(("component_correct", "component_accepted"), f"CASE WHEN task IN ('A', 'D') THEN {right} END"),
        severity_correct=f"CASE WHEN task IN ('A', 'B') THEN {right} END", gap_type_correct=f"CASE WHEN task = 'B' THEN {right} END",
        **dict.fromkeys(("citation_exact", "citation_hallucinated", "citation_abstained", "evidence_exact", "evidence_hit"), f"CASE WHEN task = 'D' THEN {right} END"),
    ))  # fmt: skip
    return lake


REBUILD = """
import sys, time
begin = time.perf_counter()
from pathlib import Path
import dagster as dg
from benchmark_pipeline.assets import publication
from benchmark_pipeline.checks import publication as checks
from benchmark_pipeline.resources.warehouse import WarehousePublisher
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake
root = Path(sys.argv[1])
settings = Settings(data_root=root, dataset_version=sys.argv[2], models_file=root / "models.yaml")
defined = [*publication.build(settings), *checks.build(settings)]
held = {"lake": Lake(settings.storage_root), "warehouse": WarehousePublisher(settings.warehouse_path, settings.dataset_version)}
print(f"{'imports':<44}{time.perf_counter() - begin:8.1f} s after the start", flush=True)
for name in ("metrics", "headline_false_positive_rate", "warehouse"):
    done = dg.materialize(defined, resources=held, selection=dg.AssetSelection.assets(name))
    assert done.success and all(check.passed for check in done.get_asset_check_evaluations())
    print(f"{name + ' and its checks':<44}{time.perf_counter() - begin:8.1f} s after the start", flush=True)
"""


def write_models(target: Path, models: list[str]) -> None:
    """A register in which every model states a training cutoff, so that everything about cutoffs is counted too."""
    cutoff = "{day: 2023-06-30, source: made up, read_on: 2026-01-15}"
    target.write_text("models:\n" + "".join(f"  - {{id: {m}, training_cutoff: {cutoff}}}\n" for m in models))


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=25)
    options.add_argument("--items", type=int, default=40_000)
    chosen = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="icfr-bench-") as folder:
        begin, settings = time.perf_counter(), Settings(data_root=Path(folder), dataset_version=VERSION)
        write_lake(settings.storage_root, chosen.runs, chosen.items)
        write_models(Path(folder) / "models.yaml", [model_id(run) for run in range(chosen.runs * 4 // 5)])
        size = sum(path.stat().st_size for path in Path(folder).rglob("*.parquet"))
        print(f"{chosen.runs * chosen.items:,} responses of {chosen.runs} runs on {chosen.items:,} items, "
              f"{size / 1e6:.0f} MB of Parquet, made in {time.perf_counter() - begin:.0f} s")  # fmt: skip
        begin = time.perf_counter()
        subprocess.run([sys.executable, "-c", REBUILD, folder, VERSION], check=True)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        print(f"rebuild {time.perf_counter() - begin:.1f} s, processor {used.ru_utime + used.ru_stime:.1f} s, "
              f"peak memory {used.ru_maxrss / 1e6:.2f} GB, load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")  # fmt: skip


if __name__ == "__main__":
    main()
