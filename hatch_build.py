"""How a build differs from the files of the repository: its long description, and where the strategy library is."""

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface


class LongDescription(MetadataHookInterface):
    """The README with absolute links, since no files lie beside it on the page of an index."""

    def update(self, metadata: dict[str, Any]) -> None:
        tree = f"{metadata['urls']['Repository']}/raw/v{metadata['version']}"
        text = Path(self.root, "README.md").read_text("utf-8")
        text = re.sub(r"(!\[[^]]*\]\()(?!https:)", rf"\1{tree}/", text)
        text = re.sub(r"(\]\()(?!https:|#)", rf"\1{tree.replace('/raw/', '/blob/')}/", text)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


class Library(BuildHookInterface[Any]):
    """A wheel has the strategies in `wordpl/library`. An editable install leaves them where they are."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable":
            folder = Path(self.root, "strategies")
            for path in [*folder.glob("*.py"), *folder.glob("policies/*.json")]:
                build_data["force_include"][str(path)] = f"wordpl/library/{path.relative_to(folder)}"
