"""One published state a session: lake, documents and warehouse of the fixture corpus."""

from __future__ import annotations

from pathlib import Path

import pytest
from published_corpus import VERSION, Corpus, full_corpus

from benchmark_pipeline.resources.warehouse import WarehousePublisher
from benchmark_pipeline.storage import Lake


@pytest.fixture(scope="session")
def corpus() -> Corpus:
    return full_corpus()


@pytest.fixture(scope="session")
def lake(corpus: Corpus, tmp_path_factory: pytest.TempPathFactory) -> Lake:
    return corpus.write(str(tmp_path_factory.mktemp("published")))


@pytest.fixture(scope="session")
def warehouse(lake: Lake) -> Path:
    return WarehousePublisher(Path(lake.root) / "warehouse.duckdb", VERSION).publish(lake).path
