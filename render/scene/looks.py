"""How block states look, as the scene needs it: pictures for the GPU, tables for the mesh kernel, both growing.

``LookSource`` is the plug point; ``BlockLooks`` (``block_looks``) is the real one, tests bring smaller ones.
"""

from collections.abc import Sequence
from typing import Protocol

from render.gpu.device import Gpu
from render.gpu.tiles import Texels, TileTextures
from render.mesh.build import MeshTables
from render.scene.world import World


class LookSource(Protocol):
    """Looks of the block states met so far. Owner thread only."""

    @property
    def tables(self) -> MeshTables:
        """What jobs made from now on read; replaced, never written, when states join."""
        ...

    @property
    def generation(self) -> int:
        """Grows when layer numbers mean other pictures than before."""
        ...

    @property
    def layers(self) -> int:
        """How many texture layers there are."""
        ...

    def grow(self, world: World) -> None:
        """Takes states that joined the world's table, or another table."""
        ...

    def levels(self, layers: range) -> Sequence[Texels]:
        """Mip levels of some layers, 16 x 16 first."""
        ...


class LookTextures:
    """A look source's copy on the GPU."""

    def __init__(self, gpu: Gpu, looks: LookSource) -> None:
        """Nothing of the pictures yet: ``grow`` uploads them."""
        self._looks = looks
        self._generation = looks.generation
        self._tiles = TileTextures(gpu)

    def grow(self, world: World) -> None:
        """Uploads what is new since the last call."""
        looks = self._looks
        looks.grow(world)
        if looks.generation != self._generation:
            self._generation = looks.generation
            self._tiles.clear()
        behind = range(self._tiles.layers, looks.layers)
        if behind:
            self._tiles.append(looks.levels(behind))

    def bind(self) -> None:
        """Binds the textures."""
        self._tiles.bind()

    def release(self) -> None:
        """Frees the GL objects."""
        self._tiles.release()
