"""Uploads that would do harm."""

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable

from wordpl.contest.uploads.package import Bounds

CODE = b"class Mine: ...\n"

SMALL = Bounds(bytes=20_000, unpacked_bytes=4000, files=20)


def zipped(*entries: tuple[str | zipfile.ZipInfo, bytes], packed: int = zipfile.ZIP_DEFLATED) -> bytes:
    """A zip of these entries, in the order given."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", packed) as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return made.getvalue()


def info(name: str, mode: int = stat.S_IFREG | 0o644, packed: int = zipfile.ZIP_DEFLATED) -> zipfile.ZipInfo:
    found = zipfile.ZipInfo(name)
    found.external_attr = mode << 16
    found.compress_type = packed
    return found


GOOD = zipped(("strategy.py", CODE), ("data/table.txt", b"crate\n"))


def patched(content: bytes, place: int, form: str, *values: int) -> bytes:
    """The content with other numbers at a place; from the end if it is negative."""
    made = bytearray(content)
    struct.pack_into(form, made, place % len(made), *values)
    return bytes(made)


def entry_patched(content: bytes, offset: int, form: str, *values: int, number: int = 0) -> bytes:
    """The same within an entry of the directory."""
    place = -1
    for _ in range(number + 1):
        place = content.index(b"PK\1\2", place + 1)
    return patched(content, place + offset, form, *values)


def bomb() -> bytes:
    return zipped(("strategy.py", CODE), ("zeros", bytes(SMALL.unpacked_bytes)))


def lying(claimed: int) -> bytes:
    """A zip whose second file claims another size than it has."""
    content = zipped(("strategy.py", CODE), ("zeros", bytes(3000)))
    return entry_patched(content, 24, "<L", claimed, number=1)


def lying_with_checksum(claimed: int, real: int) -> bytes:
    """The same with the checksum of the bytes that it claims, so that the checksum does not tell."""
    content = zipped(("strategy.py", CODE), ("zeros", bytes(real)))
    content = entry_patched(content, 24, "<L", claimed, number=1)
    return entry_patched(content, 16, "<L", zlib.crc32(bytes(claimed)), number=1)


def overlapping() -> bytes:
    """A quoted overlap: two entries of the directory share the bytes of one file."""
    content = zipped(("strategy.py", CODE), ("zeros", bytes(1000)), ("zeroz", bytes(1000)))
    first = content.index(b"PK\3\4", 4)
    return entry_patched(content, 42, "<L", first, number=2)


def nested_quote() -> bytes:
    """Fifield's construction: the first file, stored, quotes the local header and the content of the second."""
    inner = zipped(("b", CODE), packed=zipfile.ZIP_STORED)
    local = inner[: inner.index(b"PK\1\2")]
    content = zipped(("strategy.py", local), ("b", CODE), packed=zipfile.ZIP_STORED)
    return entry_patched(content, 42, "<L", 30 + len("strategy.py"), number=1)


def many(entries: int, claimed: int | None = None) -> bytes:
    """A zip with so many empty files."""
    content = zipped(*((f"f{i}", b"") for i in range(entries)), packed=zipfile.ZIP_STORED)
    return content if claimed is None else patched(content, -14, "<HH", claimed, claimed)


def many_in_zip64() -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_STORED) as archive:
        for i in range(70_000):
            archive.writestr(zipfile.ZipInfo(f"{i}"), b"")
    return made.getvalue()


def one(name: str | zipfile.ZipInfo, content: bytes = b"x") -> Callable[[], bytes]:
    return lambda: zipped(("strategy.py", CODE), (name, content))


def raw_name(name: bytes, flag: int = 0) -> bytes:
    """A zip with an entry whose name is these bytes."""
    plain = "n" * len(name)
    content = zipped(("strategy.py", CODE), (plain, b"x")).replace(plain.encode(), name)
    return entry_patched(content, 8, "<H", flag, number=1)


NASTY: dict[str, tuple[Callable[[], bytes], str]] = {
    "not a zip": (lambda: CODE * 10, "is not a zip"),
    "an end alone, cut": (lambda: b"PK\5\6" + bytes(10), "is not a zip"),
    "without a strategy": (lambda: zipped(("other.py", CODE)), "a zip with a strategy.py"),
    "encrypted": (lambda: entry_patched(GOOD, 8, "<H", 1), "without a password"),
    "bzip2": (lambda: zipped(("strategy.py", CODE), packed=zipfile.ZIP_BZIP2), "only stored and deflated"),
    "too many files": (lambda: many(21), "too many entries; at most 20"),
    "too many files, and fewer claimed": (lambda: many(21, 3), "too many entries; at most 20"),
    "fewer files than claimed": (lambda: many(3, 4), "a zip with a strategy.py"),
    "100,000 files in the form for them": (many_in_zip64, "at most 20,000"),
    "too large": (lambda: zipped(("a", bytes(range(256)) * 100), packed=zipfile.ZIP_STORED), "at most 20,000"),
    "a bomb": (bomb, "4,016 bytes; at most 4,000"),
    "claims less than it has": (lambda: lying(100), "damaged"),
    "claims more than it has": (lambda: lying(3500), "not the 3,500 bytes"),
    "claims nothing": (lambda: lying(0), "damaged"),
    "a bomb that claims to be small": (lambda: lying_with_checksum(100, 1_000_000), "damaged"),
    "claims too much": (lambda: lying((1 << 32) - 2), "at most 4,000"),
    "zip64 sizes without their field": (lambda: lying((1 << 32) - 1), "at most 4,000"),
    "two entries, one content": (overlapping, "overlaps another"),
    "a quoted entry": (nested_quote, "overlaps another"),
    "an entry beyond the end": (lambda: entry_patched(GOOD, 42, "<L", 1 << 31), "damaged"),
    "an absolute path": (one("/etc/passwd"), "a path that is not allowed"),
    "a path out": (one("../x"), "a path that is not allowed"),
    "a dot": (one("./x"), "a path that is not allowed"),
    "an empty part": (one("a//x"), "a path that is not allowed"),
    "a backslash": (one("a\\x"), "a path that is not allowed"),
    "a name that is none": (lambda: raw_name(b"/"), "a path that is not allowed"),
    "deep": (one("a/" * 32 + "x"), "a path that is not allowed"),
    "a long name": (one("x" * 256), "a path that is not allowed"),
    "a long path": (one("/".join(["y" * 90] * 5)), "a path that is not allowed"),
    "an escape": (one("a\x1b[2Jb"), "a path that is not allowed"),
    "a null character": (lambda: raw_name(b"a\0b"), "a path that is not allowed"),
    "a direction mark": (one("a\u202eb"), "a path that is not allowed"),
    "not UTF-8": (lambda: raw_name(b"a\xff\xfeb"), "not UTF-8"),
    "not UTF-8, though it says so": (lambda: raw_name(b"a\xff\xfeb", 0x800), "not UTF-8"),
    "a symbolic link": (one(info("a", stat.S_IFLNK | 0o777), b"/etc/passwd"), "link or a device"),
    "a device": (one(info("a", stat.S_IFBLK | 0o666), b""), "link or a device"),
    "a folder that is a link": (one(info("a/", stat.S_IFLNK | 0o777), b""), "link or a device"),
    "a folder with bytes": (lambda: entry_patched(zipped(("a/", b""), ("b", b"x")), 24, "<L", 5), "bytes of its own"),
    "a name that is there twice": (lambda: zipped(("strategy.py", CODE), ("strategy.py", b"x")), "is there twice"),
    "a file and a folder": (lambda: zipped(("a", b"x"), ("a/strategy.py", CODE)), "is a file and a folder"),
    "something before it": (lambda: b"MZ" + GOOD, "before its begin"),
    "something behind it": (lambda: GOOD + b"x", "behind its end"),
    "a directory that is cut": (lambda: patched(GOOD, -10, "<L", 10), "damaged"),
    "a stream of another kind": (lambda: GOOD.replace(GOOD[41:45], b"\xff" * 4, 1), "damaged"),
    "a wrong checksum": (lambda: entry_patched(GOOD, 16, "<L", 7), "damaged"),
    "a local name of its own": (lambda: GOOD.replace(b"strategy.py", b"strategz.py", 1), "damaged"),
    "a broken stream": (lambda: entry_patched(zipped(("strategy.py", b"x" * 99)), 20, "<L", 2), "damaged"),
}
