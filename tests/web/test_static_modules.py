"""The modules of the page fit together: what one imports, another exports, and none declares a name twice."""

import re
from collections import Counter
from pathlib import Path

import pytest

STATIC = Path(__file__).parents[2] / "wordpl" / "web" / "static"
MODULES = sorted(STATIC.rglob("*.js"))
_IMPORT = re.compile(r'import\s+\{([^}]*)\}\s+from\s+"([^"]+)"')
_EXPORT = re.compile(r"^export (?:default )?(?:async )?(?:function\*?|class|const|let) (\w+)", re.MULTILINE)
_DECLARED = re.compile(r"^(?:export )?(?:async )?(?:function\*?|class|const|let) (\w+)", re.MULTILINE)


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(STATIC)))
def test_what_a_module_imports_is_exported(module):
    text = module.read_text("utf-8")
    for names, place in _IMPORT.findall(text):
        other = STATIC / place.removeprefix("/static/") if place.startswith("/") else module.parent / place
        asked = {name.split(" as ")[0].strip() for name in names.split(",")} - {""}
        assert asked <= set(_EXPORT.findall(other.read_text("utf-8"))), place


@pytest.mark.parametrize("module", MODULES, ids=lambda path: str(path.relative_to(STATIC)))
def test_no_name_is_declared_twice(module):
    twice = {name for name, times in Counter(_DECLARED.findall(module.read_text("utf-8"))).items() if times > 1}
    assert not twice


def test_no_style_block_is_left_open():
    text = (STATIC / "style.css").read_text("utf-8")
    assert text.count("{") == text.count("}")
