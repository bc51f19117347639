"""The resources of a pipeline with given settings.

Each is made when a run needs it: a run that asks no model needs no model, a run that fetches nothing no identity. In the
demo profile the clients connect to the replay server, which starts with the first of them and ends with the run.
"""

from collections.abc import Iterator
from typing import Any

import dagster as dg

from benchmark_pipeline.settings import Settings
from benchmark_pipeline.storage import DocumentStore, Lake

from .edgar import EdgarClient
from .fac import FacClient
from .model_client import ModelClient
from .warehouse import build_warehouse_resource


def build_resources(settings: Settings) -> dict[str, Any]:
    """Resource definitions by the names that assets use."""
    documents = DocumentStore(settings.storage_root)

    @dg.resource(description="Base address of the demo's replay server, or of the mirror in use.")
    def source_server(_: dg.InitResourceContext) -> Iterator[str | None]:
        if settings.profile == "demo" and settings.connect_to is None:
            from benchmark_pipeline.demo.server import demo_server

            with demo_server(settings) as url:
                yield url
        else:
            yield settings.connect_to

    @dg.resource(required_resource_keys={"source_server"}, description="EDGAR under the SEC's fair-access rules.")
    def edgar(context: dg.InitResourceContext) -> Iterator[EdgarClient]:
        with EdgarClient(settings, documents, connect_to=context.resources.source_server) as client:
            yield client

    @dg.resource(required_resource_keys={"source_server"}, description="Federal Audit Clearinghouse API.")
    def fac(context: dg.InitResourceContext) -> FacClient:
        return FacClient(settings, documents, connect_to=context.resources.source_server)

    @dg.resource(description="Language models through litellm, and the baselines; every answer is logged at once.")
    def model_client(_: dg.InitResourceContext) -> ModelClient:
        return ModelClient(settings.response_log_folder)

    return {
        "lake": Lake(settings.storage_root),
        "documents": documents,
        "source_server": source_server,
        "edgar": edgar,
        "fac": fac,
        "model_client": model_client,
        "warehouse": build_warehouse_resource(settings),
    }
