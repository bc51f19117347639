"""A release cut from a finished demo: refused while nothing is reviewed, cut and verified with a test reviewer's log.

The demo's own log is never touched: everything happens in a temporary copy, and the test readers' names say what they are.
"""

import csv
import io
import os
import shutil
from pathlib import Path

import pytest
from rich.console import Console

from benchmark_pipeline.cli.release import build, verify_folder
from benchmark_pipeline.cli.review import apply_decisions, export_reviews, import_reviews
from benchmark_pipeline.demo.profile import demo_settings
from benchmark_pipeline.errors import BenchError
from benchmark_pipeline.items.reviews import readers_needed
from benchmark_pipeline.review.material import load_material
from benchmark_pipeline.settings import PROJECT_ROOT
from benchmark_pipeline.storage import Lake
from benchmark_pipeline.tables.items import ItemRow

DEMO = Path(os.environ.get("ICFR_BENCH_DEMO_DATA", PROJECT_ROOT / "data" / "demo"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(not (DEMO / "lake" / "scores").is_dir(), reason=f"no finished demo in {DEMO}: run `make demo`"),
]


def said(item: ItemRow) -> dict[str, str]:
    if item.task == "B":
        return {"answer": "effective" if item.gold_effective else "not_effective"}
    return {"decision": "accept"}


def test_a_release_of_the_demo_is_refused_unread_and_cut_and_verified_once_read(tmp_path: Path) -> None:
    for part in ("lake", "documents", "logs"):
        shutil.copytree(DEMO / part, tmp_path / "demo" / part)
    settings = demo_settings(data_root=tmp_path)
    out = io.StringIO()
    console = Console(file=out, width=200)

    apply_decisions(settings, console)
    with pytest.raises(BenchError, match=r"116 of 116 items have no human decision \(A-06eec71afea1eaa8, .* more\)"):
        build(settings, console, preview=False)
    version = settings.dataset_version
    assert [path.name for path in settings.releases_folder.iterdir() if path.is_dir()] == [f"{version}-preview"]

    sent = tmp_path / "reviews.csv"
    export_reviews(settings, sent, "csv", console)
    items = load_material(Lake(settings.storage_root)).by_id
    for reader in ("Test Reader One", "Test Reader Two"):
        lines = list(csv.DictReader(io.StringIO(sent.read_text(encoding="utf-8"), newline="")))
        back = tmp_path / f"{reader}.csv"
        with back.open("w", encoding="utf-8", newline="") as handle:
            writer = csv.DictWriter(handle, list(lines[0]))
            writer.writeheader()
            for line in lines:
                if reader.endswith("One") or readers_needed(items[line["item_id"]]) == 2:
                    line |= {
                        "reviewer": reader,
                        "decided_at": "2026-01-05T10:00:00+00:00",
                        **said(items[line["item_id"]]),
                    }
                writer.writerow(line)
        assert import_reviews(settings, back, console), out.getvalue()

    with pytest.raises(BenchError, match="are not applied yet"):
        build(settings, console, preview=False)
    apply_decisions(settings, console)
    build(settings, console, preview=False)
    folder = settings.releases_folder / version
    assert verify_folder(folder, console), out.getvalue()
    assert "116 of 116 items reviewed" in out.getvalue() and "gate: release: open" in out.getvalue()
    with pytest.raises(BenchError, match="never overwritten"):
        build(settings, console, preview=False)
