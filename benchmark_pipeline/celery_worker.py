"""The Celery application of a worker that takes whole runs: `celery -A benchmark_pipeline.celery_worker worker`.

`icfr-bench worker` starts it. dagster-celery's own application reads a file, and one that it cannot read as it expects sends
the worker, without a word, to a broker on this machine; this one takes the addresses from the environment or stops.
"""

from __future__ import annotations

import os

from celery import Celery
from dagster_celery.config import DEFAULT_CONFIG
from dagster_celery.make_app import make_app
from dagster_celery.tasks import create_execute_job_task, create_resume_job_task

from benchmark_pipeline.errors import ConfigurationError
from benchmark_pipeline.instance import CELERY_BACKEND_URL, CELERY_BROKER_URL


def build_app() -> Celery:
    """The application on the broker that the environment names.

    Raises:
        ConfigurationError: no broker is named.
    """
    broker = os.environ.get(CELERY_BROKER_URL)
    if not broker:
        raise ConfigurationError("the worker has no broker", remedy=f"export {CELERY_BROKER_URL}=redis://host:6379/0")
    backend = os.environ.get(CELERY_BACKEND_URL) or broker
    app: Celery = make_app({"broker": broker, "backend": backend, "config_source": dict(DEFAULT_CONFIG)})
    create_execute_job_task(app)
    create_resume_job_task(app)
    return app


app = build_app()
