"""Worker processes: of this machine or of a cluster, how they are stopped, and how they come to grief."""

from wordpl.workers.parcels import Call as Call
from wordpl.workers.pool import Pool as Pool
from wordpl.workers.pool import WorkerLostError as WorkerLostError
from wordpl.workers.pool import batch_seconds as batch_seconds
from wordpl.workers.pool import make_pool as make_pool
from wordpl.workers.pool import run_in_order as run_in_order
from wordpl.workers.pool import run_unordered as run_unordered
from wordpl.workers.pool import start as start
from wordpl.workers.settling import die_with_parent as die_with_parent
from wordpl.workers.settling import place as place
from wordpl.workers.stopping import Stop as Stop
from wordpl.workers.stopping import stoppable as stoppable
