"""The labelling guide beside the item: the sections of `docs/labelling_guide.md` that its task needs."""

from __future__ import annotations

import re
from functools import lru_cache

from markdown_it import MarkdownIt

from benchmark_pipeline.settings import PROJECT_ROOT

SECTIONS: dict[str, tuple[str, ...]] = {
    "A": ("COSO component", "Severity", "Unit"),
    "B": ("Scenarios", "Severity"),
    "C": ("Disclosures",),
    "D": ("Citation", "COSO component", "Unit"),
    "paraphrase": ("Paraphrases",),
    "clean_pool": ("Questions on evidence",),
}


@lru_cache
def guide_html(subject: str) -> str:
    """The sections for a task or kind as HTML. HTML inside the guide is escaped, not passed through."""
    path = PROJECT_ROOT / "docs" / "labelling_guide.md"
    parts = re.split(r"(?m)^## ", path.read_text(encoding="utf-8")) if path.is_file() else []
    wanted = [part for start in (*SECTIONS[subject], "Review") for part in parts if part.startswith(start)]
    renderer = MarkdownIt("commonmark", {"html": False}).enable("table")
    html = str(renderer.render("\n".join(f"### {part}" for part in wanted)))
    # Values of closed vocabularies are long: they may break after an underscore.
    return re.sub(r"<code>[^<]*</code>", lambda code: code.group().replace("_", "_<wbr>"), html)
