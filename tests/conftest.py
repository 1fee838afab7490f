"""Fixtures and switches of the whole suite.

- Cached arrays go to a directory of this session, for the subprocesses of the tests too.
- Hypothesis draws the same examples in every run of the same code; `--hypothesis-profile=explore` draws
  new ones, and more of them.
- With `WORDPL_NO_SKIP=1` a test that would be skipped fails: continuous integration has everything.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

import wordpl

# too_slow looks at the clock, so on a busy machine it would fail now and then.
settings.register_profile("wordpl", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("explore", settings.get_profile("wordpl"), derandomize=False, max_examples=1000)
settings.load_profile("wordpl")


@pytest.fixture(scope="session", autouse=True)
def cache_directory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Point `WORDPL_CACHE` at a directory of this session; numba's own cache is left where it is."""
    directory = str(tmp_path_factory.mktemp("wordpl-cache"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORDPL_CACHE", directory)
        yield directory


@pytest.fixture(scope="session")
def original() -> wordpl.WordList:
    """The list of the contest: 2,315 answers, 12,972 guesses."""
    return wordpl.load_words("original")


def _fail_if_skipped(report: Any) -> None:
    if os.environ.get("WORDPL_NO_SKIP") != "1" or not report.skipped:
        return
    reason = getattr(report, "wasxfail", None)
    if reason is not None and "[NOTRUN]" not in reason:
        return  # an expected failure that was run and seen to fail
    if reason is not None:
        del report.wasxfail
    report.outcome = "failed"
    report.longrepr = f"skipped, which WORDPL_NO_SKIP=1 does not allow: {reason or report.longrepr}"


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport() -> Generator[None, Any, Any]:
    report = yield
    _fail_if_skipped(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_make_collect_report() -> Generator[None, Any, Any]:
    report = yield
    _fail_if_skipped(report)
    return report
