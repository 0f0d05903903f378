"""A small world made with plain numpy: terrain, light, faces and tiles, each the slow and obvious way.

It lets the drawing be tested and looked at without kernels, workers or a server. Blocks are ``[x, z, y]`` from the
world's origin; ids follow the classes of ``NAMES``.
"""

import msgspec
import numpy as np
import numpy.typing as npt

from render.materials.looks import Tint
from render.mesh import vertex_format
from render.mesh.vertex_format import GROUPS, Group, Words

NAMES = (
    "air",
    "flower",
    "leaves",
    "glass",
    "water",
    "placeholder",
    "stone",
    "dirt",
    "grass",
    "sand",
    "log",
    "lamp",
    "red lamp",
)
AIR, FLOWER, LEAVES, GLASS, WATER, PLACEHOLDER, STONE, DIRT, GRASS, SAND, LOG, LAMP, RED_LAMP = range(len(NAMES))
OPAQUE_FROM = STONE
GRASS_SIDE_LAYER, GRASS_TOP_LAYER, LOG_TOP_LAYER = 13, 14, 15
STEPS = ((-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1))  # x, z, y of faces 0..5

Volume = npt.NDArray[np.uint16]
"""[x, z, y] of a whole world."""


class PaintedMesh(msgspec.Struct, frozen=True):
    """One render cell's quads: position, units uint32[n, 2] and counts by group."""

    cell: tuple[int, int, int]
    units: Words
    counts: npt.NDArray[np.int32]


def hills(columns: int = 6, sections: int = 4, seed: int = 3) -> Volume:
    """Hills, a lake, trees, a glass house with lamps."""
    side, height = columns * 16, sections * 16
    x, z = np.meshgrid(np.arange(side), np.arange(side), indexing="ij")
    rolling = 24 + 7 * np.sin(x / 13.0) * np.cos(z / 17.0) + 3 * np.sin(x / 5.0 + z / 7.0)
    top = rolling.astype(int)
    y = np.arange(height)[None, None, :]
    ground = top[:, :, None]
    blocks = np.where(y < ground - 3, STONE, np.where(y < ground, DIRT, AIR)).astype(np.uint16)
    surface = np.where(top <= 21, SAND, GRASS)
    np.put_along_axis(blocks, ground, surface[:, :, None].astype(np.uint16), axis=2)
    blocks[(blocks == AIR) & (y <= 20)] = WATER
    rng = np.random.default_rng(seed)
    for tx, tz in rng.integers(4, side - 4, (columns * 5, 2)):
        h = top[tx, tz]
        if surface[tx, tz] == GRASS:
            blocks[tx - 2 : tx + 3, tz - 2 : tz + 3, h + 4 : h + 6] = LEAVES
            blocks[tx - 1 : tx + 2, tz - 1 : tz + 2, h + 6 : h + 8] = LEAVES
            blocks[tx, tz, h + 1 : h + 6] = LOG
    for fx, fz in rng.integers(0, side, (side * 2, 2)):
        h = top[fx, fz]
        if blocks[fx, fz, h] == GRASS and blocks[fx, fz, h + 1] == AIR:
            blocks[fx, fz, h + 1] = FLOWER
    h = int(top[side // 2, side // 2]) + 1
    house = blocks[side // 2 : side // 2 + 7, side // 2 : side // 2 + 7, h - 1 : h + 5]
    house[:] = GLASS
    house[1:-1, 1:-1, 1:-1] = AIR
    house[:, :, 0] = STONE
    house[3, 3, 1] = LAMP
    for lx, lz, lamp in ((12, 20, RED_LAMP), (60, 40, LAMP), (30, 70, LAMP)):
        if max(lx, lz) < side:
            blocks[lx, lz, top[lx, lz] + 1] = lamp
    return blocks


def lit(blocks: Volume) -> Volume:
    """Packed light by plain relaxation."""
    opacity = np.where(blocks >= OPAQUE_FROM, 16, np.where(np.isin(blocks, (WATER, LEAVES)), 2, 1)).astype(np.int16)
    opacity[np.isin(blocks, (AIR, FLOWER, GLASS))] = 0
    packed = np.zeros(blocks.shape, np.uint16)
    for channel, sources in enumerate(((LAMP, RED_LAMP), (LAMP,), (LAMP,), ())):
        strength = (15, 13, 9, 0)[channel]
        level = np.where(np.isin(blocks, sources), strength, 0).astype(np.int16)
        if channel == 3:
            down = 15 - np.cumsum(opacity[:, :, ::-1], axis=2)[:, :, ::-1]
            level = np.maximum(level, down.clip(0, 15).astype(np.int16))
        loss = np.maximum(opacity, 1)
        for _ in range(15):
            padded = np.pad(level, 1)
            best = np.max([_shift(padded, step) for step in STEPS], axis=0)
            level = np.maximum(level, np.where(opacity > 15, 0, best - loss))
        packed |= (level.astype(np.uint16)) << np.uint16(4 * channel)
    return packed


def _shift(padded: npt.NDArray[np.int16], step: tuple[int, int, int]) -> npt.NDArray[np.int16]:
    return padded[tuple(slice(1 + s, n - 1 + s) for s, n in zip(step, padded.shape, strict=True))]


def meshes(blocks: Volume) -> list[PaintedMesh]:
    """Every face that can be seen, one quad each, by render cell; the world's edge is closed."""
    padded = np.pad(blocks, 1, constant_values=STONE)
    padded[:, :, -1] = AIR
    found: list[list[npt.NDArray[np.int64]]] = [[] for _ in range(GROUPS)]
    for face, step in enumerate(STEPS):
        beside = _shift(padded, step)
        open_to = beside < OPAQUE_FROM
        for group, mask in (
            (face, blocks >= OPAQUE_FROM),
            (Group.CUTOUT, blocks == LEAVES),
            (Group.TRANSLUCENT, (blocks == GLASS) & (beside != GLASS)),
            (Group.LIQUID, (blocks == WATER) & (beside != WATER)),
        ):
            where = np.argwhere(mask & open_to)
            found[group].append(np.column_stack([where, np.full(len(where), face)]))
    cells: dict[tuple[int, int, int], list[Words]] = {}
    counts: dict[tuple[int, int, int], npt.NDArray[np.int32]] = {}
    for group in range(Group.MODEL):
        _deal(blocks, group, np.concatenate(found[group]), cells, counts)
    _deal_flowers(blocks, cells, counts)
    return [PaintedMesh(cell, np.concatenate(parts), counts[cell]) for cell, parts in sorted(cells.items())]


def _deal(
    blocks: Volume,
    group: int,
    faces: npt.NDArray[np.int64],
    cells: dict[tuple[int, int, int], list[Words]],
    counts: dict[tuple[int, int, int], npt.NDArray[np.int32]],
) -> None:
    x, z, y, face = faces.T
    ids = blocks[x, z, y].astype(np.int64)
    layer = ids.copy()
    layer[(ids == GRASS) & (face < 4)] = GRASS_SIDE_LAYER
    layer[(ids == GRASS) & (face == 5)] = GRASS_TOP_LAYER
    layer[(ids == GRASS) & (face == 4)] = DIRT
    layer[(ids == LOG) & (face >= 4)] = LOG_TOP_LAYER
    tint = np.select([ids == GRASS, ids == LEAVES, ids == WATER], [Tint.GRASS, Tint.FOLIAGE, Tint.WATER], Tint.NONE)
    tint[(ids == GRASS) & (face == 4)] = Tint.NONE
    above = np.pad(blocks, ((0, 0), (0, 0), (0, 1)))[x, z, y + 1]
    flags = np.where((ids == GRASS) & (face < 4), vertex_format.TINT_MASK, 0) | np.where(
        ids >= LAMP, vertex_format.GLOWS, 0
    )
    flags |= np.where((ids == WATER) & (above != WATER), vertex_format.LOWERED, 0)
    words = vertex_format.pack(
        vertex_format.CUBE,
        len(x),
        x=x & 15,
        z=z & 15,
        y=y & 31,
        face=face,
        tint=tint,
        flags=flags,
        layer=layer,
        block=ids,
    )
    for cell in sorted(set(zip((x >> 4).tolist(), (y >> 5).tolist(), (z >> 4).tolist(), strict=True))):
        mine = (x >> 4 == cell[0]) & (y >> 5 == cell[1]) & (z >> 4 == cell[2])
        cells.setdefault(cell, []).append(words[mine])
        counts.setdefault(cell, np.zeros(GROUPS, np.int32))[group] = mine.sum()


def _deal_flowers(
    blocks: Volume,
    cells: dict[tuple[int, int, int], list[Words]],
    counts: dict[tuple[int, int, int], npt.NDArray[np.int32]],
) -> None:
    for x, z, y in np.argwhere(blocks == FLOWER).tolist():
        cell = (x >> 4, y >> 5, z >> 4)
        ox, oz, oy = (x & 15) * 16, (z & 15) * 16, (y & 31) * 16
        words = vertex_format.pack(
            vertex_format.MODEL,
            2,
            x=[ox + 2, ox + 2],
            z=[oz + 2, oz + 14],
            y=oy + 16,
            ux=12,
            uz=[12, -12],
            uy=0,
            vx=0,
            vz=0,
            vy=-16,
            face=vertex_format.NO_FACE,
            tint=0,
            flags=vertex_format.DOUBLE_SIDED,
            layer=FLOWER,
            block=FLOWER,
            u0=0,
            v0=0,
            u1=16,
            v1=16,
            block_x=x & 15,
            block_z=z & 15,
            block_y=y & 31,
        )
        cells.setdefault(cell, []).append(words.reshape(-1, 2))
        counts.setdefault(cell, np.zeros(GROUPS, np.int32))[Group.MODEL] += 2


def tiles() -> npt.NDArray[np.uint8]:
    """[16, 16, 16, 4] textures by layer; layers are block ids, then the grass side, grass top and log top."""
    rng = np.random.default_rng(11)
    base = np.array(
        [
            (0, 0, 0),
            (225, 60, 70),
            (150, 150, 150),
            (200, 225, 235),
            (190, 200, 215),
            (255, 0, 255),
            (125, 125, 128),
            (134, 96, 67),
            (134, 96, 67),
            (219, 207, 160),
            (104, 82, 50),
            (255, 240, 205),
            (255, 110, 90),
            (134, 96, 67),
            (160, 160, 160),
            (160, 130, 80),
        ],
        float,
    )
    noise = 1.0 + rng.normal(0, 0.07, (len(base), 16, 16, 1))
    image = np.empty((len(base), 16, 16, 4), np.uint8)
    image[..., :3] = (base[:, None, None] * noise).clip(0, 255)
    image[..., 3] = 255
    image[LEAVES, ..., 3] = np.where(rng.random((16, 16)) < 0.28, 0, 255)
    image[GLASS, ..., 3] = 40
    for edge in (np.s_[0, :], np.s_[-1, :], np.s_[:, 0], np.s_[:, -1]):
        image[GLASS][edge][..., 3] = 220
    image[WATER, ..., 3] = 170
    image[GRASS_SIDE_LAYER, ..., 3] = 0
    image[GRASS_SIDE_LAYER, :4] = image[GRASS_TOP_LAYER, :4]
    image[GRASS_SIDE_LAYER, :4, :, 3] = 255
    image[FLOWER, ..., 3] = 0
    image[FLOWER, 2:7, 5:11, 3] = 255
    image[FLOWER, 7:, 7:9] = (70, 130, 50, 255)
    return image
