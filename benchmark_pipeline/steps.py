"""A step log that a person can read: one line a finished asset, with rows, rejects and seconds.

Dagster's event log keeps everything; this logger shows what someone at a terminal wants to see.
"""

import logging
from collections.abc import Callable, Iterator
from typing import Any

import dagster as dg

StepLine = Callable[[str, str], None]
"""Called with (kind, line); kind is `start`, `done`, `note`, `check` or `error`. A `start` line is a step's key, and a
`done` line starts with `<step key>\t`."""

_sinks: list[StepLine] = []


def add_sink(sink: StepLine) -> None:
    """Sends step lines of this process to `sink` from now on."""
    _sinks.append(sink)


def remove_sink(sink: StepLine) -> None:
    """Stops sending to `sink`."""
    _sinks.remove(sink)


@dg.logger(None, "One line a finished asset, for people at a terminal.")
def readable_steps(_: dg.InitLoggerContext) -> logging.Logger:
    """The Dagster logger: quiet unless a sink listens."""
    logger = logging.Logger("icfr_bench.steps", logging.DEBUG)
    logger.addHandler(_StepHandler())
    return logger


class _StepHandler(logging.Handler):
    def __init__(self) -> None:
        super().__init__()
        # Rows and partitions of the assets that a running step has written so far, by step key.
        self._written: dict[str, dict[str, list[tuple[str | None, int | None]]]] = {}

    def emit(self, record: logging.LogRecord) -> None:
        meta = getattr(record, "dagster_meta", None)
        meta = meta if isinstance(meta, dict) else {}
        for line in self._lines(meta.get("dagster_event"), meta, record):
            for sink in tuple(_sinks):
                sink(*line)

    def _lines(self, event: Any, meta: dict[str, Any], record: logging.LogRecord) -> Iterator[tuple[str, str]]:
        kind = event.event_type_value if event is not None else None
        if event is None:
            yield "note", f"{meta.get('step_key') or ''}: {meta.get('orig_message') or ''}"
        elif kind == "STEP_START":
            yield "start", event.step_key
        elif kind == "ASSET_MATERIALIZATION":
            written = event.step_materialization_data.materialization
            rows = written.metadata.get("dagster/row_count")
            assets = self._written.setdefault(event.step_key, {})
            assets.setdefault(written.asset_key.to_user_string(), []).append(
                (written.partition, rows.value if rows is not None else None)
            )
        elif kind == "STEP_SUCCESS":
            for asset, parts in self._written.pop(event.step_key, {}).items():
                yield "done", f"{event.step_key}\t{_summary(asset, parts)}"
        elif kind == "ASSET_CHECK_EVALUATION":
            check = event.event_specific_data
            fails = check.severity == dg.AssetCheckSeverity.ERROR
            verdict = "holds" if check.passed else ("FAILS" if fails else "warns")
            yield "check", f"{check.check_name} {verdict}" + ("" if check.passed else f": {_reason(check)}")
        elif kind in ("STEP_FAILURE", "PIPELINE_FAILURE"):
            yield "error", record.getMessage()


def _reason(check: Any) -> str:
    """The check's own words, else how many it found."""
    found = check.metadata.get("found")
    return check.description or (f"{found.value} found" if found is not None else "see the check in the UI")


def _summary(asset: str, parts: list[tuple[str | None, int | None]]) -> str:
    partitions = sorted(partition for partition, _ in parts if partition)
    where = ""
    if partitions:
        where = f" [{partitions[0]}]" if len(partitions) == 1 else f" [{partitions[0]} to {partitions[-1]}]"
    rows = [count for _, count in parts if count is not None]
    return f"{asset}{where}" + (f": {sum(rows)} rows" if rows else "")
