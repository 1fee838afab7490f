"""What the tables and pictures of results load."""

from __future__ import annotations

import subprocess
import sys


def test_tables_and_pictures_of_results_do_not_wait_for_the_kernels() -> None:
    code = "import sys, wordpl.reporting.outcome_tables, wordpl.reporting.plots; print('numba' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert run.stdout == "False\n"
