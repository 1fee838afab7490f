"""The calls with curl in the README and in the page of the API do what they say."""

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("page", ["README.md", "docs/reference/http.md"])
def test_the_call_with_curl_gives_the_best_guesses(client, page):
    (call,) = re.findall(r"^```\n(curl .*?)^```$", (ROOT / page).read_text("utf-8"), re.MULTILINE | re.DOTALL)
    curl, silent, address, header, content_type, data, body = shlex.split(call.replace("\\\n", " "))
    assert (curl, silent, header, content_type, data) == (
        "curl",
        "-s",
        "-H",
        "Content-Type: application/json",
        "-d",
    )
    answer = client.post(address, content=body, headers=dict([content_type.split(": ")]))
    assert answer.status_code == 200, answer.text
    assert [one["word"] for one in answer.json()["suggestions"]][:3] == ["saute", "taste", "tasse"]
