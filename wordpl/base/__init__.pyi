from . import checks as checks
from .clusters import cluster as cluster
from .errors import WorkerLostError as WorkerLostError
from .files import add_json_line as add_json_line
from .files import read_file as read_file
from .files import read_json_lines as read_json_lines
from .files import whole_file as whole_file
from .workers import run_calls as run_calls
