"""What every table asset shares: its place in the graph and its metadata, both derived from the table's `TableSpec`."""

import contextlib
import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import dagster as dg

from benchmark_pipeline import progress
from benchmark_pipeline.failures import RANGE_TAGS
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage.lake import WrittenFile
from benchmark_pipeline.tables import TABLES

OWNER = "team:icfr-bench"

AssetDecorator = Callable[[Callable[..., Any]], dg.AssetsDefinition]


def fiscal_years(settings: Settings) -> dg.StaticPartitionsDefinition:
    """Fiscal years that are built, as partition keys."""
    return dg.StaticPartitionsDefinition([str(year) for year in sorted(settings.fiscal_years)])


def audit_years(settings: Settings) -> dg.StaticPartitionsDefinition:
    """Single Audit years that are built, as partition keys."""
    return dg.StaticPartitionsDefinition([str(year) for year in sorted(settings.audit_years)])


def range_tags(first: str, last: str) -> dict[str, str]:
    """Tags of one run over all partition keys from `first` to `last`."""
    return dict(zip(RANGE_TAGS, (first, last), strict=True))


def year_backfill(settings: Settings) -> dg.BackfillPolicy:
    """How a backfill of years is cut into runs: one run on one machine, which reads shared lists once."""
    if settings.partitions_per_run is None:
        return dg.BackfillPolicy.single_run()
    return dg.BackfillPolicy.multi_run(settings.partitions_per_run)


def column_schema(table: str) -> dg.TableSchema:
    """The columns of a table for Dagster's column panel."""
    spec = TABLES[table]
    return dg.TableSchema(
        columns=[
            dg.TableColumn(name=name, type=kind, description=spec.column_description(name))
            for name, kind in spec.columns.items()
        ]
    )


def table_asset(
    table: str,
    *,
    deps: Sequence[str] = (),
    partitions: dg.PartitionsDefinition[Any] | None = None,
    kinds: Iterable[str] = ("parquet",),
    pool: str | None = None,
    backfill: dg.BackfillPolicy | None = None,
    code_version: str | None = None,
    retry: dg.RetryPolicy | None = None,
) -> AssetDecorator:
    """Declares the asset of a table: name, group, description, owner and column schema come from its `TableSpec`."""
    spec = TABLES[table]
    # The description is the table's; a reader of the UI sees the same sentence as in the data dictionary.
    return dg.asset(
        name=table,
        group_name=spec.group,
        description=spec.description,
        deps=[dg.AssetKey(dep) for dep in deps],
        kinds=set(kinds),
        owners=[OWNER],
        partitions_def=partitions,
        backfill_policy=backfill,
        pool=pool,
        code_version=code_version,
        retry_policy=retry,
        metadata={"dagster/column_schema": column_schema(table), "key": ", ".join(spec.key)},
    )


def record(
    context: dg.AssetExecutionContext,
    written: WrittenFile | Mapping[str, WrittenFile],
    asset: str | None = None,
    /,
    **metadata: Any,
) -> None:
    """Attaches row counts, paths and the given metadata; a mapping is one file a partition key.

    `asset` names the asset in a step that writes several.
    """
    shared = {key: _metadata(value) for key, value in metadata.items()}
    # The content is the version: a run that writes the same rows makes nothing downstream look out of date.
    files = [written] if isinstance(written, WrittenFile) else list(written.values())
    version = hashlib.sha256("".join(file.sha256 for file in files).encode()).hexdigest()[:16]
    # An asset called directly, outside a run, has no step whose data could have a version.
    with contextlib.suppress(AttributeError):
        context.set_data_version(dg.AssetKey(asset) if asset else context.asset_key, dg.DataVersion(version))
    if isinstance(written, WrittenFile):
        context.add_output_metadata({**_file(written), **shared})
        return
    for partition, file in written.items():
        context.add_asset_metadata({**_file(file), **shared}, asset_key=asset, partition_key=partition)


def _file(file: WrittenFile) -> dict[str, Any]:
    return {"dagster/row_count": file.rows, "size_bytes": file.size_bytes, "path": dg.MetadataValue.path(file.path)}


def logging_progress(context: dg.AssetExecutionContext) -> Any:
    """Logs progress of the block to the step's log, a line each tenth."""
    return progress.listening(progress.every_tenth(context.log.info))


def table_markdown(rows: Sequence[Mapping[str, Any]]) -> dg.MarkdownMetadataValue:
    """A small table for the asset page."""
    if not rows:
        return dg.MetadataValue.md("(no rows)")
    names = list(rows[0])
    lines = ["| " + " | ".join(names) + " |", "|" + "---|" * len(names)]
    lines += ["| " + " | ".join(_cell(row.get(name)) for name in names) + " |" for row in rows]
    return dg.MetadataValue.md("\n".join(lines))


def _cell(value: Any) -> str:
    return "" if value is None else str(value).replace("|", "\\|").replace("\n", " ")


def _metadata(value: Any) -> Any:
    return json.loads(json.dumps(value, default=str)) if isinstance(value, dict | list) else value
