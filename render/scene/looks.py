"""How block states look, as the scene needs it: pictures for the GPU, tables for the mesh kernel, both growing.

``LookSource`` is the plug point; ``BlockLooks`` (``block_looks``) is the real one, tests bring smaller ones.
"""

from collections.abc import Mapping, Sequence
from typing import Final, Protocol

from render.gpu.device import Gpu
from render.gpu.tiles import Texels, TileTextures
from render.materials.moving import Moving
from render.materials.tints import TintColours
from render.mesh.build import MeshTables
from render.scene.world import World

TICKS_A_SECOND: Final = 20
KEPT_BYTES: Final = 32 << 20
"""Of pictures of layers that move, made and kept: 23,000 of 16 x 16, 360 of 128 x 128."""


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

    @property
    def moving(self) -> Mapping[int, Moving]:
        """Layer -> what it shows over time, of those that move."""
        ...

    @property
    def tint_colours(self) -> TintColours:
        """Colours of grass, foliage and water by biome; others than before only where the world is attached anew."""
        ...

    def fit(self, most_layers: int) -> None:
        """Makes do with so many layers, which is what a GPU's array textures have; looks may begin anew."""
        ...

    def grow(self, world: World) -> None:
        """Takes states that joined the world's table, or another table."""
        ...

    def levels(self, layers: range) -> Sequence[Texels]:
        """Mip levels of some layers, the largest first; one size for all as long as the generation stays."""
        ...


class LookTextures:
    """A look source's copy on the GPU."""

    def __init__(self, gpu: Gpu, looks: LookSource) -> None:
        """Nothing of the pictures yet: ``grow`` uploads them."""
        self._looks = looks
        looks.fit(gpu.capabilities.max_layers)
        self._generation = looks.generation
        self._tiles = TileTextures(gpu)
        self._shown: dict[int, int] = {}
        self._made: dict[tuple[int, int], Sequence[Texels]] = {}
        self._made_bytes = 0
        self._moment: tuple[int, int, int] | None = None

    def grow(self, world: World) -> None:
        """Uploads what is new since the last call."""
        looks = self._looks
        looks.grow(world)
        if looks.generation != self._generation:
            self._generation = looks.generation
            self._tiles.clear()
            self._shown.clear()
            self._forget()
        behind = range(self._tiles.layers, looks.layers)
        if behind:
            self._tiles.append(looks.levels(behind))

    def show(self, seconds: float) -> None:
        """Gives layers that move the pictures of a time; those of time 0 are there from the beginning.

        Call it before ``bind``. It writes what changed alone: 1.4 KB a layer and step at 16 x 16.
        """
        tick = int(seconds * TICKS_A_SECOND)
        moment = tick, self._tiles.layers, self._generation
        if moment == self._moment:
            return
        self._moment = moment
        for layer, moving in self._looks.moving.items():
            step = moving.step_at(tick)
            if step == self._shown.get(layer, 0) or layer >= self._tiles.layers:
                continue
            if (layer, step) not in self._made:
                self._keep((layer, step), moving.levels(step))
            self._tiles.replace(layer, self._made[layer, step])
            self._shown[layer] = step

    def _keep(self, picture: tuple[int, int], levels: Sequence[Texels]) -> None:
        if self._made_bytes >= KEPT_BYTES:
            self._forget()
        self._made[picture] = levels
        self._made_bytes += sum(level.nbytes for level in levels)

    def _forget(self) -> None:
        self._made.clear()
        self._made_bytes = 0

    def bind(self) -> None:
        """Binds the textures."""
        self._tiles.bind()

    def release(self) -> None:
        """Frees the GL objects."""
        self._tiles.release()
