"""Which bursts of particles a frame shows: blocks that broke or were hit of late, and those that somebody digs at.

Rules:
1. What was struck is told by events (``client.session.event_log``), each with its age; older than ``LONGEST_LIFE_S`` is
   nothing. Their seed is their place and their time: two blows differ, and one looks the same in every picture.
2. Blocks with cracks give dust as long as they have them, by the frame's time; their seed is their place.
3. The nearest ``MOST_BURSTS`` within ``REACH_BLOCKS``, by place where two are as near.
"""

from collections.abc import Iterable, Mapping
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from client.session.event_log import BlockEvent
from client.session.session import Session
from net.space.positions import BlockPos
from render.mesh.build import MeshTables
from render.mesh.quads import CUBE, CUBE_WORDS, read
from render.passes.look import STRUCK_FIELDS, Look, Struck
from render.passes.particles import LONGEST_LIFE_S, MOST_BURSTS, Burst, Bursts
from render.scene.world import World

REACH_BLOCKS: Final = 48.0
FACE_SHIFT: Final = 8
PICTURE_FACE: Final = 2
"""The side whose picture bits are of: tops of grass would be all green."""
HIT_FACES: Final[Mapping[str, int]] = {
    "crack_west": 0,
    "crack_east": 1,
    "crack_north": 2,
    "crack_south": 3,
    "crack_down": 4,
    "crack_up": 5,
    "falling_dust": 4,
}
FACE_OF_ARGUMENT: Final = (4, 5, 2, 3, 0, 1)
"""Faces as CRACK_BLOCK's argument numbers them: down, up, north, south, west, east."""
ARGUMENT_SHIFT: Final = 24
ID_BITS: Final = 0xFFFFFFFF
MOST_MS: Final = (1 << 30) - 1
BREAKS: Final = ("destroy_block", "destroy_block_silently", "crop_eaten")
NOTHING_STRUCK: Final[Struck] = np.zeros((0, len(STRUCK_FIELDS)), np.int32)


class Ids(Protocol):
    """A block table, as far as it finds blocks."""

    def find(self, runtime_id: int) -> int | None:
        """The dense id of a runtime id, or None."""
        ...


def struck_of(session: Session) -> Struck:
    """What was struck in a session, as old as it is when something was last heard or done there."""
    return struck(session.events.since(session.now - LONGEST_LIFE_S), session.table, session.now)


def struck(events: Iterable[BlockEvent], table: Ids, now: float) -> Struck:
    """What events of breaking and hitting show at a time.

    Args:
        events: any; those that show nothing, or no more, are left out.
        table: of the session's blocks.
        now: in the events' clock.
    """
    rows = []
    for event in events:
        age_s = now - event.time_s
        if event.block is None or not 0.0 <= age_s < LONGEST_LIFE_S:
            continue
        what, argument = _burst_of(event, table)
        dense = table.find(argument & ID_BITS)
        if what is not None and dense is not None:
            seed = seed_of(event.position, round(event.time_s * 1000))
            rows.append((*event.position, what, int(age_s * 1000), seed, dense))
    return np.array(rows, np.int32) if rows else NOTHING_STRUCK


def _burst_of(event: BlockEvent, table: Ids) -> tuple[int | None, int]:
    """Kind and face of an event's burst, and the runtime id of its block."""
    if event.what in BREAKS:
        return int(Burst.BREAK), event.argument
    if event.what in HIT_FACES:
        return Burst.HIT | HIT_FACES[event.what] << FACE_SHIFT, event.argument
    if event.what == "crack_block" and table.find(event.argument & ID_BITS) is None:
        face = FACE_OF_ARGUMENT[(event.argument >> ARGUMENT_SHIFT & 255) % len(FACE_OF_ARGUMENT)]
        return Burst.HIT | face << FACE_SHIFT, event.argument & (1 << ARGUMENT_SHIFT) - 1
    return None, event.argument


def seed_of(place: BlockPos, time_ms: int = 0) -> int:
    """31 bits of a place and a time; near ones are far apart."""
    mixed = ((place.x * 73_856_093 + place.y) * 19_349_663 + place.z) * 83_492_791 + time_ms * 40_503_599
    return (mixed ^ mixed >> 31) & 0x7FFFFFFF


def bursts_of(world: World, tables: MeshTables, look: Look, eye: tuple[float, float, float]) -> Bursts:
    """Everything a frame shows, nearest first.

    Args:
        world: whose blocks crack.
        tables: how blocks look.
        look: of the frame.
        eye: in blocks.
    """
    rows = NOTHING_STRUCK if look.struck is None else look.struck
    if look.cracks is not None and len(look.cracks):
        rows = np.concatenate([rows, _grinding(world, look.cracks[near(look.cracks, eye)], look.seconds)])
    rows = rows[near(rows, eye)]
    words = tables.looks[np.minimum(rows[:, 6], len(tables.looks) - 1), PICTURE_FACE].view(np.uint32)
    words = words.reshape(-1, CUBE_WORDS)
    tint = read(CUBE, words, "tint") | read(CUBE, words, "flags") << 8
    bursts: Bursts = np.column_stack([rows[:, :6], read(CUBE, words, "layer"), tint]).astype(np.int32)
    return bursts


def near(rows: npt.NDArray[np.int32], eye: tuple[float, float, float]) -> npt.NDArray[np.int64]:
    """Which of them are shown, nearest first; columns 0 to 2 are places."""
    offset = rows[:, :3] + 0.5 - np.array(eye)
    away = (offset * offset).sum(axis=1)
    order = np.lexsort((*rows.T[::-1], away))
    chosen: npt.NDArray[np.int64] = order[away[order] < REACH_BLOCKS**2][:MOST_BURSTS]
    return chosen


def _grinding(world: World, cracks: npt.NDArray[np.int32], seconds: float) -> Struck:
    rows = []
    for x, y, z, _ in cracks.tolist():
        block = BlockPos(x, y, z)
        if (dense := dense_at(world, block)) > 0:
            rows.append((*block, int(Burst.GRIND), int(seconds * 1000) & MOST_MS, seed_of(block), dense))
    return np.array(rows, np.int32) if rows else NOTHING_STRUCK


def dense_at(world: World, block: BlockPos) -> int:
    """The block's dense id; 0 where no column is."""
    row = world.row_of.get(block.column)
    section = block.subchunk.y - world.dimension.floor_section
    if row is None or not 0 <= section < world.dimension.sections:
        return 0
    slot = world.slot[row * world.dimension.sections + section]
    return int(world.pools.blocks[slot, block.in_subchunk])
