"""What the picture knows of a render cell; the other half of a sub-chunk's state, beside client's ``Knowledge``.

ABSENT ──column came──▶ DIRTY ──mesh made──▶ READY ──uploaded, light there──▶ SHOWN or EMPTY
▲                                                        │
└── (first time only)          STALE ◀──blocks changed───┘
└──newer mesh uploaded──▶ SHOWN or EMPTY

DIRTY or STALE ──making it raised──▶ FAILED ──blocks changed──▶ STALE, or DIRTY where nothing was ever shown
"""

from enum import IntEnum


class Picture(IntEnum):
    """State of one render cell, as shaders see it."""

    ABSENT = 0  # no column there
    DIRTY = 1  # nothing shown yet; a mesh is wanted or being made
    READY = 2  # its first mesh waits for room in the upload budget, for its light, or for the rest of its edit
    EMPTY = 3  # up to date, and nothing to draw
    SHOWN = 4  # up to date, its quads on the GPU
    STALE = 5  # drawn as it was; a newer mesh is wanted or being made
    FAILED = 6  # making its mesh raised; drawn as it was, if ever, until a change reaches it
