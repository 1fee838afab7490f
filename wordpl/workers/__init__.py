"""Worker processes: of this machine or of a cluster, how they are stopped, and how they come to grief."""

from wordpl.workers.parcels import Call
from wordpl.workers.pool import (
    Pool,
    PoolOptions,
    WorkerLostError,
    batch_seconds,
    lost_call,
    make_pool,
    run_in_order,
    run_unordered,
    start,
)
from wordpl.workers.settling import die_with_parent, place, settle_as_worker
from wordpl.workers.stopping import Stop, stoppable

__all__ = [
    "Call",
    "Pool",
    "PoolOptions",
    "Stop",
    "WorkerLostError",
    "batch_seconds",
    "die_with_parent",
    "lost_call",
    "make_pool",
    "place",
    "run_in_order",
    "run_unordered",
    "settle_as_worker",
    "start",
    "stoppable",
]
