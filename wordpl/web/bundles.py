"""The modules of the page as one script for each view: a slow network is asked once, not in many rounds.

A module becomes a function whose exports stand in one table for the whole page, so none is made twice. This reads the
form in which the modules of `static` are written: imports and exports by name, each on its own line, and no circle.
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from functools import lru_cache
from pathlib import Path

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.types import Scope

STATIC = Path(__file__).with_name("static")
MODULES = {file.relative_to(STATIC).as_posix(): file for file in STATIC.rglob("*.js")}
STYLE = (STATIC / "style.css").read_text("utf-8")
"""The style sheet. It is sent within the page: on a slow network, a request of its own would delay the first paint."""
BUNDLE = "bundle/"
"""The path of a script below that of the files; then come names of modules, with + between them."""

_START = f"""const modules = globalThis.modules ??= {{}};
const load = async (name) => modules[name] ?? (await import(`/static/{BUNDLE}${{name}}`), modules[name]);
"""
_COMMENT = re.compile(r"^ *(?:/\*\*.*?\*/|//[^\n]*)\n", re.M | re.S)
_IMPORT = re.compile(r'^import \{ (.+) \} from "(.+)";$', re.M)
_EXPORT = re.compile(r"^export ((?:async )?(?:function|const|class) (\w+))", re.M)
_LATER = re.compile(r"\bimport\(`/static/")


class Files(StaticFiles):
    """The files of the page, and its modules as scripts."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        if not path.startswith(BUNDLE) or scope["method"] not in ("GET", "HEAD"):
            return await super().get_response(path, scope)
        try:
            script = bundle(path.removeprefix(BUNDLE))
        except KeyError:
            raise HTTPException(404) from None
        etag = f'"{hashlib.sha256(script.encode()).hexdigest()[:32]}"'
        response = Response(script, media_type="text/javascript", headers={"ETag": etag})
        if self.is_not_modified(response.headers, Headers(scope=scope)):
            return NotModifiedResponse(response.headers)
        return response


@lru_cache(64)
def bundle(names: str) -> str:
    """Return the script of some modules, with all that they import. Raises `KeyError` for one that there is not."""
    done: dict[str, str] = {}
    for name in names.split("+"):
        _add(name, done)
    return "".join([_START, *done.values()])


def _add(name: str, done: dict[str, str]) -> None:
    """Add a module after those that it imports."""
    if name in done:
        return
    text = _COMMENT.sub("", MODULES[name].read_text("utf-8"))
    for _, other in _IMPORT.findall(text):
        _add(posixpath.normpath(f"{name}/../{other}"), done)
    exports = ", ".join(found[2] for found in _EXPORT.finditer(text))
    text = _LATER.sub("load(`", _EXPORT.sub(r"\1", _IMPORT.sub(lambda found: _taken(name, *found.groups()), text)))
    done[name] = f'modules["{name}"] ??= (() => {{\n{text}return {{ {exports} }};\n}})();\n'


def _taken(name: str, wanted: str, other: str) -> str:
    """The line that takes what a module imports from the table."""
    return f'const {{ {wanted.replace(" as ", ": ")} }} = modules["{posixpath.normpath(f"{name}/../{other}")}"];'
