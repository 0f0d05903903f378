"""Real captures, palettes and worlds, read from a folder beside the checkout and never copied into it.

Also block states and tables that need no session, and the block ids of one release without a host.
"""

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from net.palette import BlockState, Palette, ReleaseWords
from net.server.block_ids import BlockIdForm, LocalStates

# ---------------------------------------------------------------- shared data

ROOT = Path(os.environ.get("CHUNKSCOPE_SHARED_DATA", Path(__file__).parents[4] / "shared" / "data"))


def shared_data(relative: str) -> Path:
    """The path of one file or folder of the shared data.

    If it is missing, the test is skipped with the reason; with ``CHUNKSCOPE_REQUIRE_PEERS=1`` it fails instead.
    """
    path = ROOT / relative
    if not path.exists():
        reason = f"shared data {relative} is not beside this checkout"
        if os.environ.get("CHUNKSCOPE_REQUIRE_PEERS") == "1":
            pytest.fail(reason)
        pytest.skip(reason)
    return path


# ---------------------------------------------------------------- captures

HEIGHT_KINDS = {"no_data": 0, "has_data": 1, "too_high": 2, "too_low": 3}


class Capture(msgspec.Struct, frozen=True):
    """A captured packet: the folder names the version, the file the kind of packet."""

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
        """Contents of a cache-miss response by blob id."""
        blobs = self.content.get("blobs", {})
        return {int(key): buffer(value) for key, value in blobs.items() if key != "hashes"}


def buffer(value: dict[str, Any]) -> bytes:
    return bytes(value["data"])


def captures() -> list[Capture]:
    """All captures, oldest version first."""
    folder = shared_data("captures")
    found = []
    for path in sorted(folder.glob("*/*.json")):
        content = json.loads(path.read_text())
        found.append(Capture(path, content.get("params", content)))
    return found


# ---------------------------------------------------------------- block states

StateValue = int | str | bool


class PlainState(msgspec.Struct, frozen=True):
    """A block state that a test defines."""

    name: str
    states: tuple[tuple[str, StateValue], ...] = ()


def state(name: str, **values: StateValue) -> PlainState:
    """A vanilla block state: ``state("planks", wood_type="oak")``."""
    return PlainState(f"minecraft:{name}", tuple(sorted(values.items())))


@dataclass(slots=True)
class PlainTable:
    """A block table with what block appearances read of it: states by dense id."""

    states: list[PlainState]


# ---------------------------------------------------------------- one form


def form_of(palette: Palette, states: Sequence[BlockState] | LocalStates, biome_sections: int = 24) -> BlockIdForm:
    """Block ids as clients with this palette read them."""
    known = states if isinstance(states, LocalStates) else LocalStates(states)
    words = ReleaseWords(palette)
    return BlockIdForm(known, lambda: words, biome_sections)
