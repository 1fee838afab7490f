"""The examples in docstrings give what they show."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import wordpl

ROOT = Path(wordpl.__file__).parent
MODULES = sorted(
    ".".join(("wordpl", *file.relative_to(ROOT).with_suffix("").parts))
    for file in ROOT.rglob("*.py")
    if ">>> " in file.read_text("utf-8")
)


@pytest.mark.parametrize("module", MODULES)
def test_examples(module: str) -> None:
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0 and result.failed == 0


def test_that_there_are_examples() -> None:
    assert {"wordpl.model.clues", "wordpl.model.posterior", "wordpl.scoring.guess_scores"} <= set(MODULES)
