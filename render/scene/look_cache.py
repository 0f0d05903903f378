"""Looks of a session's blocks, kept on disk: made once a version, read in a few milliseconds afterwards.

Rules:
1. A file's name is a fingerprint of everything its content depends on: the block states in their order, the rules in
   ``assets``, and the source of whatever paints and packs. So a file is right or is not found; there is no expiry.
2. A file that cannot be read is no file; one that cannot be written is not written. Nothing depends on it.
3. Files are written whole or not at all, and only the ``KEPT_FILES`` newest stay.

Why: painting, shapes and mip levels of protocol 486 take 0.36 s, a third of what a warm start may take.
"""

import contextlib
import hashlib
import marshal
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Final

import numpy as np

from assets.textures import Recipe
from net.files import whole
from net.frozen import frozen
from render.gpu.tiles import LEVELS, Texels
from render.materials.materials import BlockStateLike
from render.materials.words import FaceRecipe
from render.mesh.build import MeshTables

KEPT_FILES: Final = 8
MADE_BY: Final = {
    "assets": ("models.py", "models.toml", "shapes.py", "textures.py", "textures.toml"),
    "render.materials": (),
    "render.mesh": ("build.py", "model_kernels.py", "model_quads.py", "tables.py", "quads.py"),
}
"""Packages and files in them (all Python files where none are named) that decide what a look is."""


@frozen
class StoredLooks:
    """What a scene needs of the looks of some block states.

    Attributes:
        tables: for the mesh kernel.
        levels: mip levels of all layers, 16 x 16 first.
        moving: layer -> what paints its loop, of those that move.
    """

    tables: MeshTables
    levels: tuple[Texels, ...]
    moving: Mapping[int, FaceRecipe]


def look_file(folder: Path, states: Sequence[BlockStateLike]) -> Path:
    """Where the looks of these states are kept, whether they are or not."""
    digest = hashlib.sha256(_sources())
    # Version 2 of the format has no back references, so equal states give equal bytes.
    digest.update(marshal.dumps([(state.name, state.states) for state in states], 2))
    return folder / f"looks-{digest.hexdigest()[:24]}.npz"


def read_looks(path: Path, ids: int) -> StoredLooks | None:
    """What was written there; None when nothing was, or nothing readable or true of so many ``ids``."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as kept:
            tables = MeshTables(**{field.name: kept[field.name] for field in fields(MeshTables)})
            levels = tuple(kept[f"level{level}"] for level in range(LEVELS))
            if not _point_inside(tables, ids):
                return None
            return StoredLooks(tables, levels, dict(map(_read_recipe, kept["moving"])))
    except (OSError, KeyError, ValueError, EOFError, zipfile.BadZipFile):
        return None


def _point_inside(tables: MeshTables, ids: int) -> bool:
    """Whether kernels can take them: each as it is declared, and no number beyond what it is the number of."""
    quads, door_ids = len(tables.model_quads), len(tables.door_ids)
    declared = {
        "classes": (np.int64, (7,)), "amounts": (np.uint8, (ids,)), "liquids": (np.uint8, (ids,)),
        "looks": (np.uint64, (ids, 6)), "groups": (np.uint8, (ids,)), "stairs": (np.uint8, (ids,)),
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


def write_looks(path: Path, looks: StoredLooks) -> None:
    """Keeps looks for the next start, where that is possible."""
    arrays = {field.name: getattr(looks.tables, field.name) for field in fields(MeshTables)}
    arrays |= {f"level{level}": texels for level, texels in enumerate(looks.levels)}
    arrays["moving"] = np.array([_written_recipe(*item) for item in looks.moving.items()], np.str_)
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
