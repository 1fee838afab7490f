"""From the bytes of an upload, a .py file or a zip, to a submission. Nothing of it is written to disk.

An upload is a stranger's. What a zip claims about its entries is checked before anything is inflated, and no entry is
inflated further than it claims.
"""

import io
import stat
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from wordpl.base.errors import WordplError
from wordpl.base.json_types import Doc
from wordpl.base.sanitizing import visible
from wordpl.contest.limits import MIB
from wordpl.contest.submission import (
    MAIN,
    MAX_DEPTH,
    PASSED_OVER,
    Submission,
    check_module_name,
    make_submission,
)

LONGEST_FILE_NAME = 60
LONGEST_CALL = 1000
_LONGEST_PATH = 400
_LONGEST_PART = 255
_PATHS = f"at most {_LONGEST_PATH} visible characters with / between at most {MAX_DEPTH} names, none of them . or ..,"
_EXTRA = {*PASSED_OVER, "__MACOSX", ".DS_Store"}
"""What is left out: the last two are what the Finder puts into each archive it makes."""

# What an entry of the directory and its end begin with, and the least bytes of a file's header and of the end:
# https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3.7, 4.3.12 and 4.3.16
_ENTRY_MAGIC, _END_MAGIC = b"PK\1\2", b"PK\5\6"
_HEADER_SIZE, _END_SIZE = 30, 22
_NOT_PLAIN = 0x1 | 0x20 | 0x40 | 0x2000
"""Flags of an entry: encrypted, a patch, strongly encrypted, with masked headers."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True)
class Bounds:
    """What an upload may hold."""

    bytes: Annotated[int, Doc("Bytes of an upload")] = 4 * MIB
    unpacked_bytes: Annotated[int, Doc("Bytes of all files in a zip")] = 16 * MIB
    files: Annotated[int, Doc("Files and folders of a zip")] = 500


BOUNDS = Bounds()


class UploadError(WordplError):
    """An upload that is refused; `field` says what of it: `file`, `call` or `show_source`."""

    def __init__(self, message: str, field: str = "file") -> None:
        super().__init__(message)
        self.field = field


def read_upload(
    content: bytes, file: str, call: str = "", bounds: Bounds = BOUNDS, checkout: Path | None = None
) -> Submission:
    """The submission in an upload whose file name is `file`: a Python module, or a zip with a `strategy.py`.

    The zip's files may lie in one folder. What they use of the contest's repository comes from `checkout`. Raises
    `UploadError`, which names the bound that was broken.
    """
    suffix = Path(file).suffix
    if not 0 < len(file) <= LONGEST_FILE_NAME or visible(file) != file or "/" in file or suffix not in (".py", ".zip"):
        allowed = f"a name such as mine.py or mine.zip, of at most {LONGEST_FILE_NAME} visible characters, is expected"
        raise UploadError(f"file name {visible(file, LONGEST_FILE_NAME)!r} is not allowed; {allowed}")
    if len(content) > bounds.bytes:
        raise UploadError(f"the upload has {len(content):,} bytes; at most {bounds.bytes:,} are allowed")
    if suffix == ".zip":
        files, main = _without_top_folder(_unzipped(content, bounds)), MAIN
        if MAIN not in files:
            raise UploadError(
                f"the zip has no {MAIN}; a zip with a {MAIN} at the top, or in its only folder, is expected"
            )
    else:
        files, main = {file: content}, file
        try:
            check_module_name(file)
        except WordplError as error:
            raise UploadError(str(error)) from None
    try:
        return make_submission(file, files, main, call, checkout)
    except WordplError as error:
        raise UploadError(str(error), "call") from None


def _unzipped(content: bytes, bounds: Bounds) -> dict[str, bytes]:
    """Path -> content of the files of a zip."""
    # zipfile makes an object of every entry as soon as it opens a zip, so they are counted before, by how each begins.
    if content.count(_ENTRY_MAGIC) > bounds.files:
        raise UploadError(f"the zip has too many entries; at most {bounds.files:,} are allowed")
    try:
        with zipfile.ZipFile(io.BytesIO(content), metadata_encoding="utf-8") as archive:
            end = content[-_END_SIZE - len(archive.comment) :]
            if not (content.startswith(b"PK") and end.startswith(_END_MAGIC)):
                raise UploadError("the zip has something before its begin or behind its end; a plain zip is expected")
            _check_entries(archive.infolist(), bounds)
            files = [entry for entry in archive.infolist() if not entry.is_dir()]
            members = [entry for entry in files if not _EXTRA & set(entry.orig_filename.split("/"))]
            return {entry.orig_filename: _inflated(archive, entry) for entry in members}
    except UnicodeDecodeError:
        raise UploadError("the zip has a name that is not UTF-8; names in UTF-8 are expected") from None
    except UploadError:
        raise
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, ValueError, OSError) as error:
        raise UploadError(f"the zip is damaged ({visible(str(error), 80)}); a zip or a .py file is expected") from None


def _check_entries(entries: list[zipfile.ZipInfo], bounds: Bounds) -> None:
    """Raise `UploadError` unless these are plain files and folders with names and bytes of their own, none too large.

    Entries that share bytes let a small zip inflate to a large one: David Fifield, A better zip bomb, WOOT 2019,
    https://www.bamsoftware.com/hacks/zipbomb/.
    """
    size = sum(entry.file_size for entry in entries)
    if size > bounds.unpacked_bytes:
        raise UploadError(f"the zip's files have {size:,} bytes; at most {bounds.unpacked_bytes:,} are allowed")
    names: set[str] = set()
    free = 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        name = entry.orig_filename  # `filename` ends at the first null character
        parts = name.removesuffix("/").split("/")
        plain = visible(name, _LONGEST_PATH) == name and "\\" not in name and len(parts) <= MAX_DEPTH
        plain = plain and all(part not in ("", ".", "..") and len(part.encode()) <= _LONGEST_PART for part in parts)
        kind = stat.S_IFMT(entry.external_attr >> 16)
        usual = kind in (0, stat.S_IFDIR if name.endswith("/") else stat.S_IFREG)
        for allowed, why in (
            (plain, f"has a path that is not allowed; {_PATHS} are expected"),
            (usual, "is a link or a device; only plain files and folders are allowed"),
            (not entry.flag_bits & _NOT_PLAIN, "is encrypted; only a zip without a password is allowed"),
            (entry.compress_type in _METHODS, "is packed in an unusual way; only stored and deflated are allowed"),
            (name not in names, "is there twice; each name is allowed once"),
            (not (name.endswith("/") and entry.file_size), "is a folder that holds bytes of its own; only files may"),
            (entry.header_offset >= free, "overlaps another; each needs its own bytes"),
        ):
            if not allowed:
                raise UploadError(f"the zip's entry {visible(name, 60)!r} {why}")
        names.add(name)
        free = entry.header_offset + _HEADER_SIZE + len(name.encode()) + entry.compress_size
    folders = {name[:end] for name in names for end, letter in enumerate(name) if letter == "/"}
    for name in folders & names:
        raise UploadError(f"the zip's entry {visible(name, 60)!r} is a file and a folder; each name is allowed once")


def _inflated(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    claimed = entry.file_size
    entry.file_size += 1  # zipfile inflates so much and no more: one byte too many tells a file that claims too little
    with archive.open(entry) as file:
        content = file.read(claimed + 1)
    if len(content) != claimed:
        name = visible(entry.orig_filename, 60)
        raise UploadError(f"the zip's entry {name!r} is not the {claimed:,} bytes that it claims")
    return content


def _without_top_folder(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files of the only folder, where all lie in one, as in an archive of a folder; else as they are."""
    below = {name.partition("/")[2]: content for name, content in files.items()}
    return files if "" in below or len({name.partition("/")[0] for name in files}) > 1 else below
