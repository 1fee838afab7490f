"""Generated requests to every operation that the API describes: no defect, and each answer is as it is described.

`make generated` sends 20,000.
"""

import logging
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)
from starlette.testclient import TestClient

from wordpl.web.app import make_app
from wordpl.web.settings import Settings

pytestmark = pytest.mark.heavy

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]

schemathesis.serializer.alias("application/zip", "application/octet-stream")
APP = make_app(Settings())
SCHEMA = schemathesis.openapi.from_asgi("/api/openapi.json", APP, headers={"Host": "localhost"})
EXAMPLES = settings().max_examples // 19  # so `make generated` sends 20,000 to 38 operations

# What makes sense: without it, hardly a request gets past the first look at its words.
LIKELY: dict[str, list[Any]] = {
    "words": ["original"],
    "name": ["original"],
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


for _part in ("body", "query", "path_parameters"):
    SCHEMA.hook(f"before_generate_{_part}")(or_likely)


@schemathesis.serializer("application/zip")
def raw(context: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


@pytest.fixture(scope="module", autouse=True)
def _running():
    with TestClient(APP):
        yield


OPERATIONS = [found.ok() for found in SCHEMA.get_all_operations()]


# Not `SCHEMA.parametrize`, which gives all operations one node id; pytest-xdist runs one test of each id.
@pytest.mark.parametrize("operation", OPERATIONS, ids=[operation.label for operation in OPERATIONS])
def test_no_request_is_too_odd(operation):
    @given(operation.as_strategy())
    @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
    def answered(case):
        response = case.call(headers={"Host": "localhost"}, timeout=300)
        assert response.status_code not in (403, 421)  # the guard would let nothing through to be tested
        if response.status_code != 503:
            case.validate_response(response, checks=CHECKS)

    answered()


@pytest.fixture(autouse=True)
def _nothing_logged(caplog):
    yield
    assert [record for record in caplog.get_records("call") if record.levelno >= logging.ERROR] == []
