"""Who made a submission, where to read about it, and its source, if its author lets the ledger publish it.

All of it is text that a stranger has chosen: bounded and visible when it is entered, and escaped where it is shown.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import dataclass

from wordpl.contest import cells
from wordpl.contest.cells import MalformedError
from wordpl.contest.entrant.submission import Submission
from wordpl.contest.ledger.receipt import canonical
from wordpl.errors import WordplError
from wordpl.text.sanitizing import visible

LONGEST_AUTHOR = 80
LONGEST_LINK = 200
LARGEST_SOURCE = 256 * 1024
"""Bytes of all files together. As JSON they take up to six times as many, which is checked, too."""

_LINK = re.compile(
    r"https://[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:[0-9]{1,5})?(/[A-Za-z0-9._~%/?=&+,;@#-]*)?", re.ASCII
)
"""No character of it means anything in Markdown or HTML but &, which is escaped there."""


@dataclass(frozen=True)
class Credit:
    """What an entry says of its author; empty where nothing is said."""

    author: str = ""
    link: str = ""
    publishes_source: bool = False

    def __post_init__(self) -> None:
        if self.author != visible(self.author.strip(), LONGEST_AUTHOR):
            raise WordplError(
                f"author {self.author[:40]!a} is not allowed; up to {LONGEST_AUTHOR} visible characters are"
            )
        if self.link and not is_link(self.link):
            raise WordplError(
                f"link {self.link[:60]!a} is not allowed; an address such as https://example.org/page with at most"
                f" {LONGEST_LINK} characters is expected"
            )

    def source(self, submission: Submission) -> str:
        """The files of the submission as a cell of the ledger; empty if its author keeps them.

        Raises `WordplError` for files that are too large or are not text.
        """
        if not self.publishes_source:
            return ""
        if sum(map(len, submission.files.values())) > LARGEST_SOURCE:
            raise WordplError(f"the source has more than {LARGEST_SOURCE // 1024} KiB; it is entered if not published")
        try:
            files = {name: content.decode() for name, content in submission.files.items()}
        except UnicodeDecodeError:
            raise WordplError("the source is not text in UTF-8; it is entered if not published") from None
        cell = canonical({"main": submission.main, "files": files})
        if len(cell) > cells.LARGEST_CELL // 2:
            raise WordplError("the source has too many characters beyond ASCII; it is entered if not published")
        return cell


def is_link(text: str) -> bool:
    """Whether an address may be made a link of."""
    return len(text) <= LONGEST_LINK and _LINK.fullmatch(text) is not None


def read_source(cell: str, files_digest: str) -> dict[str, str]:
    """Name -> text of the published files; none if none are. Raises `MalformedError` if others were entered."""
    if not cell:
        return {}
    source = cells.from_json(cell, "source")
    with suppress(TypeError, KeyError, AttributeError, UnicodeEncodeError):  # of texts that are no source
        files: dict[str, str] = source["files"]
        content = {name: text.encode() for name, text in files.items()}
        if Submission("", content, source["main"]).files_digest == files_digest:
            return files
    raise MalformedError("source is not what was entered")
