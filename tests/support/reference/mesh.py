"""Plain references of the mesh kernel: the faces, slopes and model quads that a render cell shows.

- ``naive_faces``, ``naive_slopes``, ``naive_models``: block by block and face by face, for small tables (``Classes``).
- ``CellTruth``: a whole cell at once with NumPy, for any block table.
"""

from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from client.world.block_table import BlockTable, is_lava
from net.space import DIRECTIONS
from render.materials.biome_tints import LOWERED
from render.mesh.cell_layout import ALL_OPAQUE, HAS_LIQUID, HAS_OPAQUE, HAS_OTHER
from render.mesh.mesher import AppearanceTables, MeshBatch, MeshPools, MeshResult
from render.mesh.vertex_format import CUBE, MODEL, NO_FACE, Group, Words, pack, read

# ---------------------------------------------------------------- mesh worlds

Volume = npt.NDArray[np.uint16]
"""uint16[48, 64, 48] dense ids by x, y, z: the cell is [16:32, 16:48, 16:32], the rest are its neighbours."""


class Classes(msgspec.Struct, frozen=True):
    """The part of a block table that the kernel uses: the first id of each class, and the number of ids.

    The first liquid is still water, the next is flowing water, and ``lava`` is the id of lava.
    """

    model: int = 1
    cutout: int = 3
    translucent: int = 5
    liquid: int = 7
    placeholder: int = 10
    opaque: int = 11
    count: int = 15
    lava: int = 9

    def group(self, dense: int) -> str:
        """The name of an id's class."""
        names = ("air", "model", "cutout", "translucent", "liquid", "placeholder", "opaque")
        bounds = (self.model, self.cutout, self.translucent, self.liquid, self.placeholder, self.opaque)
        return names[sum(dense >= bound for bound in bounds)]


def looks_of(classes: Classes) -> AppearanceTables:
    """Mesh tables: layer = 100 + 6 * id + face; models: diagonal quad, floor quad hidden from below, a link to +x."""
    ids = np.arange(classes.count, dtype=np.uint64)
    layer = 100 + 6 * ids[:, None] + np.arange(6, dtype=np.uint64)
    looks = layer << np.uint64(32) | ids[:, None] << np.uint64(48)
    quads, rules, rows = [], [], []
    for dense in range(classes.count):
        start = len(quads)
        if classes.group(dense) == "model":
            for face in (NO_FACE, 4, 1):
                words = pack(MODEL, 1, ux=8, vy=8, u1=16, v0=16, face=face, layer=100 + face)
                quads.append(words.view(np.uint64).reshape(3))
            rules += [7 | 7 << 3, 4 | 7 << 3, 7 | 1 << 3]
        rows.append((start, len(quads)))
    return AppearanceTables(
        classes=np.array(
            [
                classes.model,
                classes.cutout,
                classes.translucent,
                classes.liquid,
                classes.placeholder,
                classes.opaque,
                classes.liquid,
            ],
            np.int64,
        ),
        amounts=np.where(ids == classes.liquid + 1, 3, 8).astype(np.uint8),
        liquids=np.where(ids == classes.lava, 2, 1).astype(np.uint8),
        faces=looks,
        groups=np.where((ids >= classes.model) & (ids < classes.cutout), 1, 0).astype(np.uint8),
        stairs=np.zeros(classes.count, np.uint8),
        doors=np.zeros(classes.count, np.uint16),
        door_ids=np.zeros(32, np.uint16),
        model_rows=np.array(rows, np.int32),
        model_quads=np.array(quads, np.uint64).reshape(-1, 3),
        model_rules=np.array(rules, np.uint16),
    )


def masks_of(ids: Volume, classes: Classes) -> tuple[npt.NDArray[np.uint16], ...]:
    """Column masks uint16[n, 256] of opaque, liquid and other blocks of slots [n, 4096]."""
    bits = np.uint16(1) << np.arange(16, dtype=np.uint16)
    cells = ids.reshape(-1, 256, 16)

    def mask(chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.uint16]:
        return np.ascontiguousarray((chosen * bits).sum(2).astype(np.uint16))

    return (
        mask(cells >= classes.placeholder),
        mask((cells >= classes.liquid) & (cells < classes.placeholder)),
        mask((cells >= classes.model) & (cells < classes.liquid)),
    )


def _slots(volume: Volume) -> npt.NDArray[np.uint16]:
    parts = volume.reshape(3, 16, 4, 16, 3, 16).transpose(0, 4, 2, 1, 5, 3)  # column x, z, section, then x, z, y
    return parts.reshape(36, 4096)


def batch_of(
    volumes: list[Volume], classes: Classes, looks: AppearanceTables | None = None, seconds: list[Volume] | None = None
) -> MeshBatch:
    """A batch with one cell for each volume, at (0, 0, 0), (1, 0, 0) and so on, with 36 slots each.

    ``looks``: mesh tables, by default ``looks_of``. ``seconds``: second layers of all volumes, by default none.
    """
    blocks = np.ascontiguousarray(np.concatenate([_slots(volume) for volume in volumes]))
    layer1 = np.concatenate([np.zeros((1, 4096), np.uint16), *(_slots(second) for second in seconds or ())])
    second_slots = np.arange(1, len(layer1), dtype=np.int32)
    second_slots[~layer1[1:].any(axis=1)] = 0
    opaque, liquid, other = masks_of(blocks, classes)
    flags = (liquid.any(axis=1) * 64).astype(np.uint32) | (blocks == classes.lava).any(axis=1) * np.uint32(128)
    kinds = (
        HAS_OPAQUE * opaque.any(1)
        | ALL_OPAQUE * (opaque == 0xFFFF).all(1)
        | HAS_LIQUID * liquid.any(1)
        | HAS_OTHER * other.any(1)
    ).astype(np.uint8)
    cells = np.zeros((len(volumes), 3), np.int32)
    cells[:, 0] = np.arange(len(volumes))
    return MeshBatch(
        cells=cells,
        slots=np.arange(36 * len(volumes), dtype=np.int32).reshape(-1, 36),
        layer1_slots=(second_slots if seconds else np.zeros(36 * len(volumes), np.int32)).reshape(-1, 36),
        revisions=np.arange(len(volumes), dtype=np.int64) + 7,
        pools=MeshPools(blocks, opaque, liquid, other, kinds, flags, layer1, masks_of(layer1, classes)[1]),
        tables=looks or looks_of(classes),
    )


Face = tuple[str, int, int, int, int, int, int]
"""(group, x, y, z in the cell, face, id, LOWERED if its upper edge is lowered or 0)."""


NONE, WATER, LAVA = range(3)


def liquid_at(volume: Volume, classes: Classes, second: Volume | None, x: int, y: int, z: int) -> tuple[int, int]:
    """Kind and id of the liquid at a position from the cell's corner; the second layer counts if the first has none."""
    own = int(volume[x + 16, y + 16, z + 16])
    if classes.group(own) == "liquid":
        return LAVA if own == classes.lava else WATER, own
    other = 0 if second is None or own >= classes.translucent else int(second[x + 16, y + 16, z + 16])
    return (WATER, other) if classes.group(other) == "liquid" else (NONE, 0)


def naive_faces(volume: Volume, classes: Classes, second: Volume | None = None) -> set[Face]:
    """All faces that a cell shows, without models."""
    faces: set[Face] = set()
    for x, y, z in np.ndindex(16, 32, 16):
        dense = int(volume[x + 16, y + 16, z + 16])
        group = classes.group(dense)
        for face, (dx, dy, dz) in enumerate(DIRECTIONS):
            other = int(volume[x + 16 + dx, y + 16 + dy, z + 16 + dz])
            hidden = other >= classes.placeholder or (group == "translucent" and other == dense)
            if not hidden and group in ("opaque", "cutout", "translucent"):
                faces.add((group, x, y, z, face, dense, 0))
        faces |= _liquid_faces(volume, classes, second, x, y, z)
    return faces


def _liquid_faces(volume: Volume, classes: Classes, second: Volume | None, x: int, y: int, z: int) -> set[Face]:
    """The level faces of a block's liquid; water inside another block looks like the first liquid."""
    kind, _ = liquid_at(volume, classes, second, x, y, z)
    if kind == NONE:
        return set()
    own = int(volume[x + 16, y + 16, z + 16])
    shown = own if classes.group(own) == "liquid" else classes.liquid
    surface = is_surface(volume, classes, second, x, y, z, kind)
    level = surface and is_level(volume, classes, second, x, y, z)
    faces: set[Face] = set()
    for face, (dx, dy, dz) in enumerate(DIRECTIONS):
        hidden = int(volume[x + 16 + dx, y + 16 + dy, z + 16 + dz]) >= classes.placeholder
        hidden |= liquid_at(volume, classes, second, x + dx, y + dy, z + dz)[0] == kind
        if face == 5:
            hidden = not surface
        if not hidden and not (surface and not level and face != 4):
            faces.add(("liquid", x, y, z, face, shown, LOWERED if surface and face != 4 else 0))
    return faces


def is_surface(volume: Volume, classes: Classes, second: Volume | None, x: int, y: int, z: int, kind: int) -> bool:
    """Whether a position has this kind of liquid and the one above it has not."""
    return kind == liquid_at(volume, classes, second, x, y, z)[0] != liquid_at(volume, classes, second, x, y + 1, z)[0]


def is_level(volume: Volume, classes: Classes, second: Volume | None, x: int, y: int, z: int) -> bool:
    """Whether a surface is full, and all around it are full surfaces or opaque blocks."""
    kind = liquid_at(volume, classes, second, x, y, z)[0]
    around = [(x + dx, z + dz) for dx in (-1, 0, 1) for dz in (-1, 0, 1)]
    running = classes.liquid + 1
    fits = [
        is_surface(volume, classes, second, a, y, b, kind) and liquid_at(volume, classes, second, a, y, b)[1] != running
        for a, b in around
    ]
    opaque = [int(volume[a + 16, y + 16, b + 16]) >= classes.placeholder for a, b in around]
    return fits[4] and all(np.logical_or(fits, opaque))


def corner_height(volume: Volume, classes: Classes, second: Volume | None, x: int, y: int, z: int, kind: int) -> int:
    """Height in sixteenths of a liquid at the corner x, z of blocks at y: the rule of ``slope_kernels.corner``."""
    heights = []
    for a, b in ((x, z), (x - 1, z), (x, z - 1), (x - 1, z - 1)):
        found, dense = liquid_at(volume, classes, second, a, y, b)
        if found == kind:
            if liquid_at(volume, classes, second, a, y + 1, b)[0] == kind:
                return 16
            heights += [3] if dense == classes.liquid + 1 else [8] * 10
        elif volume[a + 16, y + 16, b + 16] < classes.placeholder:
            heights.append(0)
    return max(int(14 / 8 * sum(heights) / len(heights) + 0.5), 1)


Slope = tuple[int, int, int, int, int, tuple[tuple[int, int, int], ...]]
"""(x, y, z, face, id, sorted corners in sixteenths of a block from the cell's corner)."""
_SIDE_CORNERS = (((0, 0), (0, 1)), ((1, 0), (1, 1)), ((0, 0), (1, 0)), ((0, 1), (1, 1)))


def naive_slopes(volume: Volume, classes: Classes, second: Volume | None = None) -> set[Slope]:
    """All sloped faces of liquids."""
    slopes: set[Slope] = set()
    for x, y, z in np.ndindex(16, 32, 16):
        kind, _ = liquid_at(volume, classes, second, x, y, z)
        if kind == NONE or not is_surface(volume, classes, second, x, y, z, kind):
            continue
        if is_level(volume, classes, second, x, y, z):
            continue
        own = int(volume[x + 16, y + 16, z + 16])
        dense = own if classes.group(own) == "liquid" else classes.liquid
        high = {(a, b): corner_height(volume, classes, second, x + a, y, z + b, kind) for a in (0, 1) for b in (0, 1)}
        ends = [(16 * (x + a), 16 * y + high[a, b], 16 * (z + b)) for a, b in high]
        if volume[x + 16, y + 17, z + 16] < classes.placeholder or min(high.values()) < 16:
            slopes.add((x, y, z, 5, dense, tuple(sorted(ends))))
        for face, (dx, dy, dz) in enumerate(DIRECTIONS[:4]):
            beside = int(volume[x + 16 + dx, y + 16 + dy, z + 16 + dz])
            if beside >= classes.placeholder or liquid_at(volume, classes, second, x + dx, y, z + dz)[0] == kind:
                continue
            ends = [(16 * (x + a), 16 * y + h, 16 * (z + b)) for a, b in _SIDE_CORNERS[face] for h in (0, high[a, b])]
            slopes.add((x, y, z, face, dense, tuple(sorted(ends))))
    return slopes


def slopes_of(models: Words) -> list[Slope]:
    """Unpacks sloped faces in their order; asserts that each faces out of its block and has its block's texture."""
    fields = {name: read(MODEL, models, name) for name in MODEL}
    origin, u, v = (np.stack([fields[edge + axis] for axis in "xyz"], 1) for edge in ("", "u", "v"))
    twisted = np.stack([0 * fields["twist"], fields["twist"], 0 * fields["twist"]], 1)
    corners = np.stack([origin, origin + u, origin + v, origin + u + v + twisted], 1)
    upright = (fields["face"] < 5)[:, None]
    normal = np.cross(u * (1, 0, 1), np.where(upright, (0, 1, 0), v * (1, 0, 1)))
    assert ((normal * np.array(DIRECTIONS)[fields["face"]]).sum(1) > 0).all()
    assert ((fields["layer"] - 100) // 6 == fields["block"]).all()
    places = zip(*(fields[name].tolist() for name in ("block_x", "block_y", "block_z", "face", "block")), strict=True)
    return [(*place, tuple(sorted(map(tuple, ends)))) for place, ends in zip(places, corners.tolist(), strict=True)]


def cut_quads(cubes: Words, classes: Classes) -> list[Face]:
    """Splits merged cube quads into faces of single blocks; only the top row of a quad can have a lowered edge."""
    fields = {name: read(CUBE, cubes, name).tolist() for name in CUBE}
    faces: list[Face] = []
    for k in range(len(cubes)):
        face, dense = fields["face"][k], fields["block"][k]
        assert fields["layer"][k] == 100 + 6 * dense + face
        moved = fields["flags"][k] & LOWERED
        for s in range(fields["width"][k]):
            for t in range(fields["height"][k]):
                x, y, z = fields["x"][k], fields["y"][k], fields["z"][k]
                if face < 2:
                    y, z = y + t, z + s
                elif face < 4:
                    x, y = x + s, y + t
                else:
                    x, z = x + s, z + t
                top = t == fields["height"][k] - 1 or face == 5
                faces.append((classes.group(dense), x, y, z, face, dense, moved if top else 0))
    return faces


def naive_models(volume: Volume, classes: Classes) -> set[tuple[int, int, int, int, int]]:
    """(x, y, z, face, id) of the visible model quads of ``looks_of``."""
    quads = set()
    inside = volume[16:32, 16:48, 16:32]
    for x, y, z in np.argwhere((inside >= classes.model) & (inside < classes.cutout)).tolist():
        dense = int(inside[x, y, z])
        below = int(volume[x + 16, y + 15, z + 16])
        beside = int(volume[x + 17, y + 16, z + 16])
        quads.add((x, y, z, NO_FACE, dense))
        if below < classes.placeholder:
            quads.add((x, y, z, 4, dense))
        if beside >= classes.placeholder or classes.group(beside) == "model":
            quads.add((x, y, z, 1, dense))
    return quads


# ---------------------------------------------------------------- mesh twin

Keys = npt.NDArray[np.int64]
"""Sorted numbers, one per face, or rows of them."""
Bools = npt.NDArray[np.bool_]

MARGIN: Final = 3
MIDDLE: Final = np.s_[16 - MARGIN : 32 + MARGIN, 16 - MARGIN : 48 + MARGIN, 16 - MARGIN : 32 + MARGIN]
CELL: Final = np.s_[MARGIN:-MARGIN, MARGIN:-MARGIN, MARGIN:-MARGIN]
LAYERS: Final = 1 << 16
SIDES: Final = (((0, 0), (0, 1)), ((1, 0), (1, 1)), ((0, 0), (1, 0)), ((0, 1), (1, 1)))
"""The corners x, z of the two vertical edges, by side face."""


def looks_of_table(table: BlockTable) -> AppearanceTables:
    """Like ``looks_of``, for all ids of a session's block table."""
    count, first = len(table), table.first
    ids = np.arange(count, dtype=np.uint64)
    layer = (np.uint64(6) * ids[:, None] + np.arange(6, dtype=np.uint64)) % np.uint64(LAYERS)
    bounds = first.model, first.cutout, first.translucent, first.liquid, first.placeholder, first.opaque
    amounts, liquids = np.full(count, 8, np.uint8), np.ones(count, np.uint8)
    for dense in range(first.liquid, first.placeholder):
        state = table.states[dense]
        depth = int(dict(state.states).get("liquid_depth", 0))
        amounts[dense] = 8 - depth if depth < 8 else 8
        liquids[dense] = LAVA if is_lava(state.name) else WATER
    model = (ids >= first.model) & (ids < first.cutout)
    quads = [
        pack(MODEL, 1, ux=8, vy=8, u1=16, v0=16, face=face, layer=face).view(np.uint64) for face in (NO_FACE, 4, 1)
    ]
    return AppearanceTables(
        classes=np.array([*bounds, first.liquid], np.int64),
        amounts=amounts,
        liquids=liquids,
        faces=layer << np.uint64(32) | ids[:, None] << np.uint64(48),
        groups=model.astype(np.uint8),
        stairs=np.zeros(count, np.uint8),
        doors=np.zeros(count, np.uint16),
        door_ids=np.zeros(32, np.uint16),
        model_rows=model[:, None] * np.array([0, 3], np.int32),
        model_quads=np.concatenate(quads),
        model_rules=np.array([7 | 7 << 3, 4 | 7 << 3, 7 | 1 << 3], np.uint16),
    )


class CellTruth:
    """The faces, slopes and model quads of the cell in the middle of a volume."""

    def __init__(self, volume: Volume, second: Volume, looks: AppearanceTables) -> None:
        """``volume``, ``second``: the ids of both layers. ``looks``: the tables that the kernel gets."""
        own, other = volume[MIDDLE].astype(np.int64), second[MIDDLE].astype(np.int64)
        self.model, self.cutout, self.translucent, self.liquid, placeholder, self.first_opaque, self.water = (
            looks.classes.tolist()
        )
        wet = (own >= self.liquid) & (own < placeholder)
        soaked = (own < self.translucent) & (other >= self.liquid) & (other < placeholder)
        self.own = own
        self.opaque = own >= placeholder
        self.kind = np.where(wet, looks.liquids[own], np.where(soaked, WATER, NONE)).astype(np.int64)
        self.amount = looks.amounts[np.where(soaked, other, own)].astype(np.int64)
        self.shown = np.where(wet, own, self.water)
        self.surface = (self.kind != NONE) & (self.kind != _beside(self.kind, (0, 1, 0)))
        self.level = self.surface & (self.amount == 8)
        for dx in (-1, 0, 1):
            for dz in (-1, 0, 1):
                like = self.surface & (self.amount == 8)
                fits = _beside(like, (dx, 0, dz)) & (_beside(self.kind, (dx, 0, dz)) == self.kind)
                self.level &= fits | _beside(self.opaque, (dx, 0, dz))

    def faces(self) -> Keys:
        """Keys of all faces of cubes and level liquids."""
        found = []
        own, kind = self.own, self.kind
        dry = ((own >= self.cutout) & (own < self.liquid)) | (own >= self.first_opaque)
        for face, way in enumerate(DIRECTIONS):
            hidden = _beside(self.opaque, way)
            same = (own >= self.translucent) & (own < self.liquid) & (_beside(own, way) == own)
            found.append(_face_keys(dry & ~hidden & ~same, face, own, 0))
            hidden |= _beside(kind, way) == kind
            if face == 5:
                hidden = ~self.surface
            shows = (kind != NONE) & ~hidden & ~(self.surface & ~self.level & (face != 4))
            for lowered in (False, True):
                flagged = self.surface if face != 4 else np.zeros_like(self.surface)
                found.append(_face_keys(shows & (flagged == lowered), face, self.shown, LOWERED * lowered))
        return np.sort(np.concatenate(found))

    def slopes(self) -> Keys:
        """All sloped faces of liquids: rows of x, y, z, face, id, and the sorted corners."""
        found = []
        sloping = self.surface & ~self.level
        for kind in (WATER, LAVA):
            mine = sloping & (self.kind == kind)
            corner = self._corners(kind)
            high = {(a, b): _beside(corner, (a, 0, b)) for a in (0, 1) for b in (0, 1)}
            lowest = np.minimum.reduce(list(high.values()))
            shows = mine & (~_beside(self.opaque, (0, 1, 0)) | (lowest < 16))
            found.append(self._slope_rows(shows, 5, [(a, b, height) for (a, b), height in high.items()]))
            for face, way in enumerate(DIRECTIONS[:4]):
                shows = mine & ~_beside(self.opaque, way) & (_beside(self.kind, way) != kind)
                ends = [(a, b, height) for a, b in SIDES[face] for height in (0 * corner, high[a, b])]
                found.append(self._slope_rows(shows, face, ends))
        return _sorted_rows(np.concatenate(found))

    def models(self) -> Keys:
        """Keys of the visible model quads of ``looks_of_table``."""
        model = (self.own >= self.model) & (self.own < self.cutout)
        east, below = (1, 0, 0), (0, -1, 0)
        shows = (
            (NO_FACE, model),
            (4, model & ~_beside(self.opaque, below)),
            (1, model & (_beside(self.opaque, east) | _beside(model, east))),
        )
        return np.sort(np.concatenate([_face_keys(some, face, self.own, 0) for face, some in shows]))

    def _corners(self, kind: int) -> Keys:
        """The height of a liquid at the north-western corner of each block, in sixteenths."""
        whole = np.zeros(self.own.shape, np.bool_)
        total, weights = np.zeros((2, *self.own.shape), np.int64)
        for dx, dz in ((0, 0), (-1, 0), (0, -1), (-1, -1)):
            wet = _beside(self.kind, (dx, 0, dz)) == kind
            whole |= wet & (_beside(self.kind, (dx, 1, dz)) == kind)
            amount = _beside(self.amount, (dx, 0, dz))
            weight = np.where(wet, np.where(amount == 8, 10, 1), ~_beside(self.opaque, (dx, 0, dz)))
            weights += weight
            total += weight * amount * wet
        mean = (14 * total + 4 * weights) // np.maximum(8 * weights, 1)
        return np.where(whole, 16, np.maximum(mean, 1))

    def _slope_rows(self, shows: Bools, face: int, ends: list[tuple[int, int, Keys]]) -> Keys:
        at = np.argwhere(shows[CELL])
        corners = [
            corner_number(16 * (at[:, 0] + a), 16 * at[:, 1] + height[CELL][shows[CELL]], 16 * (at[:, 2] + b))
            for a, b, height in ends
        ]
        ids = self.shown[CELL][shows[CELL]]
        return _rows(at[:, 0], at[:, 1], at[:, 2], np.full(len(at), face), ids, np.sort(np.stack(corners, 1), axis=1))


def faces_of(result: MeshResult, mesh: int) -> Keys:
    """The cube quads of one mesh, split into faces of single blocks."""
    cubes = result.cubes[result.cube_first[mesh] : result.cube_first[mesh + 1]]
    fields = {name: read(CUBE, cubes, name).astype(np.int64) for name in CUBE}
    assert ((6 * fields["block"] + fields["face"]) % LAYERS == fields["layer"]).all()
    size = fields["width"] * fields["height"]
    at = np.arange(size.sum()) - np.repeat(np.cumsum(size) - size, size)
    quad = {name: np.repeat(values, size) for name, values in fields.items()}
    t, s = np.divmod(at, quad["width"])
    axis = quad["face"] // 2
    x = quad["x"] + np.where(axis == 0, 0, s)
    y = quad["y"] + np.where(axis == 2, 0, t)
    z = quad["z"] + np.where(axis == 0, s, np.where(axis == 2, t, 0))
    top = (t == quad["height"] - 1) | (quad["face"] == 5)
    return np.sort(face_key(x, y, z, quad["face"], quad["block"], np.where(top, quad["flags"] & LOWERED, 0)))


def models_and_slopes_of(result: MeshResult, mesh: int) -> tuple[Keys, Keys]:
    """The other quads of one mesh in the form of ``CellTruth``: (models, slopes)."""
    behind = int(result.model_first[mesh]) + int(result.counts[mesh, Group.MODEL])
    fields = _model_fields(result.models[result.model_first[mesh] : behind])
    names = ("block_x", "block_y", "block_z", "face", "block")
    assert all((fields[name] == 16 * fields[f"block_{name}"]).all() for name in "xyz")
    models = np.sort(face_key(*(fields[name] for name in names), np.zeros(len(fields["x"]), np.int64)))
    return models, _slopes_of(_model_fields(result.models[behind : result.model_first[mesh + 1]]), names)


def _slopes_of(fields: dict[str, Keys], names: tuple[str, ...]) -> Keys:
    origin, u, v = (np.stack([fields[edge + axis] for axis in "xyz"], 1) for edge in ("", "u", "v"))
    twisted = np.stack([0 * fields["twist"], fields["twist"], 0 * fields["twist"]], 1)
    upright = (fields["face"] < 5)[:, None]
    normal = np.cross(u * (1, 0, 1), np.where(upright, (0, 1, 0), v * (1, 0, 1)))
    assert ((normal * np.array(DIRECTIONS)[fields["face"]]).sum(1) > 0).all(), "looks into its block"
    assert ((fields["layer"] - 6 * fields["block"]) % LAYERS < 6).all(), "the picture of another block"
    ends = [origin, origin + u, origin + v, origin + u + v + twisted]
    corners = np.sort(np.stack([corner_number(*end.T) for end in ends], axis=1), axis=1)
    return _sorted_rows(_rows(*(fields[name] for name in names), corners))


def _model_fields(models: Words) -> dict[str, Keys]:
    return {name: read(MODEL, models, name).astype(np.int64) for name in MODEL}


def _beside(field: npt.NDArray[np.generic], way: tuple[int, int, int]) -> npt.NDArray[np.generic]:
    """The neighbour's value at each block; values that wrap around end up in the margin."""
    return np.roll(field, tuple(-step for step in way), (0, 1, 2))


def _face_keys(shows: Bools, face: int, ids: Keys, lowered: int) -> Keys:
    at = np.argwhere(shows[CELL])
    count = len(at)
    return face_key(*at.T, np.full(count, face), ids[CELL][shows[CELL]], np.full(count, lowered))


def face_key(x: Keys, y: Keys, z: Keys, face: Keys, dense: Keys, lowered: Keys) -> Keys:
    """A number for each face, made of its block, direction, id, and LOWERED or 0."""
    return ((((x << 5 | y) << 4 | z) << 3 | face) << 16 | dense) << 4 | lowered


def corner_number(x: Keys, y: Keys, z: Keys) -> Keys:
    """A number for each corner, in sixteenths of a block."""
    return (x << 12 | y) << 12 | z


def _rows(x: Keys, y: Keys, z: Keys, face: Keys, dense: Keys, corners: Keys) -> Keys:
    return np.concatenate([np.stack([x, y, z, face, dense], axis=1), corners], axis=1).astype(np.int64)


def _sorted_rows(rows: Keys) -> Keys:
    return rows[np.lexsort(rows.T[::-1])]
