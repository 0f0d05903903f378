"""Draws entities: boxes of their size with a head that turns, small blocks, paintings; and their names.

Rules:
1. A session's snapshot (``EntityPicture``) is packed once and sent once. The vertex shader computes positions between
   two moves from the time of the frame alone, so a picture of a moment can be repeated.
2. Only the numbers of rows in sight are drawn; they are sent when they change.
3. One draw call for all entities with a second box (a head, or a block on a minecart), one for all others; none where
   nothing is in sight.
4. A row that is not finite, or outside the range of block positions, never reaches the GPU.
5. A colour belongs to a type: that of ``COLOURS``, else a hash of the type's name, the same in every session.
6. A name is shown if the entity always shows it or the camera looks at the entity: up to ``NAME_BLOCKS`` away, and not
   behind terrain.

Theory: rows in a buffer texture, four texels of four int32 each (``f``: bits of a float):

    block x, y, z of the feet      microseconds of the move, counted from ``Packed.since_us``
    f x, y, z within that block    the entity's number
    f x, y, z from after the move  pitch | head's yaw << 16 before it, in 65536ths of a turn
    f width, height                red | green << 8 | blue << 16 | (shape | 128 where it is invisible) << 24
                                   then pitch and head's yaw after the move, or the first texel of a block's faces

The faces of the blocks among them follow the rows, three texels each: two words a face, in the format of cube quads.
"""

import colorsys
import zlib
from enum import IntEnum
from functools import lru_cache
from typing import Any, Final

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from client.entities import GLIDE_US, EntityPicture
from client.world.block_table import ClassThresholds
from net.arrays import F32, F64, I32, I64, U64, Bools
from render.camera import Camera
from render.gpu import gl
from render.gpu.device import GlOwner, Gpu, Unit
from render.gpu.targets import Target
from render.gpu.textures import BufferTexture
from render.mesh import vertex_format
from render.passes.block_march import DEFINES, set_classes
from render.passes.entity_kernels import FURTHEST_BLOCKS, OLDEST_US, WORDS, place_rows, take_seen
from render.passes.overlay.labels import Labels, LabelsPass

# ---------------------------------------------------------------- look of a type


class EntityShape(IntEnum):
    """The boxes that an entity is drawn as; the first two shapes have two boxes."""

    HEADED = 0  # its box, and a head at the height of its eyes
    CARRIER = 1  # its box, and a block on it
    BARE = 2  # its box
    BLOCK = 3  # a block of its box's size
    PAINTING = 4  # a thin box


EYES: Final = 1
FRAME: Final = 2
EDGES: Final = 3
"""Patterns on a side: on the front of a head, on a painting, on an invisible entity."""
EDGES_BIT: Final = 1 << 7
"""Flag of a shape: only edges are drawn."""
HEAD_WIDE: Final = 0.6
"""Width of a head, relative to the box's width."""
HEAD_LONG: Final = 0.95
"""Farthest extent of a head from the middle of the box, relative to the width: a quarter beyond the box at a corner."""
HEAD_TALL: Final = 0.25
"""Relative to the box's height."""
HEAD_TALLEST: Final = 0.5
"""Maximum, relative to the box's width."""
EYE_HEIGHT: Final = 0.85
"""Relative to the box's height."""
LOAD: Final = 0.75
"""Side of a block on an entity, relative to the entity's width."""
THICK: Final = 0.0625
"""Depth of a painting."""
ITEM_BLOCKS: Final = 0.25
"""Side of an item."""
PREFIX: Final = "minecraft:"
MOST_KEPT: Final = 4096
"""Limit of types and names whose colour or text is cached: a server may send any number of them."""
HEADLESS: Final = frozenset((
    "area_effect_cloud", "armor_stand", "arrow", "boat", "chest_boat", "chest_minecart", "command_block_minecart",
    "dragon_fireball", "egg", "ender_crystal", "ender_pearl", "evocation_fang", "experience_bottle",
    "eye_of_ender_signal", "falling_block", "fireball", "fireworks_rocket", "fishing_hook", "hopper_minecart", "item",
    "leash_knot", "lightning_bolt", "lingering_potion", "minecart", "ominous_item_spawner", "painting",
    "shulker_bullet", "small_fireball", "snowball", "splash_potion", "thrown_trident", "tnt", "tnt_minecart",
    "tripod_camera", "wind_charge_projectile", "wither_skull", "wither_skull_dangerous", "xp_bottle", "xp_orb",
))  # fmt: skip
"""Types without a head."""
COLOURS: Final = {
    "player": (70, 130, 200), "pig": (238, 160, 160), "cow": (96, 66, 48), "mooshroom": (160, 32, 32),
    "sheep": (228, 228, 222), "chicken": (240, 236, 214), "villager": (150, 108, 80), "villager_v2": (150, 108, 80),
    "zombie": (66, 120, 72), "husk": (160, 136, 96), "drowned": (72, 140, 130), "creeper": (88, 180, 72),
    "skeleton": (196, 196, 196), "stray": (150, 168, 172), "spider": (58, 50, 46), "cave_spider": (30, 72, 84),
    "enderman": (38, 28, 50), "slime": (112, 190, 96), "magma_cube": (120, 44, 20), "ghast": (236, 236, 236),
    "blaze": (240, 184, 44), "iron_golem": (206, 196, 180), "wolf": (206, 200, 196), "bat": (70, 58, 46),
    "squid": (48, 72, 104), "horse": (150, 100, 58), "bee": (238, 196, 66), "wither": (44, 44, 44),
    "tnt": (214, 60, 44), "xp_orb": (166, 240, 66), "arrow": (140, 120, 96), "boat": (150, 116, 66),
    "minecart": (128, 128, 136), "item": (226, 196, 120), "fox": (222, 128, 52), "warden": (22, 60, 68),
    "witch": (76, 52, 92),
}  # fmt: skip
"""Red, green, blue of types that people know by a colour."""
MOTIF_BLOCKS: Final = {
    "graham": (1, 2), "wanderer": (1, 2), "prairieride": (1, 2), "courbet": (2, 1), "creebet": (2, 1), "pool": (2, 1),
    "sea": (2, 1), "sunset": (2, 1), "bust": (2, 2), "earth": (2, 2), "fire": (2, 2), "match": (2, 2),
    "skullandroses": (2, 2), "stage": (2, 2), "void": (2, 2), "water": (2, 2), "wind": (2, 2), "wither": (2, 2),
    "baroque": (2, 2), "humble": (2, 2), "bouquet": (3, 3), "cavebird": (3, 3), "cotan": (3, 3), "endboss": (3, 3),
    "fern": (3, 3), "owlemons": (3, 3), "sunflowers": (3, 3), "tides": (3, 3), "dennis": (3, 3), "backyard": (3, 4),
    "pond": (3, 4), "fighters": (4, 2), "changing": (4, 2), "finding": (4, 2), "lowmist": (4, 2), "passage": (4, 2),
    "donkeykong": (4, 3), "skeleton": (4, 3), "burningskull": (4, 4), "pigscene": (4, 4), "pointer": (4, 4),
    "orb": (4, 4), "unpacked": (4, 4),
}  # fmt: skip
"""Width and height in blocks of paintings, by motif in small letters; others are one block."""


def painting_blocks(motif: str) -> tuple[int, int]:
    return MOTIF_BLOCKS.get(motif.removeprefix(PREFIX).lower().replace("_", ""), (1, 1))


@lru_cache(maxsize=MOST_KEPT)
def colour_of(kind: str) -> tuple[int, int, int]:
    """A type's red, green and blue, 0..255: bright enough to be visible; a hashed colour is never grey."""
    known = COLOURS.get(kind.removeprefix(PREFIX))
    if known is not None:
        return known
    mixed = zlib.crc32(kind.encode())
    hue, strength, value = mixed % 360 / 360, 0.45 + (mixed >> 9 & 15) / 40, 0.62 + (mixed >> 13 & 15) / 50
    red, green, blue = colorsys.hsv_to_rgb(hue, strength, value)
    return round(red * 255), round(green * 255), round(blue * 255)


# ---------------------------------------------------------------- packing

ROW_TEXELS: Final = WORDS // 4
FACES_TEXELS: Final = 3
LARGEST_BLOCKS: Final = 64.0
TWO_BOXES: Final = 2
"""Shapes below this number have a second box."""
FIRST_ROWS: Final = 256


def defines() -> dict[str, int | float]:
    return {
        **DEFINES,
        **vertex_format.defines(),
        **{f"SHAPE_{shape.name}": int(shape) for shape in EntityShape},
        **{"HEAD_WIDE": HEAD_WIDE, "HEAD_LONG": HEAD_LONG, "HEAD_TALL": HEAD_TALL, "HEAD_TALLEST": HEAD_TALLEST},
        **{"EYE_HEIGHT": EYE_HEIGHT, "LOAD": LOAD, "THICK": THICK, "EYES": EYES, "FRAME": FRAME},
        **{"EDGES": EDGES, "EDGES_BIT": EDGES_BIT},
        **{"ROW_TEXELS": ROW_TEXELS, "BOX_VERTICES": VERTICES_PER_BOX, "MOVE_US": GLIDE_US},
    }


class PackedEntities(msgspec.Struct, frozen=True, eq=False):
    """A snapshot packed for the GPU; only rows that can be drawn."""

    entities: EntityPicture  # the rows that can be drawn, in the snapshot's order
    words: I32  # [texels, 4] rows, then faces of blocks
    since_us: int  # start of the times of moves, in the session's clock
    has_two: Bools  # [k] rows with a second box
    sizes: F32  # [k, 2] drawn width and height
    middles: F64  # [3, k] of a ball around everything drawn for a row while it moves
    radii: F64  # [k] of that ball

    def in_sight(self, camera: Camera) -> I32:
        """Rows that a camera may see: those with two boxes first, each group in row order."""
        seen = np.empty(len(self.radii), np.int32)
        eye = np.array(camera.eye, np.float64)
        return seen[: take_seen(camera.planes(), eye, self.middles, self.radii, self.has_two, seen)]


class EntityForms(msgspec.Struct, frozen=True, eq=False):
    """The parts of a snapshot's rows that depend on neither position nor direction."""

    entities: EntityPicture  # snapshot that the forms were computed from
    faces: U64  # faces of blocks that they were computed with
    words: I32  # [texels, 4] all columns except those of motion
    has_two: Bools  # [k] rows with a second box
    sizes: F32  # [k, 2] drawn width and height
    fixed: Bools  # [k] rows whose last word is not an angle
    paintings: I64  # rows that are paintings
    rises: F64  # [k] height of each middle above the feet
    radii: F64  # [k] radius of a ball around everything drawn for a row that does not move

    def match(self, entities: EntityPicture, faces: U64) -> bool:
        """Whether they are right for another snapshot too."""
        own = self.entities
        return (
            self.faces is faces
            and own.kinds == entities.kinds
            and own.painting == entities.painting
            and all(_same(getattr(own, name), getattr(entities, name)) for name in FORM_FIELDS)
        )


def _same(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> bool:
    """Compares identity first: a table stays the same object while nothing in it changes."""
    return one is other or np.array_equal(one, other)


FORM_FIELDS: Final = ("rows", "kind", "size", "block", "item", "direction", "invisible")


class EntityPacker:
    """Packs snapshots; reuses what did not change since the last one."""

    def __init__(self) -> None:
        none = np.zeros(0, np.bool_)
        self._types: tuple[tuple[str, ...], I32, Bools, Bools] = ((), np.zeros(0, np.int32), none, none)
        self._motifs: tuple[tuple[str, ...], I64] = ((), np.zeros(0, np.int64))
        self._forms: EntityForms | None = None

    def pack(self, snapshot: EntityPicture, faces: U64) -> PackedEntities:
        """Packs a snapshot; ``faces``: uint64[ids, 6] of blocks by dense id (``AppearanceTables.faces``)."""
        entities = self._drawable(snapshot)
        forms = self._forms
        if forms is None or not forms.match(entities, faces):
            forms = self._forms = self._forms_of(entities, faces)
        many = len(entities.rows)
        since_us = int(entities.moved_at.max(initial=0))
        words, middles, radii = forms.words.copy(), np.empty((3, many)), np.empty(many)
        rows = words[: many * ROW_TEXELS].reshape(many, WORDS)
        place_rows(  # copies: a snapshot is read-only, and no kernel takes such arrays
            np.array(entities.position), np.array(entities.before), np.array(entities.teleported),
            np.array(entities.angles), np.array(entities.angles_before), np.array(entities.moved_at), forms.fixed,
            forms.rises, forms.radii, since_us, rows.view(np.uint32), rows.view(np.float32), middles, radii,
        )  # fmt: skip
        turned = entities.direction[forms.paintings].astype(np.int32) << 30
        rows[forms.paintings, 11] = rows[forms.paintings, 15] = turned
        return PackedEntities(entities, words, since_us, forms.has_two, forms.sizes, middles, radii)

    def _forms_of(self, entities: EntityPicture, faces: U64) -> EntityForms:
        many, item, kind = len(entities.rows), entities.item, entities.kind
        tones, headless, falling = self._of_types(entities.kinds)
        tone = tones[kind]
        size = np.minimum(entities.size, np.float32(LARGEST_BLOCKS))
        size[item] = ITEM_BLOCKS
        has_block = (entities.block >= 0) & (entities.block < len(faces))
        shape = np.where(headless[kind] | item, np.int32(EntityShape.BARE), np.int32(EntityShape.HEADED))
        shape[has_block] = EntityShape.CARRIER
        shape[has_block & (falling[kind] | item)] = EntityShape.BLOCK
        paintings = self._paintings(entities.painting)
        for row in paintings.tolist():
            motif = entities.painting[row]
            size[row], tone[row] = painting_blocks(motif), _word(colour_of(f"painting {motif}"))
        has_block[paintings], shape[paintings] = False, EntityShape.PAINTING
        rows = np.zeros((many, WORDS), np.int32)
        rows.view(np.uint32)[:, 7] = entities.rows
        rows.view(np.float32)[:, 12:14] = size
        rows[:, 14] = tone | (shape | np.where(entities.invisible, np.int32(EDGES_BIT), np.int32(0))) << 24
        of_blocks = _add_faces(rows, entities.block, np.flatnonzero(has_block), faces)
        words = np.concatenate([rows.reshape(-1, 4), of_blocks])
        wide, tall = size.T.astype(np.float64)
        rises = np.where(shape == EntityShape.PAINTING, 0.0, 0.5 * tall)
        radii = 0.5 * np.sqrt(2 * wide * wide + tall * tall) + wide
        two = shape < TWO_BOXES
        return EntityForms(entities, faces, words, two, size, has_block, paintings, rises, radii)

    def _drawable(self, snapshot: EntityPicture) -> EntityPicture:
        """The rows whose position and size can be drawn."""
        position, size, kinds = snapshot.position, snapshot.size, len(snapshot.kinds)
        if not len(position):
            return snapshot
        inside = position.min() > -FURTHEST_BLOCKS and position.max() < FURTHEST_BLOCKS  # false for NaN
        if inside and size.min() > 0.0 and snapshot.kind.max() < kinds:
            return snapshot
        x, y, z = np.abs(position).T < FURTHEST_BLOCKS  # false for NaN
        wide, tall = size.T > 0.0
        sized = (wide & tall) | snapshot.item
        sized[self._paintings(snapshot.painting)] = True
        kept = x & y & z & sized & (snapshot.kind < kinds)
        if kept.all():
            return snapshot
        chosen = np.flatnonzero(kept)
        rows = {
            field: getattr(snapshot, field)[chosen]
            for field in snapshot.__struct_fields__
            if isinstance(getattr(snapshot, field), np.ndarray)
        }
        names, motifs = (tuple(texts[row] for row in chosen.tolist()) for texts in (snapshot.name, snapshot.painting))
        return replace(snapshot, **rows, name=names, painting=motifs)

    def _of_types(self, kinds: tuple[str, ...]) -> tuple[I32, Bools, Bools]:
        """Colours int32[kinds] as words, and bool[kinds] for types without a head and for falling blocks."""
        if self._types[0] != kinds:
            names = [kind.removeprefix(PREFIX) for kind in kinds]
            tones = [_word(colour_of(kind)) for kind in kinds]
            headless, falling = [name in HEADLESS for name in names], [name == "falling_block" for name in names]
            self._types = kinds, np.array(tones, np.int32), np.array(headless, np.bool_), np.array(falling, np.bool_)
        return self._types[1:]

    def _paintings(self, motifs: tuple[str, ...]) -> I64:
        """Rows that are paintings; searched again when a motif changes."""
        if self._motifs[0] != motifs:
            self._motifs = motifs, np.array([row for row, motif in enumerate(motifs) if motif], np.int64)
        return self._motifs[1]


def _word(colour: tuple[int, int, int]) -> int:
    red, green, blue = colour
    return red | green << 8 | blue << 16


def _add_faces(rows: I32, block: I32, with_block: I64, faces: U64) -> I32:
    """Faces of the blocks among the rows, [texels, 4]; writes the number of their first texel into the rows."""
    if not len(with_block):
        return np.zeros((0, 4), np.int32)
    states, which = np.unique(block[with_block], return_inverse=True)
    rows[with_block, 15] = len(rows) * ROW_TEXELS + which * FACES_TEXELS
    return np.ascontiguousarray(faces[states]).view(np.int32).reshape(-1, 4)


def _way_back(entities: EntityPicture, rows: I64) -> F64:
    """From current to previous positions, [k, 3]: 0 for rows that teleported."""
    with np.errstate(invalid="ignore", over="ignore"):
        back: F64 = entities.before[rows] - entities.position[rows]
        # false for NaN
        back[entities.teleported[rows] | ~(np.abs(back) @ np.ones(3) < FURTHEST_BLOCKS)] = 0.0
    return back


def positions_at(entities: EntityPicture, rows: I64, now_us: int) -> F64:
    """Feet [k, 3] of some rows at a time of the session's clock: the same computation as in the vertex shader."""
    left = np.clip(1.0 - (now_us - entities.moved_at[rows]) / GLIDE_US, 0.0, 1.0)
    return entities.position[rows] + _way_back(entities, rows) * left[:, None]


# ---------------------------------------------------------------- names

NAME_BLOCKS: Final = 64.0
"""Distance up to which names are shown."""
OVER_BLOCKS: Final = 0.3
"""From the top of the box to the middle of its name."""
MOST_LINES: Final = 3
MOST_CHARACTERS: Final = 40
"""Of a line."""
FORMAT_SIGN: Final = "§"


@lru_cache(maxsize=MOST_KEPT)
def shown_name(name: str) -> str:
    """A name tag without colour codes, cut to ``MOST_LINES`` of ``MOST_CHARACTERS``."""
    first, *rest = name[:1024].split(FORMAT_SIGN)
    plain = first + "".join(part[1:] for part in rest)
    lines = [line.strip() for line in plain.split("\n") if line.strip()]
    return "\n".join(map(_cut, lines[:MOST_LINES]))


def _cut(line: str) -> str:
    return line if len(line) <= MOST_CHARACTERS else f"{line[: MOST_CHARACTERS - 3]}..."


def looked_at(packed: PackedEntities, camera: Camera, now_us: int, wanted: I64) -> int:
    """The wanted row in the middle of the picture, within ``NAME_BLOCKS``; -1: none. Heads are ignored."""
    if camera.is_parallel or not len(wanted):
        return -1
    row, away = _first_met(packed, camera, now_us, wanted, NAME_BLOCKS)
    if row < 0:
        return -1
    return row if _first_met(packed, camera, now_us, None, away)[0] < 0 else -1  # another may be nearer


def _first_met(
    packed: PackedEntities, camera: Camera, now_us: int, among: I64 | None, reach_blocks: float
) -> tuple[int, float]:
    """The row whose box the ray through the picture's middle meets first, and its distance; -1 if there is none.

    ``among``: the rows to test; None: all.
    """
    eye, way = np.array(camera.eye), np.array(camera.forward)
    tried = slice(None) if among is None else among
    offset, radii = packed.middles[:, tried] - eye[:, None], packed.radii[tried]
    ahead = way @ offset
    aside = np.einsum("ij,ij->j", offset, offset) - ahead * ahead
    near = np.flatnonzero((aside <= radii * radii) & (ahead > -radii) & (ahead < reach_blocks + radii))
    if not len(near):
        return -1, np.inf
    rows = near if among is None else among[near]
    size = packed.sizes[rows].astype(np.float64)
    half, tall = 0.5 * size[:, :1], size[:, 1:]
    low = positions_at(packed.entities, rows, now_us) - np.concatenate([half, np.zeros_like(half), half], axis=1)
    high = low + np.concatenate([2 * half, tall, 2 * half], axis=1)
    safe = np.where(np.abs(way) < 1e-9, 1e-9, way)
    ends = np.stack([low - eye, high - eye]) / safe
    enters, leaves = ends.min(axis=0).max(axis=1), ends.max(axis=0).min(axis=1)
    met = np.where((enters <= leaves) & (leaves > 0) & (enters < reach_blocks), enters, np.inf)
    first = int(np.argmin(met))
    return (int(rows[first]), float(met[first])) if met[first] < np.inf else (-1, np.inf)


class NameTags:
    """Finds the names of a snapshot to show; returns the same labels again while they are equal."""

    def __init__(self) -> None:
        self._named: tuple[tuple[str, ...], I64] = ((), np.zeros(0, np.int64))
        self._last: Labels | None = None

    def labels(self, packed: PackedEntities, camera: Camera, now_us: int) -> Labels | None:
        """Labels of the named entities near the eye; None if there are none."""
        entities, eye = packed.entities, np.array(camera.eye)
        rows = self._with_name(entities.name)
        offset = entities.position[rows] - eye
        rows = rows[np.einsum("ij,ij->i", offset, offset) <= NAME_BLOCKS * NAME_BLOCKS]
        always = entities.name_always[rows]
        if not always.all():
            rows = rows[always | (rows == looked_at(packed, camera, now_us, rows[~always]))]
        if not len(rows):
            return None
        points = positions_at(entities, rows, now_us)
        points[:, 1] += packed.sizes[rows, 1] + OVER_BLOCKS
        labels = Labels.of(points, [shown_name(entities.name[row]) for row in rows.tolist()])
        if self._last is None or not labels.same(self._last):
            self._last = labels
        return self._last

    def _with_name(self, names: tuple[str, ...]) -> I64:
        """Rows that have a name; searched again when a name changes."""
        if self._named[0] is not names and self._named[0] != names:
            rows = [row for row, name in enumerate(names) if name and shown_name(name)]
            self._named = names, np.array(rows, np.int64)
        return self._named[1]


# ---------------------------------------------------------------- pass

VERTICES_PER_BOX: Final = 18
"""Vertices of the at most three visible sides of a box."""


class EntitiesPass(GlOwner):
    """Draws one snapshot; the frame's constants, light and textures must be bound already. Owner thread only."""

    def __init__(self, gpu: Gpu) -> None:
        """Compiles its program; that of ``draw_semantic`` at its first use."""
        super().__init__(gpu)
        self._arrays: dict[bool, Any] = {}
        self._rows = self._own(BufferTexture(gpu, "entities", Unit.ENTITIES, gl.RGBA32I, FIRST_ROWS * WORDS * 4))
        self._sighted = self._own(BufferTexture(gpu, "entities in sight", Unit.SIGHTED, gl.R32I, FIRST_ROWS * 4))
        self._packer = EntityPacker()
        self._names = NameTags()
        self._labels: LabelsPass | None = None
        self._sent: tuple[EntityPicture, U64] | None = None
        self._packed: PackedEntities | None = None
        self._seen: I32 = np.zeros(0, np.int32)
        self._seen_by: tuple[PackedEntities, Camera] | None = None

    def prepare(self, entities: EntityPicture, faces: U64, camera: Camera) -> int:
        """Sends what changed in a snapshot, and the rows that a camera sees; returns their number.

        ``faces``: of blocks by dense id (``AppearanceTables.faces``).
        """
        if self._sent is None or self._sent[0] is not entities or self._sent[1] is not faces:
            self._sent = entities, faces
            self._packed = self._packer.pack(entities, faces)
            self._rows.send(self._packed.words)
        packed = self._packed
        assert packed is not None
        if self._seen_by is None or self._seen_by[0] is not packed or self._seen_by[1] != camera:
            self._seen_by = packed, camera
            seen = packed.in_sight(camera)
            if not np.array_equal(seen, self._seen):
                self._seen = seen
                self._sighted.send(seen)
        return len(self._seen)

    @property
    def in_sight(self) -> int:
        return len(self._seen)

    def draw(self, now_us: int, first: ClassThresholds) -> int:
        """Draws the prepared entities at a time of the session's clock, with depth; returns the number of draw calls.

        ``first``: where the classes of block ids begin.
        """
        if len(self._seen):
            set_classes(self._array(False).program, first)
        return self._draw(now_us, semantic=False)

    def draw_semantic(self, now_us: int) -> int:
        """Draws the same in integers, into a ``SemanticTarget``."""
        return self._draw(now_us, semantic=True)

    def draw_names(self, now_us: int, camera: Camera, target: Target) -> int:
        """Draws the names of the prepared entities over the current target; returns the number of characters."""
        if self._packed is None or not len(self._seen):
            return 0
        labels = self._names.labels(self._packed, camera, now_us)
        if labels is None:
            return 0
        self._labels = self._labels or self._own(LabelsPass(self._gpu))
        return self._labels.draw(target, camera, [(labels, 0.0)])

    def _draw(self, now_us: int, semantic: bool) -> int:
        packed = self._packed
        if packed is None or not len(self._seen):
            return 0
        array = self._array(semantic)
        self._rows.bind()
        self._sighted.bind()
        since_us = min(max(now_us - packed.since_us, -OLDEST_US), OLDEST_US)
        ctx = self._gpu.ctx
        ctx.enable_only(ctx.DEPTH_TEST | ctx.CULL_FACE)
        two = int(np.count_nonzero(packed.has_two[self._seen]))
        calls = 0
        for begin, many, parts in ((0, two, 2), (two, len(self._seen) - two, 1)):
            if many:
                array.program["call"].value = begin, parts, since_us
                array.render(vertices=VERTICES_PER_BOX * parts * many)
                calls += 1
        return calls

    def _array(self, semantic: bool) -> Any:
        if semantic not in self._arrays:
            more = {"SEMANTIC": 1} if semantic else {}
            made = self._gpu.vertices("entities.vert", "entities.frag", {**defines(), **more})
            self._arrays[semantic] = self._own(made)
        return self._arrays[semantic]
