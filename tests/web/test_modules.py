"""The scripts of the page fit together. A browser loads none of a tab's if one does not."""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

import pytest

STATIC = Path(str(resources.files("wordpl.web") / "static"))
SCRIPTS = sorted(STATIC.rglob("*.js"))
IMPORT = re.compile(r"import \{([^}]*)\} from \"([^\"]+)\"")
DECLARED = re.compile(r"^export (?:async )?(?:const|let|function\*?|class) (\w+)", re.MULTILINE)


def exports(script: Path) -> list[str]:
    return DECLARED.findall(script.read_text("utf-8"))


@pytest.mark.parametrize("script", SCRIPTS, ids=[str(script.relative_to(STATIC)) for script in SCRIPTS])
def test_what_is_imported_is_exported_once(script: Path) -> None:
    declared = exports(script)
    assert len(declared) == len(set(declared))
    for names, source in IMPORT.findall(script.read_text("utf-8")):
        imported = {name.split(" as ")[0].strip() for name in names.split(",")} - {""}
        assert imported <= set(exports((script.parent / source).resolve())), source
