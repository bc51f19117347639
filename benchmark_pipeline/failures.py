"""Partitions whose last run failed and that nobody has started again. Quiet is the danger: they are listed until they pass."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import dagster as dg
from dagster import DagsterRunStatus, RunsFilter

RETRY_TAG = "icfr-bench/retry"
"""How often the partition has been run again by itself."""
PARTITION_TAG = "dagster/partition"
RANGE_TAGS = ("dagster/asset_partition_range_start", "dagster/asset_partition_range_end")
COMMAND_TAG = "icfr-bench/process"
"""On runs of an `icfr-bench` command, which does by itself what follows; its value is the process id."""

QUIET = timedelta(hours=1)
"""Nobody has acted for so long; the daemon's own retries come at once."""
LOOK_BACK = timedelta(days=14)
MOST_RETRIES = 3
BY_HAND = ("evaluate_model", "build_everything")
"""Jobs that cost money or were started for a reason: a person starts them again."""
MOST_RUNS = 2000


@dataclass(frozen=True)
class Failure:
    """A job and partition whose last run failed."""

    job: str
    partition: str | None
    range_tags: Mapping[str, str]
    run_id: str
    attempt: int
    """Retries that led to this run."""
    run_config: Mapping[str, Any]

    @property
    def may_be_retried(self) -> bool:
        """Whether another run costs nothing but time and has not been tried too often."""
        return self.job not in BY_HAND and self.attempt < MOST_RETRIES

    def __str__(self) -> str:
        """Job, partition and run, for a log line."""
        where = self.partition or " to ".join(self.range_tags.get(tag, "") for tag in RANGE_TAGS if self.range_tags)
        tried = f", tried again {self.attempt} times" if self.attempt else ""
        return f"{self.job}{f' [{where}]' if where else ''} (run {self.run_id[:8]}{tried})"


def unattended_failures(instance: dg.DagsterInstance, now: datetime) -> Iterator[Failure]:
    """Failures of the last two weeks that no later run of the same job and partition has followed, oldest first.

    A run over a range of years follows the single years in it. Runs of commands are left out: whoever typed them saw.

    Args:
        instance: Where runs are recorded.
        now: With a time zone; a failure younger than an hour is left to the daemon and to people.
    """
    seen: list[tuple[str, frozenset[str] | None]] = []
    found = []
    records = instance.get_run_records(
        RunsFilter(created_after=now - LOOK_BACK), limit=MOST_RUNS, order_by="id", ascending=False
    )
    for record in records:
        run = record.dagster_run
        if COMMAND_TAG in run.tags or run.job_name.startswith("__"):
            continue
        years = years_of(run.tags)
        follows = any(job == run.job_name and (later is None or (years or frozenset()) <= later) for job, later in seen)
        if run.status != DagsterRunStatus.CANCELED:
            seen.append((run.job_name, years))
        if follows or run.status != DagsterRunStatus.FAILURE:
            continue
        ended = record.end_time or record.update_timestamp.timestamp()
        if now.timestamp() - ended < QUIET.total_seconds():
            continue
        found.append(
            Failure(
                job=run.job_name,
                partition=run.tags.get(PARTITION_TAG),
                range_tags={tag: run.tags[tag] for tag in RANGE_TAGS if tag in run.tags},
                run_id=run.run_id,
                attempt=int(run.tags.get(RETRY_TAG, "0")),
                run_config=run.run_config,
            )
        )
    yield from reversed(found)


def years_of(tags: Mapping[str, str]) -> frozenset[str] | None:
    """Partitions of a run; None: it has no partitions and stands for the whole."""
    if PARTITION_TAG in tags:
        return frozenset([tags[PARTITION_TAG]])
    first, last = (tags.get(tag) for tag in RANGE_TAGS)
    if first is None or last is None:
        return None
    if first.isdigit() and last.isdigit():
        return frozenset(str(year) for year in range(int(first), int(last) + 1))
    return frozenset([first, last])
