"""The warehouse as a resource: `dagster-duckdb` opens the temporary build file, never the published one."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb

from benchmark_pipeline.publication.warehouse import BuiltWarehouse, build_warehouse
from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import Lake


class WarehousePublisher:
    """Builds the warehouse from the lake and swaps it in for the published file."""

    def __init__(self, path: Path, dataset_version: str, *, threads: int = 2, memory_limit: str = "2GB") -> None:
        self.path = path
        self.dataset_version = dataset_version
        self._config = {"threads": threads, "memory_limit": memory_limit}

    def publish(self, lake: Lake) -> BuiltWarehouse:
        """One build; see `publication.warehouse.build_warehouse` for what it refuses."""
        return build_warehouse(lake, self.path, self._connect, self.dataset_version)

    @contextmanager
    def _connect(self, database: Path) -> Iterator[duckdb.DuckDBPyConnection]:
        # Imported here: it takes over a second, which every step of every asset would pay.
        from dagster_duckdb import DuckDBResource

        with DuckDBResource(database=str(database), connection_config=self._config).get_connection() as connection:
            yield connection


def build_warehouse_resource(settings: Settings) -> WarehousePublisher:
    """The publisher of a profile's warehouse."""
    return WarehousePublisher(settings.warehouse_path, settings.dataset_version)
