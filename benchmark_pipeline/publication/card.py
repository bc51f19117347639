"""The dataset card with the YAML head that dataset hubs read, and the citation file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from benchmark_pipeline.tables.items import TASKS, ItemRow
from benchmark_pipeline.tables.publication import Status

from .measures import attested_clean
from .release_gate import CANARY, Finding

_SIZES = ((1_000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"))


def card(
    version: str, items: Sequence[ItemRow], status: Status, broken: Sequence[Finding], warned: Sequence[Finding]
) -> str:
    """The card as Markdown.

    Args:
        version: of the dataset.
        items: what the folder holds.
        status: release or preview.
        broken: why it is only a preview.
        warned: what a reader of the results should know.
    """
    by_task = Counter(item.task for item in items)
    head: Mapping[str, Any] = {
        "license": "cc-by-4.0",
        "language": ["en"],
        "pretty_name": "ICFR benchmark",
        "task_categories": ["text-classification"],
        "tags": ["finance", "audit", "internal-control", "sec-edgar"],
        "size_categories": [next((name for most, name in _SIZES if len(items) < most), "100K<n<1M")],
        "configs": [*_configs(items, "data", ""), *_configs(items, "labels", "_labels")],
    }  # fmt: skip
    sources = Counter(item.label_source for item in items)
    reviews = Counter(item.review_status for item in items)
    lines = [
        "---",
        yaml.safe_dump(head, sort_keys=False).rstrip(),
        "---",
        "",
        f"# ICFR benchmark {version}" + (" (preview)" if status == "preview" else ""),
        "",
    ]
    if status == "preview":
        lines += ["> **Preview, not a release.** " + " ".join(f"{finding.problem}." for finding in broken), ""]
    lines += [
        "Questions on internal control over financial reporting (ICFR) for language models. The headline measure is the "
        "false-positive rate on attested clean disclosures (Task C).",
        "",
        "| Task | Question | Items |",
        "|---|---|---|",
        f"| A | COSO component of a described deficiency; severity where the source could state another | {by_task['A']} |",
        f"| B | Is this control designed effectively | {by_task['B']} |",
        f"| C | Does this disclosure show deficient or clean ICFR at fiscal year end | {by_task['C']} |",
        f"| D | Which COSO principle or AS 2201 paragraph governs this deficiency | {by_task['D']} |",
        "",
        f"Attested clean items as filed: {sum(attested_clean(i) and i.arm == 'verbatim' for i in items)}.",
        f"Label sources: {', '.join(f'{name} {count}' for name, count in sorted(sources.items()))}.",
        f"Human review: {', '.join(f'{name} {count}' for name, count in sorted(reviews.items()))}.",
        "",
        *(line for finding in warned for line in (f"> **Read with care.** {finding.problem}.", "")),
        "Each task is a configuration (`task_c`), its truth another (`task_c_labels`, joined by `item_id`); the split `test` "
        "is the benchmark, other splits are twins in other words.",
        "",
        "## Use and limits",
        "",
        "- Not for training: keep these files out of training sets, and the numbers mean something for longer.",
        "- Not audit evidence, and not an assessment of any company's controls.",
        "- A clean label is an absence of disclosure, not of deficiency.",
        "- Filings are public and may be in a model's training data; verbatim and paraphrased scores are both reported.",
        "- Single Audit findings concern federal award compliance and are reported apart from SEC filings.",
        "- Scores of different prompt or dataset versions are not compared.",
        "",
        f"Canary: `{CANARY}`. It stands in the files and in no prompt: a model that completes it was trained on them.",
        "",
        "Check the folder by itself with `icfr-bench release verify FOLDER`: checksums, reviews, gate and headline.",
        "",
        "## Licence",
        "",
        "CC-BY 4.0 covers selection, spans, labels, paraphrases and scenarios. The text of filings is a public record whose "
        "words are the filer's. COSO and PCAOB standards are cited by number; their text is not reproduced.",
        "",
    ]
    return "\n".join(lines)


def _configs(items: Sequence[ItemRow], part: str, suffix: str) -> list[dict[str, Any]]:
    """One configuration a task, with one split an arm."""
    found = []
    for task in TASKS:
        arms = {item.arm for item in items if item.task == task}
        files = [
            {"split": file_name(arm), "path": f"{part}/task_{task.lower()}/{file_name(arm)}.parquet"}
            for arm in sorted(arms, key=lambda arm: (arm != "verbatim", arm))
        ]
        if files:
            found.append({"config_name": f"task_{task.lower()}{suffix}", "data_files": files})
    return found


def file_name(arm: str) -> str:
    """Name of the files, and of the split, that hold an arm."""
    return "test" if arm == "verbatim" else arm


def citation(version: str) -> str:
    """The CITATION.cff of the dataset."""
    record = {
        "cff-version": "1.2.0",
        "message": "If you use this dataset, please cite it.",
        "type": "dataset",
        "title": "Reference benchmark of language models on internal control over financial reporting",
        "version": version,
        "license": "CC-BY-4.0",
        "authors": [{"name": "The ICFR benchmark contributors"}],
    }
    return yaml.safe_dump(record, sort_keys=False)
