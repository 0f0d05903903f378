"""A world that a test makes and hands to a peer as JSON, and what a dump of it must then hold."""

import base64
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from client.options import Box
from net.palette import Palette

AIR = 134
"""Runtime id of air at 486 (wire.md 6.1)."""

Ids = npt.NDArray[np.uint32]


@dataclass(slots=True)
class GivenWorld:
    """What the server is given: runtime ids and biomes by sub-chunk, order x << 8 | z << 4 | y."""

    spawn: tuple[float, float, float]  # eye position in blocks
    # layer 0 of each sub-chunk that is not all air
    blocks: dict[tuple[int, int, int], Ids] = field(default_factory=dict)
    liquids: dict[tuple[int, int, int], Ids] = field(default_factory=dict)  # layer 1 of those that have one
    # of each sub-chunk in ``blocks``; elsewhere the server sends biome 1
    biomes: dict[tuple[int, int, int], Ids] = field(default_factory=dict)
    air: int = AIR  # runtime id of air

    def as_settings(self) -> dict[str, Any]:
        """The form the peers read."""
        return {"spawn": list(self.spawn), "air": self.air, "sections": [self._section(at) for at in self.blocks]}

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


def random_world(radius: int, seed: int, protocol: int = 486, *, hashed: bool = False) -> GivenWorld:
    """Columns of every palette width, some with liquids in layer 1, biomes that change inside a sub-chunk.

    ``hashed`` says whether ids are hashes.
    """
    rng = np.random.default_rng(seed)
    states = Palette.for_protocol(protocol)
    states = states.hashed() if hashed else states
    stone, water = _ids_of(states, "minecraft:stone")[0], _ids_of(states, "minecraft:water")
    world = GivenWorld(spawn=(8.5, 100.0, 8.5), air=states.air)
    kinds = (1, 2, 3, 7, 15, 30, 60, 200, 400)
    for x in range(-radius, radius + 1):
        for z in range(-radius, radius + 1):
            for y in range(-4, int(rng.integers(0, 5))):
                at = (x, y, z)
                palette = states.runtime_ids[rng.integers(0, len(states), kinds[int(rng.integers(len(kinds)))])]
                palette[0] = states.air  # so that sight and request walk get through
                chosen = np.where(rng.random(4096) < 0.5, palette[0], rng.choice(palette, 4096))
                if (chosen == states.air).all():
                    chosen[0] = stone
                world.blocks[at] = chosen.astype(np.uint32)
                if rng.random() < 0.3:
                    wet = rng.random(4096) < 0.2
                    world.liquids[at] = np.where(wet, rng.choice(water, 4096), states.air).astype(np.uint32)
                world.biomes[at] = rng.integers(0, 1 + int(rng.integers(1, 6)), 4096).astype(np.uint32)
    return world


def add_every_state(world: GivenWorld, protocol: int) -> None:
    """Puts every state of a palette into the lowest sub-chunks of column 0 0, each once."""
    states = Palette.for_protocol(protocol)
    everything = np.full(-(-len(states) // 4096) * 4096, states.air, np.uint32)
    everything[: len(states)] = np.arange(len(states))
    for y, ids in enumerate(everything.reshape(-1, 4096), -4):
        world.blocks[0, y, 0] = ids
        world.biomes[0, y, 0] = np.ones(4096, np.uint32)
        world.liquids.pop((0, y, 0), None)


def states_as_settings(protocol: int) -> list[dict[str, Any]]:
    """The palette for a peer that looks block states up in its own: name and values by runtime id."""
    return [{"name": state.name, "states": dict(state.states)} for state in Palette.for_protocol(protocol).states]


def _ids_of(palette: Palette, name: str) -> npt.NDArray[np.uint32]:
    named = np.array([state.name == name for state in palette.states])
    return palette.runtime_ids[named].astype(np.uint32)
