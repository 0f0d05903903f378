"""Appearance of block states: textures for the GPU and tables for the mesh kernel, both growing.

Theory. Layers are only added as long as dense ids mean the same states: the same table, or that of a new session with
the same blocks. For another table (custom blocks) everything is made anew and ``generation`` grows.

Looks are cached on disk, since painting, shapes and mip levels of protocol 486 take 0.36 s, a third of the limit for a
warm start. A block that joins later gets the same numbers, since painting goes through the table in the same order.
1. A file's name is a fingerprint of everything its content depends on: the block states in their order, the rules in
   ``assets``, and the source of all modules that paint and pack. So a file is right or is not found; there is no
   expiry.
2. A file that cannot be read is ignored; one that cannot be written is not written. Files are written whole or not at
   all, and only the ``KEPT_FILES`` newest stay. With resource packs nothing is cached: their files may change at any
   time.
"""

import contextlib
import hashlib
import marshal
import zipfile
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

import msgspec
import numpy as np

from assets.textures import Recipe
from client.world.block_table import BlockTable
from client.world.store import Store
from net.files import whole
from render.gpu.device import Gpu
from render.gpu.textures import LEVELS, Texels, TileTextures
from render.materials.biome_tints import TintColours, tint_colours
from render.materials.face_recipes import FaceRecipe
from render.materials.materials import MOST_LAYERS, BlockStateLike, Materials, crowded_line
from render.materials.packs.fogs import NO_FOGS, PackFogs
from render.materials.packs.stack import PackStack
from render.materials.packs.troubles import LOG, Trouble, warn_of_troubles
from render.materials.painters import Moving, PaintedLoop
from render.mesh.mesher import AppearanceTables, appearance_tables

TICKS_A_SECOND: Final = 20
KEPT_BYTES: Final = 32 << 20
"""Limit of cached textures of moving layers: 23,000 of 16 x 16, 360 of 128 x 128."""


class AppearanceTextures:
    """The textures on the GPU."""

    def __init__(self, gpu: Gpu, appearance: "BlockAppearance") -> None:
        self._appearance = appearance
        appearance.resize(gpu.capabilities.max_layers)
        self._generation = appearance.generation
        self._tiles = TileTextures(gpu)
        self._shown: dict[int, int] = {}
        self._made: dict[tuple[int, int], Sequence[Texels]] = {}
        self._made_bytes = 0
        self._moment: tuple[int, int, int] | None = None

    def grow(self, world: Store) -> None:
        appearance = self._appearance
        appearance.grow(world)
        if appearance.generation != self._generation:
            self._generation = appearance.generation
            self._tiles.clear()
            self._shown.clear()
            self._forget()
        behind = range(self._tiles.layers, appearance.layers)
        if behind:
            self._tiles.append(appearance.levels(behind))

    def show(self, seconds: float) -> None:
        """Sets moving layers to their textures at a time, before ``bind``: 1.4 KB a layer and step at 16 x 16."""
        tick = int(seconds * TICKS_A_SECOND)
        moment = tick, self._tiles.layers, self._generation
        if moment == self._moment:
            return
        self._moment = moment
        for layer, moving in self._appearance.moving.items():
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
        self._tiles.bind()

    def release(self) -> None:
        self._tiles.release()


# ---------------------------------------------------------------- cache

KEPT_FILES: Final = 8
MADE_BY: Final = {
    "assets": ("models.py", "models.toml", "textures.py", "textures.toml"),
    "render.materials": (),
    "render.mesh": ("mesher.py", "model_kernels.py", "model_shapes.py", "vertex_format.py"),
}
"""Packages and files in them (all Python files if none are named) that it depends on."""


class StoredAppearance(msgspec.Struct, frozen=True):
    """The appearance of some block states, as stored."""

    tables: AppearanceTables  # tables for the mesh kernel
    levels: tuple[Texels, ...]  # mip levels of all layers, 16 x 16 first
    moving: Mapping[int, FaceRecipe]  # layer -> recipe of its animation, for layers that move


def appearance_file(folder: Path, states: Sequence[BlockStateLike]) -> Path:
    """Path of the cached looks of these states, whether the file exists or not."""
    digest = hashlib.sha256(_sources())
    # Version 2 of the format has no back references, so equal states give equal bytes.
    digest.update(marshal.dumps([(state.name, state.states) for state in states], 2))
    return folder / f"looks-{digest.hexdigest()[:24]}.npz"


def read_appearance(path: Path, ids: int) -> StoredAppearance | None:
    """The cached appearance; None if there is no file, or one that is not readable or not right for so many ``ids``."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            tables = AppearanceTables(**{name: kept[name] for name in AppearanceTables.__struct_fields__})
            levels = tuple(kept[f"level{level}"] for level in range(LEVELS))
            if not _point_inside(tables, ids):
                return None
            return StoredAppearance(tables, levels, dict(map(_read_recipe, kept["moving"])))
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
        return None


def _point_inside(tables: AppearanceTables, ids: int) -> bool:
    """Whether kernels can use them: every array has its declared type, and every index is in range."""
    quads, door_ids = len(tables.model_quads), len(tables.door_ids)
    declared = {
        "classes": (np.int64, (7,)), "amounts": (np.uint8, (ids,)), "liquids": (np.uint8, (ids,)),
        "faces": (np.uint64, (ids, 6)), "groups": (np.uint8, (ids,)), "stairs": (np.uint8, (ids,)),
        "doors": (np.uint16, (ids,)), "door_ids": (np.uint16, (door_ids,)), "model_rows": (np.int32, (ids, 2)),
        "model_quads": (np.uint64, (quads, 3)), "model_rules": (np.uint16, (quads,)),
    }  # fmt: skip
    for name, (dtype, shape) in declared.items():
        array = getattr(tables, name)
        if array.dtype != dtype or array.shape != shape or not array.flags.c_contiguous:
            return False
    starts, stops = tables.model_rows.T
    return bool(
        (starts >= 0).all()
        and (starts <= stops).all()
        and (stops <= quads).all()
        and (tables.stairs <= 8).all()
        and ((tables.doors >> 5) + 1 << 5 <= door_ids).all()
        and (tables.door_ids < ids).all()
        and (tables.classes >= 0).all()
        and (tables.classes <= ids).all()
    )


def write_appearance(path: Path, stored: StoredAppearance) -> None:
    arrays = {name: getattr(stored.tables, name) for name in AppearanceTables.__struct_fields__}
    arrays |= {f"level{level}": texels for level, texels in enumerate(stored.levels)}
    arrays["moving"] = np.array([_written_recipe(*item) for item in stored.moving.items()], np.str_)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path) as temporary, temporary.open("xb") as file:
            np.savez(file, **arrays)
        kept = sorted(path.parent.glob("looks-*.npz"), key=lambda file: file.stat().st_mtime_ns, reverse=True)
        for old in kept[KEPT_FILES:]:
            old.unlink(missing_ok=True)


def _written_recipe(layer: int, look: FaceRecipe) -> str:
    return " ".join((str(layer), look.mark or "-", str(int(look.turned)), look.recipe.painter, *look.recipe.colours))


def _read_recipe(text: str) -> tuple[int, FaceRecipe]:
    layer, mark, turned, painter, *colours = str(text).split()
    return int(layer), FaceRecipe(Recipe(painter, tuple(colours)), turned == "1", mark.removeprefix("-"))


@cache
def _sources() -> bytes:
    """Digest of every file of ``MADE_BY``."""
    digest = hashlib.sha256(np.__version__.encode())
    for package, names in MADE_BY.items():
        folder = resources.files(package)
        for name in names or sorted(file.name for file in folder.iterdir() if file.name.endswith(".py")):
            digest.update(name.encode() + folder.joinpath(name).read_bytes())
    return digest.digest()


# ---------------------------------------------------------------- block appearance


class BlockAppearance:
    """The appearance of the known block states; grows with the table. Owner thread only."""

    def __init__(self, table: BlockTable, cache: Path | None = None, packs: PackStack | None = None) -> None:
        """Reads the appearance of all states of the table from ``cache``, or makes them: 0.36 s for protocol 486."""
        self.generation = 0  # grows when layer numbers mean other textures than before
        self.moving: Mapping[int, Moving] = {}  # layer -> its texture over time, for layers that move
        self._packs = packs
        self._most_layers = MOST_LAYERS
        self._reported: frozenset[Trouble] = frozenset()
        self._cache = None if packs else cache
        self._table = table
        self._materials: Materials | None = None  # None while the cache is enough
        self._known = len(table.states)
        self._take()

    def grow(self, world: Store) -> None:
        """Adds states that joined the world's table, or takes another table."""
        table = world.table
        if table is not self._table and list(table.states) == list(self._table.states):
            self._table = table
        if table is not self._table:
            self.generation += 1
            self._table = table
            self._take()
        elif len(table.states) != self._known:
            if self._materials is not None:
                self._materials.grow(table)
            self._make(self._materials)

    def reload(self, packs: PackStack) -> bool:
        """Takes reloaded packs; True if the world must be attached anew too, and not only textures."""
        before, tints = self.tables, self.tint_colours
        self._packs, self._cache = packs, None
        self.generation += 1
        self._make()
        pairs = [(getattr(before, name), getattr(self.tables, name)) for name in ("faces", "model_rows", "model_quads")]
        return not all(np.array_equal(one, other) for one, other in [*pairs, (tints, self.tint_colours)])

    def resize(self, most_layers: int) -> None:
        """Limits the number of layers to that of the GPU's array textures; all may be made anew."""
        crowded = self._materials is not None and self._materials.crowded
        if self.layers > most_layers or (crowded and most_layers > self._most_layers):
            self._most_layers = most_layers
            self.generation += 1
            self._make()
        self._most_layers = most_layers

    @property
    def tint_colours(self) -> TintColours:
        """Colours of grass, foliage and water by biome; they change only when the world is attached anew."""
        return self._packs.tints if self._packs else tint_colours()

    @property
    def fogs(self) -> PackFogs:
        """Fogs and colours of the sky that the packs define; replaced whole when packs are read again."""
        return self._packs.fogs if self._packs else NO_FOGS

    @property
    def unpacked(self) -> Mapping[str, int]:
        """Names of blocks of which the packs lack a face, each with the number of faces that the packs have."""
        return self._materials.unpacked if self._materials else {}

    def levels(self, layers: range) -> Sequence[Texels]:
        """Mip levels of some layers, the largest first; all have one size as long as the generation stays."""
        return [level[layers.start : layers.stop] for level in self._levels]

    @property
    def layers(self) -> int:
        return len(self._levels[0])

    def _take(self) -> None:
        path = appearance_file(self._cache, self._table.states) if self._cache else None
        stored = read_appearance(path, len(self._table.states)) if path else None
        if stored is not None:
            self._known, self._materials = len(self._table.states), None
            # For jobs made from now on; replaced, never changed, when states join.
            self.tables: AppearanceTables = stored.tables
            self._levels: Sequence[Texels] = stored.levels
            self.moving = {layer: PaintedLoop(look) for layer, look in stored.moving.items()}
            return
        self._make()
        if path:
            loops = {layer: loop.look for layer, loop in self.moving.items() if isinstance(loop, PaintedLoop)}
            write_appearance(path, StoredAppearance(self.tables, tuple(self._levels), loops))

    def _make(self, materials: Materials | None = None) -> None:
        """Makes all tables and textures; few blocks ever join later, so the textures are made again with them."""
        materials = materials or Materials.build(self._table, self._packs, self._most_layers)
        self._known, self._materials = len(self._table.states), materials
        self.tables = appearance_tables(materials, self._table)
        self._levels = materials.levels()
        self.moving = materials.moving
        if self._packs is not None:
            troubles = self._packs.troubles
            warn_of_troubles([trouble for trouble in troubles if trouble not in self._reported])
            self._reported = frozenset(troubles)  # reports each problem of a pack once, until it is mended
        if materials.crowded:
            LOG.warning("%s", crowded_line(materials.crowded, self._most_layers))
