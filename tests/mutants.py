"""`make mutants`: small changes to the code that decides a figure, each of which a test should fail on.

cosmic-ray makes the changes (mutants) and keeps the session. A session is a folder of `build/mutants`: its sample, what
was found, and two copies of the tree as it was at the start, in which the mutants run. A session that was stopped goes
on where it was. `tests/mutants.md` lists the survivors that change nothing.
"""

import argparse
import ast
import os
import random
import shlex
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from threading import Lock

from cosmic_ray.commands.init import init
from cosmic_ray.mutating import mutate_and_test, mutate_code
from cosmic_ray.plugins import get_operator
from cosmic_ray.work_db import WorkDB, use_db
from cosmic_ray.work_item import MutationSpec, TestOutcome, WorkItem, WorkResult

ROOMS = {
    "model": ("wordpl/model", ["tests/model"]),
    "scoring": ("wordpl/scoring", ["tests/scoring"]),
    "play": (
        "wordpl/play",
        ["tests/play", "tests/cli/test_help.py", "tests/base/test_sources.py"],
    ),
    "simulation": ("wordpl/simulation", ["tests/simulation"]),
    "limits": ("wordpl/limits", ["tests/limits"]),
    "strategies": ("strategies", ["tests/strategies", "tests/contest/test_export.py"]),
}
"""For each room its folder, and the tests that judge it, after those of a mutant's own module."""
PROCESSES = 2
SECONDS = 150
"""What a mutant may take; one that takes longer counts as noticed."""


def main() -> None:
    """Make or continue a session, and print its table and its survivors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="which sample")
    parser.add_argument("--count", type=int, default=30, help="mutants of each room")
    options = parser.parse_args()
    session = Path("build/mutants", f"{options.seed}-{options.count}").absolute()
    with use_db(session_file(session, options.seed, options.count)) as found:
        run(session, found)
        report(found)


def session_file(session: Path, seed: int, count: int) -> Path:
    """The file of a session, which is made if it is not there."""
    if not (session / "found.sqlite").exists():
        shutil.rmtree(session, ignore_errors=True)
        for number in range(PROCESSES):
            copy_tree(session / str(number))
        with use_db(session / "new.sqlite") as new:
            for room in ROOMS:
                new.add_work_items(sample(room, random.Random(f"{seed} {room}"), count))
        (session / "new.sqlite").rename(session / "found.sqlite")
    return session / "found.sqlite"


def copy_tree(copy: Path) -> None:
    """Copy what git tracks."""
    tracked = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout.split("\0")
    for path in filter(None, tracked):
        (copy / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(path, copy / path)


def sample(room: str, rng: random.Random, count: int) -> Iterable[WorkItem]:
    """Draw mutants of a room that change more than annotations; compiled kernels are not in it."""
    with use_db(":memory:") as everything:
        init(sorted(path for path in Path(ROOMS[room][0]).rglob("*.py") if "kernels" not in path.name), everything, {})
        items = list(everything.work_items)
    rng.shuffle(items)
    chosen = (item for item in items if changes_code(item.mutations[0]))
    return [item for item, _ in zip(chosen, range(count), strict=False)]


def changes_code(mutation: MutationSpec) -> bool:
    """Whether a mutant can be run, and differs in more than annotations, which nobody evaluates."""
    source = mutation.module_path.read_text(encoding="utf-8")
    mutant = mutate_code(source, get_operator(mutation.operator_name)(), mutation.occurrence)
    try:
        return mutant is not None and _without_annotations(source) != _without_annotations(mutant)
    except SyntaxError:  # the tool takes the star before keywords for an operator
        return False


def _without_annotations(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if hasattr(node, "annotation"):
            node.annotation = ast.Constant(None)
        if hasattr(node, "returns"):
            node.returns = None
    return ast.dump(tree)


def room_of(mutation: MutationSpec) -> str:
    """The room that a mutant belongs to."""
    return next(room for room, (folder, _) in ROOMS.items() if mutation.module_path.is_relative_to(folder))


def tests_of(mutation: MutationSpec) -> list[str]:
    """The tests that judge a mutant: those of its own module first."""
    folder, tests = ROOMS[room_of(mutation)]
    own = f"tests/{folder.removeprefix('wordpl/')}/test_{mutation.module_path.stem}.py"
    return [own, *tests] if Path(own).exists() else tests


def judge(copy: Path, item: WorkItem) -> tuple[WorkResult, float]:
    """Run the tests of a mutant in a copy of the tree; return what came of it, and the seconds that it took."""
    os.chdir(copy)
    os.environ["PYTHONPATH"] = str(copy)
    options = ["-q", "-x", "-p", "no:cacheprovider", "-m", "not heavy and not published", "--hypothesis-profile=fast"]
    tests = [path for mutation in item.mutations for path in tests_of(mutation)]
    start = time.monotonic()
    result = mutate_and_test(item.mutations, shlex.join([sys.executable, "-m", "pytest", *options, *tests]), SECONDS)
    return result, time.monotonic() - start


def run(session: Path, found: WorkDB) -> None:
    """Judge what is left of a session: a thread for each copy."""
    left, writing = iter(list(found.pending_work_items)), Lock()

    def work(copy: Path) -> None:
        with ProcessPoolExecutor(1) as process:
            for item in left:
                result, seconds = process.submit(judge, copy, item).result()
                with writing:
                    found.set_result(item.job_id, result)
                    print(f"{seconds:6.1f} s  {outcome(result):8}  {item.mutations[0].module_path}", flush=True)

    with ThreadPoolExecutor() as threads:
        list(threads.map(work, [session / str(number) for number in range(PROCESSES)]))


def outcome(result: WorkResult) -> str:
    """What became of a mutant."""
    if result.test_outcome is None:
        return str(result.worker_outcome.value)
    return "timeout" if result.output == "timeout" else str(result.test_outcome.value)


def report(found: WorkDB) -> None:
    """Print the survivors, and a row for each room."""
    rooms = {item.job_id: room_of(item.mutations[0]) for item in found.work_items}
    counts = {room: Counter[str]() for room in ROOMS}
    for job, result in found.results:
        counts[rooms[job]][outcome(result)] += 1
        if result.test_outcome == TestOutcome.SURVIVED:
            print(f"\n{job}\n{result.diff}")
    for room, count in counts.items():
        print(f"{room:12}", ", ".join(f"{number} {name}" for name, number in sorted(count.items())))


if __name__ == "__main__":
    main()
