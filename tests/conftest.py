"""Fixtures and switches of the whole suite.

- Cached arrays go to a directory of this session, for the subprocesses of the tests too; so does the key of games,
  which is always the same, so that a game has the same answer in every run.
- Hypothesis draws the same examples in every run of the same code; `--hypothesis-profile=explore` draws
  new ones, and more of them; `--hypothesis-profile=fast`, which `make test-fast` has, draws the first of them.
- What a test, or a command that it starts, draws by `secrets` depends on the name of the test alone.
- Only a test that fails for want of bubblewrap or the browser, and says so, is skipped. `.ci/needs` installs both.
- With `-n` (pytest-xdist) the tests of a file run in one worker, so that what they share is made once. Kernels are
  compiled before the workers start.
"""

import gc
import os
import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Generator, Iterator
from functools import cache
from pathlib import Path
from typing import Any

if "PYTEST_XDIST_WORKER" in os.environ:  # before numpy and numba are imported, which read these once
    for _name in ("OMP", "OPENBLAS", "MKL", "NUMBA"):
        os.environ.setdefault(f"{_name}_NUM_THREADS", "1")

# A worker of pytest-xdist has the width of the terminal here; the commands under test would fit their tables to it.
os.environ.pop("COLUMNS", None)

import pytest
from hypothesis import HealthCheck, settings

import wordpl

pytest.register_assert_rewrite("tests.support")
from tests.support.forked import seed_secrets  # noqa: E402 - after that
from wordpl.base.kernel_folder import kernel_folder  # noqa: E402

os.environ.setdefault("NUMBA_CACHE_DIR", str(kernel_folder().parent))  # since `WORDPL_CACHE` becomes another

gc.disable()  # until all is collected: it would search the modules again and again, and nothing there is garbage

# So a shell starts what runs in the background, and nohup what it runs: the commands under test would inherit it.
for _signum, _handler in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(_signum) is signal.SIG_IGN:
        signal.signal(_signum, _handler)

# too_slow looks at the clock, so on a busy machine it would fail now and then.
settings.register_profile(
    "wordpl", deadline=None, derandomize=True, max_examples=40, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("explore", settings.get_profile("wordpl"), derandomize=False, max_examples=1000)
settings.register_profile("generated", settings.get_profile("explore"), max_examples=4000)
settings.register_profile("fast", settings.get_profile("wordpl"), max_examples=20)
settings.load_profile("wordpl")


NEEDED = {"bwrap": "bubblewrap is not installed", "chromium-headless-shell": "executable doesn't exist at /usr/bin"}
MISSING = [message for program, message in NEEDED.items() if shutil.which(program) is None]

# Each worker takes up to 2 GB, and with more of them the longest group decides how long the suite takes.
MAX_WORKERS = 4


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """`-n auto`: a worker for each core that this process may use, and one more, since tests wait for children."""
    return min(len(os.sched_getaffinity(0)) + 1, MAX_WORKERS)


@pytest.hookimpl(tryfirst=True)
def pytest_sessionstart(session: pytest.Session) -> None:
    """Compile the kernels that most tests need, so that no two workers do so at once; on another core those of the
    experiments."""
    if session.config.getoption("numprocesses", None):
        from tests.support.kernels import compile_kernels

        command = [sys.executable, "-m", "tests.support.kernels", "experiments"]
        with subprocess.Popen(command, cwd=session.config.rootpath):
            for length in (5, 6):
                compile_kernels(length)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Give a worker a file at a time, those of most heavy tests first, so that all end at about the same time."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()) or any(map(item.get_closest_marker, ("published", "alone"))):
            item.add_marker("heavy")
    if hasattr(config, "workerinput"):
        heavy = Counter(_group(item.nodeid) for item in items if item.get_closest_marker("heavy"))
        items.sort(key=lambda item: -heavy[_group(item.nodeid)])


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Skip, and so count, a test that fails for want of a program."""
    report = yield
    said = report.longreprtext + report.capstderr
    if report.failed and (message := next((text for text in MISSING if text in said), None)):
        report.outcome, report.longrepr = "skipped", (str(item.path), item.location[1] or 0, f"Skipped: {message}")
    return report


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """`--dist loadfile`, but with all files marked `alone` taken as one."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class ByGroup(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return _group(nodeid)

    return ByGroup(config, log)


def _group(nodeid: str) -> str:
    path = nodeid.partition("::")[0]
    return "alone" if _is_alone(path) else path


@cache
def _is_alone(path: str) -> bool:
    return "pytestmark = pytest.mark.alone" in (Path(__file__).parents[1] / path).read_text("utf-8")


@pytest.fixture(scope="session", autouse=True)
def cache_directory(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Point `WORDPL_CACHE` at a directory of this session (one for all workers), and what is the user's at another;
    compiled kernels stay."""
    base = tmp_path_factory.getbasetemp()
    directory = str((base.parent if hasattr(request.config, "workerinput") else base) / "wordpl-cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORDPL_CACHE", directory)
        patch.setenv("XDG_STATE_HOME", str(base))
        (base / "wordpl").mkdir()
        (base / "wordpl" / "games.key").write_bytes(bytes(32))
        (base / "wordpl" / "games.key").chmod(0o600)
        yield directory


@pytest.fixture(scope="session")
def original() -> wordpl.WordList:
    """The list of the contest: 2,315 answers, 12,972 guesses."""
    return wordpl.load_words("original")


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    seed_secrets(item.nodeid)
