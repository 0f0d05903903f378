"""The faces, slopes and models that cells show, all of a cell at once by NumPy; ``mesh_worlds`` has them one by one.

It takes any block table: classes, levels and kinds of liquids are those of the tables that the kernel is given.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.world.block_table import BlockTable, is_lava
from net.space.layout import DIRECTIONS
from render.materials.looks import LOWERED
from render.mesh.mesher import MeshResult, MeshTables
from render.mesh.vertex_format import CUBE, MODEL, NO_FACE, Group, Words, pack, read
from tests.support.mesh_worlds import LAVA, NONE, WATER, Volume

Keys = npt.NDArray[np.int64]
"""Sorted numbers, one a face, or rows of them."""
Bools = npt.NDArray[np.bool_]

MARGIN: Final = 3
MIDDLE: Final = np.s_[16 - MARGIN : 32 + MARGIN, 16 - MARGIN : 48 + MARGIN, 16 - MARGIN : 32 + MARGIN]
CELL: Final = np.s_[MARGIN:-MARGIN, MARGIN:-MARGIN, MARGIN:-MARGIN]
LAYERS: Final = 1 << 16
SIDES: Final = (((0, 0), (0, 1)), ((1, 0), (1, 1)), ((0, 0), (1, 0)), ((0, 1), (1, 1)))
"""Of each side face, the corners x, z of its two edges."""


def looks_of_table(table: BlockTable) -> MeshTables:
    """As ``mesh_worlds.looks_of``, for every id of a session's table."""
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
    return MeshTables(
        classes=np.array([*bounds, first.liquid], np.int64),
        amounts=amounts,
        liquids=liquids,
        looks=layer << np.uint64(32) | ids[:, None] << np.uint64(48),
        groups=model.astype(np.uint8),
        stairs=np.zeros(count, np.uint8),
        doors=np.zeros(count, np.uint16),
        door_ids=np.zeros(32, np.uint16),
        model_rows=model[:, None] * np.array([0, 3], np.int32),
        model_quads=np.concatenate(quads),
        model_rules=np.array([7 | 7 << 3, 4 | 7 << 3, 7 | 1 << 3], np.uint16),
    )


class CellTruth:
    """What the cell in the middle of a volume shows."""

    def __init__(self, volume: Volume, second: Volume, looks: MeshTables) -> None:
        """Takes [48, 64, 48] ids by x, y, z of both layers, and the tables that the kernel is given."""
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
        """Every face of a cube or of a level liquid."""
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
        """Every face of liquids that slopes: rows of place, face, id, and the sorted corners."""
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
        """Every model quad of ``looks_of_table``."""
        model = (self.own >= self.model) & (self.own < self.cutout)
        east, below = (1, 0, 0), (0, -1, 0)
        shows = (
            (NO_FACE, model),
            (4, model & ~_beside(self.opaque, below)),
            (1, model & (_beside(self.opaque, east) | _beside(model, east))),
        )
        return np.sort(np.concatenate([_face_keys(some, face, self.own, 0) for face, some in shows]))

    def _corners(self, kind: int) -> Keys:
        """How high a liquid stands at the north-western corner of each block, in sixteenths."""
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
    """The cube quads of one mesh, cut into faces of single blocks."""
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
    """The other quads of one mesh, as ``CellTruth`` tells them."""
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
    """By block what its neighbour has; what wraps around lies in the margin."""
    return np.roll(field, tuple(-step for step in way), (0, 1, 2))


def _face_keys(shows: Bools, face: int, ids: Keys, lowered: int) -> Keys:
    at = np.argwhere(shows[CELL])
    count = len(at)
    return face_key(*at.T, np.full(count, face), ids[CELL][shows[CELL]], np.full(count, lowered))


def face_key(x: Keys, y: Keys, z: Keys, face: Keys, dense: Keys, lowered: Keys) -> Keys:
    """A number for each face: its block, direction, id, and LOWERED or 0."""
    return ((((x << 5 | y) << 4 | z) << 3 | face) << 16 | dense) << 4 | lowered


def corner_number(x: Keys, y: Keys, z: Keys) -> Keys:
    """A number for each corner, in sixteenths of a block."""
    return (x << 12 | y) << 12 | z


def _rows(x: Keys, y: Keys, z: Keys, face: Keys, dense: Keys, corners: Keys) -> Keys:
    return np.concatenate([np.stack([x, y, z, face, dense], axis=1), corners], axis=1).astype(np.int64)


def _sorted_rows(rows: Keys) -> Keys:
    return rows[np.lexsort(rows.T[::-1])]
