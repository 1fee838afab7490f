from . import checks as checks
from .clusters import cluster as cluster
from .errors import WorkerLostError as WorkerLostError
from .files import read_file as read_file
from .files import whole_file as whole_file
from .workers import run_calls as run_calls
