"""The long description: the README with absolute links, since no files lie beside it on the page of an index."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class LongDescription(MetadataHookInterface):
    def update(self, metadata: dict[str, Any]) -> None:
        tree = f"{metadata['urls']['Repository']}/raw/v{metadata['version']}"
        text = Path(self.root, "README.md").read_text("utf-8")
        text = re.sub(r"(!\[[^]]*\]\()(?!https:)", rf"\1{tree}/", text)
        text = re.sub(r"(\]\()(?!https:|#)", rf"\1{tree.replace('/raw/', '/blob/')}/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}
