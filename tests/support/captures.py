"""Captured packets of vanilla and third-party servers, as the parts of them that hold terrain."""

import json
from pathlib import Path
from typing import Any

import msgspec

from tests.support.shared_data import shared_data

HEIGHT_KINDS = {"no_data": 0, "has_data": 1, "too_high": 2, "too_low": 3}


class Capture(msgspec.Struct, frozen=True):
    """One file: its folder names the version, its name the kind of packet."""

    path: Path
    content: dict[str, Any]

    @property
    def is_column(self) -> bool:
        return "level_chunk" in self.path.name or self.path.name == "subchunkv1.json"

    @property
    def is_answer(self) -> bool:
        return self.path.name.startswith("subchunk ") and "CacheMiss" not in self.path.name

    @property
    def blobs(self) -> dict[int, bytes]:
        """Blobs of a cache-miss response."""
        blobs = self.content.get("blobs", {})
        return {int(key): buffer(value) for key, value in blobs.items() if key != "hashes"}


def buffer(value: dict[str, Any]) -> bytes:
    return bytes(value["data"])


def captures() -> list[Capture]:
    """All of them, oldest version first."""
    folder = shared_data("captures")
    found = []
    for path in sorted(folder.glob("*/*.json")):
        content = json.loads(path.read_text())
        found.append(Capture(path, content.get("params", content)))
    return found
