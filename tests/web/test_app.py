"""The application put together: its files, its description, and what a wheel has of it."""

import json
import re
from pathlib import Path

import pytest

from tests.support.play_requests import after, ask, begun
from wordpl.web import app
from wordpl.web.app import TABS
from wordpl.web.app import warm as WARM  # noqa: N812 - other tests go without it

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "wordpl" / "web" / "static"

THERE = ["/", *(f"/{tab}" for tab in TABS)]
THERE += ["/play/", "/explore/matrix", "/explore/clues//", "/%70lay"]
NOT_THERE = ["/nope", "/PLAY", "/play/more", "/explore/xyz", "/explore/channel/more", "/explore%2Fmatrix"]
NOT_THERE += ["/contest/entry/1", "/coach/channel", "/contest/submit", "/results/__proto__"]


@pytest.mark.parametrize("path", THERE + NOT_THERE)
def test_the_page_is_at_every_address_and_names_the_script_that_it_needs(client, path):
    answer = client.get(path)
    assert answer.status_code == (200 if path in THERE else 404)
    assert answer.headers["content-type"] == "text/html; charset=utf-8"
    assert client.head(path).status_code == answer.status_code
    script = re.search(r'src="/static/(bundle/.*)"', answer.text)[1]
    text = re.sub("<(link rel=.preload|script type=.application/json).*\n", "", answer.text).replace(script, "main.js")
    style = f"<style>{(STATIC / 'style.css').read_text('utf-8')}</style>"
    assert style in text
    text = text.replace(style, '<link rel="stylesheet" href="/static/style.css">')
    assert text == (STATIC / "index.html").read_text("utf-8")
    sent = client.get(f"/static/{script}")
    assert (sent.status_code, sent.headers["cache-control"]) == (200, "no-cache")
    assert client.get(f"/static/{script}", headers={"If-None-Match": sent.headers["etag"]}).status_code == 304
    assert client.head(f"/static/{script}").headers["etag"] == sent.headers["etag"]
    for call in re.findall('<link rel="preload" as="fetch" href="(.*)" crossorigin>', answer.text):
        assert client.get(call).status_code == 200


def test_a_new_game_comes_with_the_page_and_another_with_the_next(client):
    def games(path: str) -> list[str]:
        return re.findall('<script type="application/json" id="game">(.*)</script>', client.get(path).text)

    first, second = (json.loads(games("/play")[0]) for _ in range(2))
    assert first["id"] != second["id"]
    assert first == begun(client) | {"id": first["id"]}
    assert after(client, first, ask("crate", 13.0))["spent"] == 13.0
    assert [games(path) for path in ("/play?kind=wordle", "/play/more", "/coach")] == [[]] * 3


def test_there_is_no_script_of_other_modules(client):
    tags = [client.get(f"/static/bundle/{name}").headers["etag"] for name in ("main.js", "rows.js")]
    assert tags[0] != tags[1] and re.fullmatch('"[0-9a-f]{32}"', tags[0])
    for names in ("nope.js", "", "../app.py", "main.js+nope.js", "index.html"):
        assert client.get(f"/static/bundle/{names}").status_code == 404, names


def test_warming_that_fails_leaves_a_server_that_answers(monkeypatch, caplog):
    monkeypatch.setattr(app, "record_holders", lambda: 1 / 0)
    WARM()
    (record,) = caplog.records
    assert record.getMessage() == "the compiled code could not be loaded ahead of the first request"


BOUNDS = {
    "string": {"maxLength", "enum", "const", "pattern"},
    "array": {"maxItems", "prefixItems"},
    "integer": {"maximum", "exclusiveMaximum", "enum"},
    "number": {"maximum", "exclusiveMaximum", "enum"},
}


def test_everything_that_comes_in_is_bounded(client):
    """Texts have a length, lists a number of items, numbers a range; what is a choice is bounded by itself."""
    description, todo, seen, loose = client.get("/api/openapi.json").json(), [], set(), []
    for path, methods in description["paths"].items():
        for operation in methods.values():
            todo += [(f"{path} {one['name']}", one["schema"]) for one in operation.get("parameters", [])]
            bodies = [content["schema"] for content in operation.get("requestBody", {}).get("content", {}).values()]
            todo += [(path, body) for body in bodies if "$ref" in body]
    for where, schema in todo:  # which grows
        name = schema.get("$ref", "").rpartition("/")[2]
        if name in seen:
            continue
        if name:
            seen.add(name)
            schema = description["components"]["schemas"][name]
            assert schema.get("additionalProperties", False) is False, name
        wanted = BOUNDS.get(schema.get("type"), set())
        if wanted and not wanted & schema.keys():
            loose.append(where)
        todo += [(where, one) for one in [*schema.get("anyOf", ()), *schema.get("oneOf", ())]]
        todo += [(f"{where}[]", schema["items"])] if "items" in schema else []
        todo += [(f"{where}.{field}", one) for field, one in schema.get("properties", {}).items()]
    assert len(seen) > 10 and not loose
