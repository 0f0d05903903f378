"""A world that a test makes and hands to a peer as JSON, and what a dump of it must then hold."""

import base64
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from client.connect.options import Box

AIR = 134
"""Runtime id of air at 486 (wire.md 6.1)."""

Ids = npt.NDArray[np.uint32]


@dataclass(slots=True)
class GivenWorld:
    """What the server is given: runtime ids and biomes by sub-chunk, order x << 8 | z << 4 | y.

    Attributes:
        spawn: eye position in blocks.
        blocks: layer 0 of each sub-chunk that is not all air.
        liquids: layer 1 of those that have one.
        biomes: of each sub-chunk in ``blocks``; elsewhere the server sends biome 1.
        air: runtime id of air.
    """

    spawn: tuple[float, float, float]
    blocks: dict[tuple[int, int, int], Ids] = field(default_factory=dict)
    liquids: dict[tuple[int, int, int], Ids] = field(default_factory=dict)
    biomes: dict[tuple[int, int, int], Ids] = field(default_factory=dict)
    air: int = AIR

    def as_settings(self) -> dict[str, Any]:
        """The form the peers read."""
        return {"spawn": list(self.spawn), "sections": [self._section(at) for at in self.blocks]}

    def _section(self, at: tuple[int, int, int]) -> dict[str, Any]:
        layers = [self.blocks[at]] + ([self.liquids[at]] if at in self.liquids else [])
        return {
            **dict(zip("xyz", at, strict=True)),
            "layers": [_text(layer) for layer in layers],
            "biomes": _text(self.biomes[at]),
        }

    def expected(self, box: Box) -> dict[str, npt.NDArray[np.int64]]:
        """Runtime ids of both layers and biomes of a box, indexed [x, z, y]."""
        whole = {
            "blocks": np.full(box.shape, self.air, np.int64),
            "layer1": np.full(box.shape, self.air, np.int64),
            "biomes": np.full(box.shape, 1, np.int64),
        }
        for name, sections in (("blocks", self.blocks), ("layer1", self.liquids), ("biomes", self.biomes)):
            for (x, y, z), ids in sections.items():
                low = np.array((x * 16 - box.low.x, z * 16 - box.low.z, y * 16 - box.low.y))
                if (low >= 0).all() and (low + 16 <= box.shape).all():
                    part = tuple(slice(at, at + 16) for at in low)
                    whole[name][part] = ids.reshape(16, 16, 16)
        return whole


def _text(ids: Ids) -> str:
    return base64.b64encode(np.ascontiguousarray(ids, "<u4").tobytes()).decode()


def random_world(radius: int, seed: int, states: int = 7946) -> GivenWorld:
    """Columns of every palette width, some with liquids in layer 1, biomes that change inside a sub-chunk."""
    rng = np.random.default_rng(seed)
    world = GivenWorld(spawn=(8.5, 100.0, 8.5))
    kinds = (1, 2, 3, 7, 15, 30, 60, 200, 400)
    for x in range(-radius, radius + 1):
        for z in range(-radius, radius + 1):
            for y in range(-4, int(rng.integers(0, 5))):
                at = (x, y, z)
                palette = rng.integers(0, states, kinds[int(rng.integers(len(kinds)))], dtype=np.uint32)
                palette[0] = AIR  # so that sight and request walk get through
                chosen = np.where(rng.random(4096) < 0.5, palette[0], rng.choice(palette, 4096))
                if (chosen == AIR).all():
                    chosen[0] = 7177
                world.blocks[at] = chosen.astype(np.uint32)
                if rng.random() < 0.3:
                    water = rng.random(4096) < 0.2
                    world.liquids[at] = np.where(water, 7666 + rng.integers(0, 16, 4096), AIR).astype(np.uint32)
                world.biomes[at] = rng.integers(0, 1 + int(rng.integers(1, 6)), 4096).astype(np.uint32)
    return world
