"""Generated requests to every operation that the API describes: no defect, and each answer is as it is described.

`make generated` sends 12,500.
"""

import logging
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from wordpl.web.api import frontier
from wordpl.web.app import make_app
from wordpl.web.settings import Settings

pytestmark = pytest.mark.heavy

EXAMPLES = settings().max_examples // 8  # so `make generated` sends 12,500 to 25 operations

# What makes sense: without it, hardly a request gets past the first look at its words.
LIKELY: dict[str, list[Any]] = {
    "guess": ["crate", "salet", "mamma"],
    "word": ["crate", "haste"],
    "answer": ["haste", "crate"],
    "clue": ["..icc", "ccccc", ".....", "i...."],
    "epsilon": ["inf", 13.0, 0.1],
    "rule": ["letterwise", "counted"],
    "answers": ["crate\nhaste\nsalet", "cat\ndog"],
    "guesses": ["crate\nhaste\nsalet\nmamma"],
}


def likely(value: Any, name: str = "") -> Any:
    """The value, with what makes sense wherever a field has a name of `LIKELY`."""
    if isinstance(value, dict):
        return {key: likely(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [likely(inner, "guess" if name == "guesses" else name) for inner in value]
    if name not in LIKELY or isinstance(value, int):
        return value
    return LIKELY[name][len(str(value)) % len(LIKELY[name])]


def or_likely(context: Any, strategy: Any) -> Any:
    return st.one_of(strategy, strategy.map(likely))


@pytest.fixture
def operations(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Any]]:
    """All operations. Imports and application are this file's alone: every worker collects it, and one runs it."""
    import schemathesis

    whole = frontier._frontier
    monkeypatch.setattr(frontier, "_frontier", lambda clues: whole(None))  # privacy accounting takes seconds
    app = make_app(Settings())
    schema = schemathesis.openapi.from_asgi("/api/openapi.json", app, headers={"Host": "localhost"})
    for part in ("body", "query", "path_parameters"):
        schema.hook(f"before_generate_{part}")(or_likely)
    with TestClient(app, base_url="http://localhost") as client:
        words = client.post("/api/words", json={"answers": "crate\nhaste\nsalet\nmamma"}).json()["name"]
        LIKELY["words"] = LIKELY["name"] = [words]  # whose games are quickly ranked and analyzed
        games = [{"kind": "daily"}, *({"kind": kind, "words": words} for kind in ("wordpl", "adversarial", "fibble"))]
        LIKELY["game"] = LIKELY["again"] = [client.post("/api/play/games", json=one).json()["id"] for one in games]
        yield [operation.ok() for operation in schema.get_all_operations()]


def test_no_request_is_too_odd(operations, subtests):
    from schemathesis.checks import not_a_server_error
    from schemathesis.specs.openapi import checks

    conformances = [
        not_a_server_error,
        checks.status_code_conformance,
        checks.content_type_conformance,
        checks.response_headers_conformance,
        checks.response_schema_conformance,
    ]
    for operation in operations:

        @given(operation.as_strategy())
        @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
        def answered(case):
            response = case.call(headers={"Host": "localhost"}, timeout=300)
            assert response.status_code != 403  # the guard would let nothing through to be tested
            case.validate_response(response, checks=conformances)

        with subtests.test(operation.label):
            answered()


@pytest.fixture(autouse=True)
def _nothing_logged(caplog):
    yield
    assert [record for record in caplog.get_records("call") if record.levelno >= logging.ERROR] == []
