"""Pictures and reports, as a browser would read them."""

import json
from html.parser import HTMLParser
from typing import Any


class Page(HTMLParser):
    """What is in a page: tags with their attributes, tables as rows of cells, scripts, pictures, and all text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, Any]]] = []
        self.tables: dict[str, list[list[str]]] = {}
        self.scripts: list[str] = []
        self.pictures: list[dict[str, Any]] = []
        self.text = ""
        self._open: list[str] = []
        self._caption = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag != "meta":
            self._open.append(tag)
        if tag == "caption":
            self._caption = ""
        if tag == "tr":
            self.tables[self._caption].append([])
        if tag in ("td", "th"):
            self.tables[self._caption][-1].append("")

    @property
    def points(self) -> dict[str, list[str]]:
        """What the points of each picture say."""
        points = {one["name"]: [point for line in one["series"] for point in line["points"]] for one in self.pictures}
        return {name: [point["title"] for point in some if "title" in point] for name, some in points.items()}

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag
        if tag == "caption":
            self.tables[self._caption] = []

    def handle_data(self, data: str) -> None:
        if self._open[-1:] == ["script"]:
            if self.tags[-1][1].get("class") == "pictures":
                self.pictures += json.loads(data)
            else:
                self.scripts.append(data)
            return
        self.text += data
        if self._open[-1:] == ["caption"]:
            self._caption += data
        if {"td", "th"} & set(self._open):
            self.tables[self._caption][-1][-1] += data
