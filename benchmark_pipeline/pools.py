"""Concurrency pools: what no two runs may do at the same time, and how many may.

Dagster keeps a pool's limit in the instance and not in dagster.yaml, so the limits are set whenever one of our commands
opens an instance. A pool binds the runs that the daemon starts on one instance; commands, analysts and other instances
are held apart by locks of their own: the request rate's file, the publisher's file, the registrants' fingerprints.
"""

from __future__ import annotations

from collections.abc import Mapping

import dagster as dg

SEC_HTTP = "sec_http"
"""Runs that ask EDGAR: one, since the permitted rate is shared in any case."""
FAC_HTTP = "fac_http"
"""Runs that ask the Federal Audit Clearinghouse."""
CLEAN_POOL_WRITER = "clean_pool_writer"
"""Runs that judge filings: two would judge the same registrants twice."""
WAREHOUSE_WRITER = "warehouse_writer"
"""Runs that publish: one, since the warehouse is one file."""

POOL_LIMITS: Mapping[str, int] = {SEC_HTTP: 1, FAC_HTTP: 1, CLEAN_POOL_WRITER: 1, WAREHOUSE_WRITER: 1}


def apply_pool_limits(instance: dg.DagsterInstance, limits: Mapping[str, int] = POOL_LIMITS) -> None:
    """Sets the limits that the instance does not have yet; a limit that somebody changed in the UI stays.

    Instances whose storage knows no pools (in memory) are left alone.
    """
    storage = instance.event_log_storage
    if not storage.supports_global_concurrency_limits:
        return
    known = {pool.name for pool in storage.get_pool_limits() if not pool.from_default}
    for name, limit in limits.items():
        if name not in known:
            storage.set_concurrency_slots(name, limit)
