"""Uploads: what a good one becomes, and a table of bad ones, each refused in a sentence that tells the bound."""

import io
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.uploads import CODE, GOOD, NASTY, SMALL, lying_with_checksum, many, zipped
from wordpl.contest.submission import load_submission
from wordpl.contest.uploads.package import BOUNDS, Bounds, UploadError, read_upload


@pytest.mark.parametrize("call", ["", "Mine", "Mine( b=1, a=2)"])
def test_an_upload_is_the_submission_that_its_files_are_on_disk(call: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_bytes(CODE)
    (tmp_path / "folder" / "data").mkdir(parents=True)
    (tmp_path / "folder" / "strategy.py").write_bytes(CODE)
    (tmp_path / "folder" / "data" / "table.txt").write_bytes(b"crate\n")
    for name, content, place in (("mine.py", CODE, "mine.py"), ("any.zip", GOOD, "folder")):
        found = read_upload(content, name, call)
        there = load_submission(f"{tmp_path / place}:{call}" if call else str(tmp_path / place))
        assert (found.files, found.main, found.call, found.maker) == (there.files, there.main, there.call, there.maker)
        assert found.digest == there.digest


def test_a_single_top_folder_is_taken_off_and_what_tools_add_is_left_out() -> None:
    content = zipped(
        ("mine/", b""),
        ("mine/strategy.py", CODE),
        ("mine/data/table.txt", b"x"),
        ("mine/__pycache__/strategy.pyc", b"x"),
        ("mine/.DS_Store", b"x"),
        ("__MACOSX/mine/._strategy.py", b"x"),
    )
    assert read_upload(content, "mine.zip").files == {"strategy.py": CODE, "data/table.txt": b"x"}


def test_a_zip_with_a_comment_is_read() -> None:
    made = io.BytesIO(GOOD)
    with zipfile.ZipFile(made, "a") as archive:
        archive.comment = b"0123456789abcdef of git archive PK"
    assert read_upload(made.getvalue(), "mine.zip").files["strategy.py"] == CODE


PART = st.text(st.sampled_from("abcxyzéλ0_. -"), min_size=1, max_size=8).filter(
    lambda part: part.strip(".") and part not in (".git",)
)


@given(
    st.dictionaries(st.lists(PART, min_size=1, max_size=4).map("/".join), st.binary(max_size=200), max_size=10),
    st.sampled_from([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]),
)
def test_what_python_zips_is_read_as_it_was(files: dict[str, bytes], packed: int) -> None:
    clear = {n: c for n, c in files.items() if not any(other.startswith(f"{n}/") for other in files)}
    clear["strategy.py"] = CODE
    assert read_upload(zipped(*clear.items(), packed=packed), "mine.zip").files == clear


@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_nasty_zip_is_refused_in_a_sentence(subtests: pytest.Subtests) -> None:
    for what, (make, said) in NASTY.items():
        bounds = Bounds(bytes=1 << 30, unpacked_bytes=4000, files=20_000) if "100,000" in what else SMALL
        with subtests.test(what):
            with pytest.raises(UploadError, match=said) as caught:
                read_upload(make(), "mine.zip", bounds=bounds)
            assert str(caught.value).isprintable() and len(str(caught.value)) < 300
            assert caught.value.field == "file"


@pytest.mark.parametrize(
    ("make", "most"),
    [
        # They are counted before Python's zipfile, which makes an object of each, sees them.
        pytest.param(lambda: many(30_000, 1), 200_000, id="entries"),
        pytest.param(lambda: lying_with_checksum(100, 40_000_000), 1_000_000, id="bomb"),
    ],
)
def test_what_is_refused_costs_no_more_memory_than_it_came_in(make: Callable[[], bytes], most: int) -> None:
    content = make()
    tracemalloc.start()
    with pytest.raises(UploadError):
        read_upload(content, "mine.zip", bounds=Bounds(unpacked_bytes=4000))
    used = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(content) < BOUNDS.bytes and used < most


@pytest.mark.parametrize(
    ("name", "call", "said"),
    [
        *((name, "", "mine.py or mine.zip") for name in ("mine.txt", "", "../mine.py", "mi\nne.py", ".py")),
        ("my-strategy.py", "", "is not the name of a Python module"),
        *((letter * 58 + ".py", "", "at most 60") for letter in "m我"),
        *(("mine.py", call, "") for call in ("Mine(", "x" * 1001, "Mine(**{})", "Mine(__import__('os'))")),
    ],
)
def test_a_file_name_or_a_call_that_is_not_allowed_is_refused(name: str, call: str, said: str) -> None:
    with pytest.raises(UploadError, match=said or None) as caught:
        read_upload(CODE, name, call)
    assert caught.value.field == ("call" if call else "file")
