"""The packed forms of a quad, for Python here and for GLSL through ``defines()``.

Rules:
1. A quad has no light: a relight never remeshes, and merging ignores light.
2. A cube quad is 8 bytes (two words), a model quad 24 (six words = three units of 8), so that both fit one arena of
   8-byte units. A mesh is its quads in group order (``Group``): cube quads, then model quads.
3. Positions are inside the render cell: x, z 0..15, y 0..31 blocks.
4. Only the tables below define bits; a test compares them with the shaders' inputs.

Cube quads. ``corner(s, t) = position + offset(face) + s * width * W + t * height * H`` for s, t in {0, 1}; ``offset``
is one block along the face's axis for the positive faces (1, 3, 5) and nothing for the others. W and H are the unit
axes of ``FACE_WIDTH_AXIS`` and ``FACE_HEIGHT_AXIS``. Corners in the order (0,0) (1,0) (1,1) (0,1) run counter-clockwise
seen from outside, except on the faces in ``FLIPPED_FACES``, where s and t change places first. Texture coordinates,
in whole textures, row 0 of a layer being its top: sides ``(sign * s * width, -t * height)`` with ``sign`` of
``FACE_U_SIGN``, top and bottom ``(s * width, t * height)``; the sampler repeats.

``LOWERED`` (liquids): the upper edge is ``LIQUID_DROP`` sixteenths lower: the whole quad of face 5, the edge t = 1 of
the sides; no effect on face 4.

Model quads. ``corner(s, t) = (origin + s * U + t * V + s * t * twist * Y) / 16`` in blocks, always counter-clockwise
from outside in the order above. ``twist`` is 0 except for sloping liquids: such a quad is two triangles, which meet in
the edge from (0,0) to (1,1). Texture coordinates ``(mix(u0, u1, s), mix(v0, v1, t)) / 16``. The quad has the light of
its own block, at ``block_x, block_y, block_z``. Face is its direction (for shading), 6 for crossed plants. Sheets,
crossed plants too, are visible from both sides and marked ``DOUBLE_SIDED``. The group is drawn without culling, but
backs of boxes are moved slightly behind front faces in their plane (``quads.glsl``). A texel with alpha under a half is
a hole, except in quads marked ``TRANSLUCENT_QUAD`` (stained panes): these are in the group ``SLOPE``, their alpha is
coverage, and they are visible only from outside.

Tint. Colour = texel * tint, where the tint kind names a column of the tint texture. With ``TINT_MASK`` the texel's
alpha is not coverage but the share of the tint (grass over dirt). ``GLOWS``: lamps, drawn at full light. ``ROTATES``
(cube quads): shaders turn and mirror the texture by the block's position (``turned.glsl``).

Limits: 65,536 texture layers and dense ids; a model reaches at most ``MODEL_BIAS`` sixteenths out of its cell, and one
edge is at most 63 sixteenths long.
"""

from enum import IntEnum
from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt

from net.arrays import I32, U32
from render.materials.biome_tints import DOUBLE_SIDED, GLOWS, LOWERED, ROTATES, TINT_MASK, TRANSLUCENT_QUAD, Tint

Words = U32
"""Packed quads: [n, 2] cube quads, [n, 6] model quads."""


class Group(IntEnum):
    """The groups of a mesh's quads, in this order; the columns of a mesh's counts."""

    OPAQUE_NEG_X = 0
    OPAQUE_POS_X = 1
    OPAQUE_NEG_Z = 2
    OPAQUE_POS_Z = 3
    OPAQUE_NEG_Y = 4
    OPAQUE_POS_Y = 5
    CUTOUT = 6
    TRANSLUCENT = 7
    LIQUID = 8
    MODEL = 9  # model quads, as is the next
    SLOPE = 10  # stained panes; then liquids that are not level: surfaces and the sides under them


GROUPS: Final = len(Group)
CUBE_GROUPS: Final = 9

CELL_WIDE: Final = 16
CELL_TALL: Final = 32
CELL_BLOCKS: Final = np.array([CELL_WIDE, CELL_TALL, CELL_WIDE], np.int64)
"""Blocks of a render cell along x, y, z."""

CUBE_WORDS: Final = 2
MODEL_WORDS: Final = 6

# by face, the axis (0 x, 1 y, 2 z) of its normal, of its width and of its height
FACE_AXIS: Final = (0, 0, 2, 2, 1, 1)
FACE_WIDTH_AXIS: Final = (2, 2, 0, 0, 0, 0)
FACE_HEIGHT_AXIS: Final = (1, 1, 1, 1, 2, 2)
FACE_U_SIGN: Final = (1, -1, -1, 1, 1, 1)
FLIPPED_FACES: Final = 0b100110  # bit d: on face d the corners run the other way round
NO_FACE: Final = 6
LIQUID_DROP: Final = 2

MODEL_BIAS: Final = 64
EDGE_BIAS: Final = 64


class BitField(msgspec.Struct, frozen=True):
    """One bit field: ``(word[index] >> shift & (1 << bits) - 1) + bias``; ``bias`` is added on reading."""

    word: int
    shift: int
    bits: int
    bias: int = 0

    @property
    def mask(self) -> int:
        return (1 << self.bits) - 1


CUBE: Final = {
    "x": BitField(0, 0, 4),
    "z": BitField(0, 4, 4),
    "y": BitField(0, 8, 5),
    "face": BitField(0, 13, 3),
    "width": BitField(0, 16, 4, 1),
    "height": BitField(0, 20, 5, 1),
    "tint": BitField(0, 25, 3),
    "flags": BitField(0, 28, 4),
    "layer": BitField(1, 0, 16),
    "block": BitField(1, 16, 16),
}
"""Cube quads; ``block`` is the dense id."""

MODEL: Final = {
    "x": BitField(0, 0, 10, -MODEL_BIAS),
    "z": BitField(0, 10, 10, -MODEL_BIAS),
    "y": BitField(0, 20, 11, -MODEL_BIAS),
    "ux": BitField(1, 0, 7, -EDGE_BIAS),
    "uy": BitField(1, 7, 7, -EDGE_BIAS),
    "uz": BitField(1, 14, 7, -EDGE_BIAS),
    "face": BitField(1, 21, 3),
    "tint": BitField(1, 24, 3),
    "flags": BitField(1, 27, 5),
    "vx": BitField(2, 0, 7, -EDGE_BIAS),
    "vy": BitField(2, 7, 7, -EDGE_BIAS),
    "vz": BitField(2, 14, 7, -EDGE_BIAS),
    "layer": BitField(3, 0, 16),
    "block": BitField(3, 16, 16),
    "u0": BitField(4, 0, 5),
    "v0": BitField(4, 5, 5),
    "u1": BitField(4, 10, 5),
    "v1": BitField(4, 15, 5),
    "twist": BitField(4, 20, 7, -EDGE_BIAS),
    "block_x": BitField(5, 0, 4),
    "block_z": BitField(5, 4, 4),
    "block_y": BitField(5, 8, 5),
}
"""Model quads: origin, edges U and V in sixteenths; texture rectangle in sixteenths; ``block`` the dense id,
``block_*`` the block with its light; ``twist`` how much higher the corner (1,1) is than U and V give."""


def read(layout: dict[str, BitField], words: Words, name: str) -> I32:
    """One field of many quads, int32[n]."""
    field = layout[name]
    return ((words[:, field.word] >> np.uint32(field.shift)) & np.uint32(field.mask)).astype(np.int32) + field.bias


def pack(layout: dict[str, BitField], count: int, **values: npt.ArrayLike) -> Words:
    """Packs many quads; fields that are not named get the value nearest to 0.

    Raises ValueError: a value does not fit.
    """
    words = np.zeros((count, 1 + max(field.word for field in layout.values())), np.uint32)
    for name, field in layout.items():
        raw = np.asarray(values.pop(name, max(field.bias, 0)), np.int64) - field.bias
        if raw.size and (raw.min() < 0 or raw.max() > field.mask):
            raise ValueError(f"{name} {values} does not fit {field.bits} bits")
        words[:, field.word] |= (raw << field.shift).astype(np.uint32)
    if values:
        raise ValueError(f"no such field: {sorted(values)}")
    return words


def defines() -> dict[str, int]:
    """All definitions above for the shaders, as plain integers by name.

    ``CUBE_WIDTH_WORD``, ``_SHIFT``, ``_MASK``, ``_BIAS`` and so on for each field of ``CUBE_`` and ``MODEL_``;
    ``GROUP_LIQUID``, ``TINT_WATER``, ``FLAG_LOWERED`` and the like; ``CUBE_WORDS``, ``MODEL_WORDS``, ``LIQUID_DROP``,
    ``NO_FACE``; bit sets of faces ``FLIPPED_FACES``, ``NEGATIVE_U_FACES``.
    """
    result = {"CUBE_WORDS": CUBE_WORDS, "MODEL_WORDS": MODEL_WORDS, "LIQUID_DROP": LIQUID_DROP, "NO_FACE": NO_FACE}
    result |= {"CELL_WIDE": CELL_WIDE, "CELL_TALL": CELL_TALL}
    result["FLIPPED_FACES"] = FLIPPED_FACES
    result["NEGATIVE_U_FACES"] = sum(1 << face for face, sign in enumerate(FACE_U_SIGN) if sign < 0)
    for prefix, layout in (("CUBE", CUBE), ("MODEL", MODEL)):
        for name, field in layout.items():
            start = f"{prefix}_{name.upper()}"
            result[f"{start}_WORD"] = field.word
            result[f"{start}_SHIFT"] = field.shift
            result[f"{start}_MASK"] = field.mask
            result[f"{start}_BIAS"] = field.bias
    result.update({f"GROUP_{group.name}": int(group) for group in Group})
    result.update({f"TINT_{tint.name}": int(tint) for tint in Tint})
    result.update(FLAG_LOWERED=LOWERED, FLAG_TINT_MASK=TINT_MASK, FLAG_GLOWS=GLOWS)
    result.update(FLAG_DOUBLE_SIDED=DOUBLE_SIDED, FLAG_ROTATES=ROTATES, FLAG_TRANSLUCENT=TRANSLUCENT_QUAD)
    return result
