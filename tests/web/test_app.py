"""The application put together: its files, its description, and what a wheel has of it."""

import posixpath
import re
from pathlib import Path

import pytest

from wordpl.web.app import TABS
from wordpl.web.bundles import bundle

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "wordpl" / "web" / "static"
FILES = sorted(path.relative_to(STATIC).as_posix() for path in STATIC.rglob("*.*"))


@pytest.fixture(scope="module")
def description(client):
    return client.get("/api/openapi.json").json()


def operations(description):
    for path, methods in description["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


@pytest.mark.parametrize(
    ("path", "status"),
    [
        *(
            (path, 200)
            for path in (
                "/",
                *(f"/{tab}" for tab in TABS),
                "/play/",
                "/explore/matrix",
                "/explore/clues//",
                "/%70lay",
                "/contest/submission/1",
            )
        ),
        *(
            (path, 404)
            for path in (
                "/nope",
                "/PLAY",
                "/play/more",
                "/explore/xyz",
                "/explore/channel/more",
                "/contest/entry",
                "/contest/entry/1",
                "/contest/board",
                "/explore%2Fmatrix",
                "/results/__proto__",
            )
        ),
    ],
)
def test_the_page_is_at_every_address_and_names_the_script_that_it_needs(client, path, status):
    answer = client.get(path)
    assert answer.status_code == status
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    script = re.search(r'src="/static/(bundle/.*)"', answer.text)[1]
    text = re.sub("<link rel=.preload.*\n", "", answer.text).replace(script, "main.js")
    assert text == (STATIC / "index.html").read_text("utf-8")
    sent = client.get(f"/static/{script}")
    assert (sent.status_code, sent.headers["cache-control"]) == (200, "no-cache")
    assert client.get(f"/static/{script}", headers={"If-None-Match": sent.headers["etag"]}).status_code == 304
    for call in re.findall('<link rel="preload" as="fetch" href="(.*)" crossorigin>', answer.text):
        assert client.get(call).status_code == 200


@pytest.mark.parametrize("module", [file for file in FILES if file.endswith(".js")])
def test_a_module_comes_after_those_that_it_imports_and_once(module):
    script = bundle(f"{module}+main.js")
    assert not re.search(r"^(import|export)\b|\bimport\(`/static/tabs", script, re.M)
    names = re.findall(r'^modules\["(.*)"\] \?\?=', script, re.M)
    assert len(names) == len(set(names)) and {module, "main.js"} <= set(names)
    for name in names:
        text = (STATIC / name).read_text("utf-8")
        wanted = {posixpath.normpath(f"{name}/../{other}") for other in re.findall(' from "(.*)";', text)}
        assert wanted <= set(names[: names.index(name)])


@pytest.mark.parametrize("names", ["nope.js", "", "../app.py", "main.js+nope.js", "index.html"])
def test_there_is_no_script_of_other_modules(client, names):
    assert client.get(f"/static/bundle/{names}").status_code == 404


def test_files_are_asked_for_again_and_not_sent_again(client):
    for file in FILES:
        answer = client.get(f"/static/{file}")
        assert answer.status_code == 200
        assert answer.headers["cache-control"] == "no-cache"
        assert client.get(f"/static/{file}", headers={"If-None-Match": answer.headers["etag"]}).status_code == 304


@pytest.mark.parametrize(("path", "compressed"), [("/static/style.css", True), ("/api/openapi.json", False)])
def test_own_files_are_sent_compressed_and_answers_that_may_hold_secrets_are_not(client, path, compressed):
    answer = client.get(path, headers={"Accept-Encoding": "gzip"})
    assert len(answer.content) > 500
    assert (answer.headers.get("content-encoding") == "gzip") == compressed


@pytest.mark.parametrize("file", FILES)
def test_no_file_takes_anything_from_elsewhere_or_has_a_script_inside(file):
    text = (STATIC / file).read_text("utf-8")
    loaded = re.findall(r"""(?:src|href|import|from|url)\s*[=(]?\s*["'(]\s*((?:https?:)?//[^"')]*)""", text)
    assert loaded == []
    if file.endswith(".html"):
        assert not re.search(r"<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|javascript:", text)
    if file.endswith(".js"):
        assert not re.search(r"\b(innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval|new Function)\b", text)
    if file.endswith(".css"):
        assert text.count("{") == text.count("}")


def test_everything_that_comes_in_is_bounded(description):
    """Texts have a length, lists a number of items, numbers a range; what is a choice is bounded by itself."""
    loose = []

    def look(schema, where):
        if "$ref" in schema:
            return
        for one in schema.get("anyOf", []):
            look(one, where)
        if schema.get("type") == "string" and not {"maxLength", "enum", "const", "pattern"} & schema.keys():
            loose.append(where)
        if schema.get("type") == "array" and "maxItems" not in schema and "prefixItems" not in schema:
            loose.append(where)
        if schema.get("type") in ("integer", "number") and not {"maximum", "exclusiveMaximum", "enum"} & schema.keys():
            loose.append(where)
        if isinstance(schema.get("items"), dict):
            look(schema["items"], f"{where}[]")

    bodies = set()
    for name, operation in operations(description):
        for parameter in operation.get("parameters", []):
            look(parameter["schema"], f"{name} {parameter['name']}")
        for content in operation.get("requestBody", {}).get("content", {}).values():
            bodies.add(content["schema"].get("$ref", "").rpartition("/")[2])
    todo, schemas = sorted(bodies - {""}), description["components"]["schemas"]
    seen = set()
    while todo:
        model = todo.pop()
        if model in seen:
            continue
        seen.add(model)
        assert schemas[model].get("additionalProperties", False) is False, model
        todo += re.findall(r"#/components/schemas/(\w+)", str(schemas[model]))
        for field, schema in schemas[model].get("properties", {}).items():
            look(schema, f"{model}.{field}")
    assert not loose, loose
