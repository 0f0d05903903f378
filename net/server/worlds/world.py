"""What a world is to the server: columns of local block ids, and the list that says what those ids are.

Rules:
1. ``column`` is a pure function of the world and the position: same arguments, same blocks, in any order.
2. A world's ids index ``states``; 0 is air in every world. They are small so that a generator can compute with them.
   A saved world learns its states with its columns: the list grows, and what stands there stays.
3. A world knows nothing of wires, runtime ids or players.
"""

from collections.abc import Iterator, Mapping
from dataclasses import field
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from net.frozen import frozen
from net.palette import BlockState
from net.space.dimensions import Dimension
from net.space.layout import Biomes, BlockIds
from net.space.positions import ColumnPos

Entities = Mapping[int, Mapping[int, bytes]]
"""Block entities as a client is sent them: by the section's index from the floor, then by the block's in it."""
SurfaceBiomes = npt.NDArray[np.uint16]
"""[256] by x << 4 | z: the biome of a block column from floor to roof."""


@frozen
class GeneratedColumn:
    """One column as a generator makes it. Read-only once returned.

    Attributes:
        layer0: local ids, [sections, 4096], lowest section first.
        layer1: the second layer (the liquid a plant stands in), the same shape, None where there is none.
        biomes: biome ids of its 256 block columns.
        section_biomes: biome ids of all its blocks, [sections, 4096], None where the surface's hold from floor to roof.
        entities: its block entities.
    """

    layer0: BlockIds
    layer1: BlockIds | None
    biomes: SurfaceBiomes
    section_biomes: Biomes | None = None
    entities: Entities = field(default_factory=dict)


@frozen
class Spawn:
    """Where a player starts.

    Attributes:
        feet: x, y, z of the feet in blocks.
        yaw: degrees, 0 = +z, 90 = -x.
        pitch: degrees, positive looks down.
    """

    feet: tuple[float, float, float]
    yaw: float
    pitch: float


class World(Protocol):
    """A source of columns."""

    @property
    def name(self) -> str:
        """As it is chosen on the command line."""

    @property
    def dimension(self) -> Dimension:
        """Vertical range and sky."""

    @property
    def states(self) -> tuple[BlockState, ...]:
        """What ids of columns made so far mean; index 0 is air."""

    @property
    def spawn(self) -> Spawn:
        """Where players start."""

    def column(self, position: ColumnPos) -> GeneratedColumn:
        """The column at a position; every position has one."""


@runtime_checkable
class SteppedWorld(Protocol):
    """A ``World`` whose columns take long to make: whoever has other things to do makes them a step at a time."""

    def steps(self, position: ColumnPos) -> Iterator[None]:
        """Some milliseconds of work each; after the last one ``column`` gives this column at once. May be dropped."""


def subchunks_of(blocks: npt.NDArray[np.uint16]) -> BlockIds:
    """Cuts ``[16, 16, height]`` (x, z, y, lowest y first) into ``[height / 16, 4096]`` sub-chunks of wire order."""
    sections = blocks.shape[2] // 16
    cut = blocks.reshape(16, 16, sections, 16).transpose(2, 0, 1, 3)
    return np.ascontiguousarray(cut).reshape(sections, 4096)
