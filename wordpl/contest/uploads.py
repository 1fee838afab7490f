"""From the bytes of an upload, a .py file or a zip, to a submission. Nothing of it is written to disk.

An upload is a stranger's. Whatever it claims about its size is checked before anything is inflated, and what comes out
is counted while it is inflated.
"""

from __future__ import annotations

import io
import os
import stat
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from wordpl.contest.checkout import VARIABLE, find_checkout
from wordpl.contest.limits import MIB
from wordpl.contest.sanitizing import visible
from wordpl.contest.submission import MAIN, MAX_DEPTH, PASSED_OVER, Submission, make_submission
from wordpl.errors import WordplError

LONGEST_FILE_NAME = 100
LONGEST_CALL = 1000
_LONGEST_PATH = 400
_LONGEST_PART = 255
_EXTRA = ("__MACOSX", ".DS_Store")
"""What the Finder puts into each archive it makes."""

# https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT, 4.3.7, 4.3.12, 4.3.15 and 4.3.16
_END = struct.Struct("<4s4H2LH")
_ENTRY = struct.Struct("<4s24x3H12x")
_LOCAL = struct.Struct("<4s22x2H")
_END_MAGIC, _END64_MAGIC, _ENTRY_MAGIC, _LOCAL_MAGIC = b"PK\5\6", b"PK\6\7", b"PK\1\2", b"PK\3\4"
_LONGEST_COMMENT = (1 << 16) - 1
_NOT_PLAIN = 0x1 | 0x20 | 0x40 | 0x2000
"""Flags of an entry: encrypted, a patch, strongly encrypted, with masked headers."""
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


@dataclass(frozen=True)
class Bounds:
    """What an upload may hold."""

    size: int = 4 * MIB
    """Bytes of the upload itself."""
    unpacked: int = 16 * MIB
    """Bytes of all files of a zip."""
    entries: int = 500
    """Files and folders of a zip."""


BOUNDS = Bounds()


class UploadError(WordplError):
    """An upload that is refused; `field` says what of it: `file`, `call` or `show_source`."""

    def __init__(self, message: str, field: str = "file") -> None:
        super().__init__(message)
        self.field = field


def read_upload(content: bytes, file: str, call: str = "", bounds: Bounds = BOUNDS) -> Submission:
    """The submission in an upload whose file name is `file`: a Python module, or a zip with a `strategy.py`.

    The zip's files may lie in one folder. What a single file uses of the contest's repository comes from the checkout
    that WORDPL_CONTEST_FILES names, if it does. Raises `UploadError`, which names the bound that was broken.
    """
    suffix = Path(file).suffix
    if not 0 < len(file) <= LONGEST_FILE_NAME or visible(file) != file or "/" in file or suffix not in (".py", ".zip"):
        _refuse(
            f"file name {file[:LONGEST_FILE_NAME]!a} is not allowed; a name such as mine.py or mine.zip, of at most"
            f" {LONGEST_FILE_NAME} visible characters, is expected"
        )
    if len(content) > bounds.size:
        _refuse(f"the upload has {len(content):,} bytes; at most {bounds.size:,} are allowed")
    if suffix == ".zip":
        files, main = _without_top_folder(_unzipped(content, bounds)), MAIN
        if MAIN not in files:
            _refuse(f"the zip has no {MAIN}; a zip with a {MAIN} at the top, or in its only folder, is expected")
    elif not Path(file).stem.isidentifier():
        _refuse(f"{file!a} is not the name of a Python module; one such as my_strategy.py is expected")
    else:
        files, main = {file: content}, file
    if len(call) > LONGEST_CALL:
        raise UploadError(f"call has {len(call):,} characters; at most {LONGEST_CALL:,} are allowed", "call")
    checkout = find_checkout(Path(file)) if os.environ.get(VARIABLE) else None
    try:
        return make_submission(file, files, main, call, checkout)
    except WordplError as error:
        raise UploadError(str(error), "call") from None


def _refuse(message: str) -> NoReturn:
    raise UploadError(message)


def _unzipped(content: bytes, bounds: Bounds) -> dict[str, bytes]:
    """Path -> content of the files of a zip."""
    plain = _directory_checked(content, bounds)
    try:
        with zipfile.ZipFile(io.BytesIO(plain), metadata_encoding="utf-8") as archive:
            entries = archive.infolist()
            _check_entries(entries, bounds)
            return _inflated(entries, _packed(entries, plain), bounds)
    except UnicodeDecodeError:
        _refuse("the zip has a name that is not UTF-8; names in UTF-8 are expected")
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, ValueError, OSError) as error:
        if isinstance(error, UploadError):
            raise
        _refuse(
            f"the zip is damaged ({visible(str(error), 80)}); a zip of at most {bounds.entries} entries is expected"
        )


def _directory_checked(content: bytes, bounds: Bounds) -> bytes:
    """The zip without its comment, after a look at its directory that costs as little for 100,000 entries as for 500.

    Python's zipfile makes an object of every entry as soon as it opens a zip.
    """
    at = content.rfind(_END_MAGIC, max(0, len(content) - _END.size - _LONGEST_COMMENT))
    if at < 0 or len(content) - at < _END.size:
        _refuse("the upload is not a zip, though its name says so; a zip or a .py file is expected")
    _, disk, first_disk, here, count, size, offset, comment = _END.unpack_from(content, at)
    if content[max(0, at - 20) : at].startswith(_END64_MAGIC) or 0xFFFF in (here, count):
        _refuse(f"the zip is in the form for more than 65,534 entries; at most {bounds.entries:,} are allowed")
    if count > bounds.entries:
        _refuse(f"the zip has {count:,} entries; at most {bounds.entries} are allowed")
    if disk or first_disk or here != count or at + _END.size + comment != len(content):
        _refuse("the zip is one of several parts, or has something behind its end; one whole zip is expected")
    if offset + size != at:
        _refuse("the zip has something before its begin or behind its directory; a plain zip is expected")
    found, place = 0, offset
    while place < at and found <= bounds.entries:
        if at - place < _ENTRY.size or content[place : place + 4] != _ENTRY_MAGIC:
            _refuse("the zip's directory is damaged; a whole zip is expected")
        place += _ENTRY.size + sum(_ENTRY.unpack_from(content, place)[1:])
        found += 1
    if found != count or place != at:
        _refuse(f"the zip's directory does not hold the {count} entries that it claims; at most {bounds.entries} are")
    return content[: at + _END.size - 2] + b"\0\0"


def _check_entries(entries: list[zipfile.ZipInfo], bounds: Bounds) -> None:
    """Raise `UploadError` unless these are plain files and folders with names of their own, none too large."""
    files: set[str] = set()
    folders: set[str] = set()
    for entry in entries:
        name = entry.orig_filename  # `filename` ends at the first null character
        shown = ascii(name[:60])
        _check_name(name.removesuffix("/"), shown)
        kind = stat.S_IFMT(entry.external_attr >> 16)
        expected = stat.S_IFDIR if name.endswith("/") else stat.S_IFREG
        if kind not in (0, expected):
            _refuse(f"the zip's entry {shown} is a link or a device; only plain files and folders are allowed")
        if entry.flag_bits & _NOT_PLAIN:
            _refuse(f"the zip's entry {shown} is encrypted; only a zip without a password is allowed")
        if entry.compress_type not in _METHODS:
            _refuse(f"the zip's entry {shown} is packed in an unusual way; only stored and deflated are allowed")
        if name in files or name in folders:
            _refuse(f"the zip has two entries {shown}; each name is allowed once")
        (folders if name.endswith("/") else files).add(name)
        if name.endswith("/") and entry.file_size:
            _refuse(f"the zip's folder {shown} holds bytes of its own; only files may")
    for name in files:
        above = name
        while "/" in above:
            above = above.rpartition("/")[0]
            if above in files:
                _refuse(f"the zip's entry {above[:60]!a} is a file and a folder; each name is allowed once")
    declared = sum(entry.file_size for entry in entries)
    if declared > bounds.unpacked:
        _refuse(f"the zip's files have {declared:,} bytes; at most {bounds.unpacked:,} are allowed")


def _check_name(name: str, shown: str) -> None:
    if visible(name, len(name)) != name:
        _refuse(f"the zip's entry {shown} has a name with control characters; visible characters are allowed")
    if "\\" in name:
        _refuse(f"the zip's entry {shown} has a backslash in its name; / is expected between folders")
    parts = name.split("/")
    if not parts[0]:
        _refuse(f"the zip's entry {shown} has an absolute path; paths within the zip are expected")
    if any(part in ("", ".", "..") for part in parts):
        _refuse(f"the zip's entry {shown} has a path through ., .. or an empty name; plain paths are expected")
    if len(parts) > MAX_DEPTH:
        _refuse(f"the zip's entry {shown} lies in more than {MAX_DEPTH - 1} folders, which is the most allowed")
    if len(name) > _LONGEST_PATH or any(len(part.encode()) > _LONGEST_PART for part in parts):
        _refuse(f"the zip's entry {shown} has a path that is too long; {_LONGEST_PATH} characters are allowed")


def _packed(entries: list[zipfile.ZipInfo], content: bytes) -> dict[str, bytes]:
    """Name -> the packed bytes of each entry. Raises `UploadError` if two entries share bytes.

    Sharing lets a small zip inflate to a large one: David Fifield, A better zip bomb, WOOT 2019,
    https://www.bamsoftware.com/hacks/zipbomb/.
    """
    found, free = {}, 0
    for entry in sorted(entries, key=lambda entry: entry.header_offset):
        at, name = entry.header_offset, entry.orig_filename
        if at < free:
            _refuse(f"the zip's entry {name[:60]!a} overlaps another; each needs its own bytes")
        if content[at : at + 4] != _LOCAL_MAGIC:
            _refuse(f"the zip's entry {name[:60]!a} is not where its directory says")
        _, length, extra = _LOCAL.unpack_from(content, at)
        named = at + _LOCAL.size
        if content[named : named + length] != name.encode():
            _refuse(f"the zip's entry {name[:60]!a} has another name in its directory; one name is expected")
        free = named + length + extra + entry.compress_size
        found[name] = content[free - entry.compress_size : free]
    return found


def _inflated(entries: list[zipfile.ZipInfo], packed: dict[str, bytes], bounds: Bounds) -> dict[str, bytes]:
    files = {}
    for entry in entries:
        name = entry.orig_filename
        if name.endswith("/") or any(part in (*PASSED_OVER, *_EXTRA) for part in name.split("/")):
            continue
        found = packed[name]
        if entry.compress_type == zipfile.ZIP_DEFLATED:
            stream = zlib.decompressobj(-zlib.MAX_WBITS)
            # Not a byte more than it claims comes out, and all of them together are within the bound.
            found = stream.decompress(found, entry.file_size + 1)
        if len(found) != entry.file_size or zlib.crc32(found) != entry.CRC:
            _refuse(
                f"the zip's entry {name[:60]!a} is not the {entry.file_size:,} bytes that it claims; all files together"
                f" may have {bounds.unpacked:,}"
            )
        files[name] = found
    return files


def _without_top_folder(files: dict[str, bytes]) -> dict[str, bytes]:
    """The files of the only folder, where all lie in one, as in an archive of a folder; else as they are."""
    tops = {name.partition("/")[0] for name in files}
    if len(tops) != 1 or any("/" not in name for name in files):
        return files
    return {name.partition("/")[2]: content for name, content in files.items()}
