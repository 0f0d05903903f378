"""Particles of one frame, rain and snow, and blocks that crack on their own quads.

Rules:
1. Bursts come from events (``client.session.event_log``), each with its age; those older than ``LONGEST_LIFE_S`` are
   ignored. The seed is place and time of the event: two hits differ, and one appearance the same in every picture.
2. Blocks with cracks give dust as long as they have them, by the frame's time; the seed is their place.
3. The nearest ``MOST_BURSTS`` within ``REACH_BLOCKS`` are shown, equal distances by place.
4. Positions are computed before the frame's target is begun; particles and rain are drawn in passes of their own.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from client.session.event_log import BlockEvent
from client.session.session import Session
from client.world.block_table import BlockTable
from client.world.store import Store
from net.arrays import I32, I64
from net.space import BlockPos
from render.camera import Camera, Vector
from render.gpu.device import GlOwner, Gpu
from render.gpu.targets import Target
from render.mesh.mesher import AppearanceTables
from render.mesh.vertex_format import CUBE, CUBE_WORDS, read
from render.passes.cracks import OnQuads, crack_list
from render.passes.draw_list import MeshList
from render.passes.frame_settings import STRUCK_FIELDS, FrameSettings, Struck
from render.passes.particles import LONGEST_LIFE_S, MOST_BURSTS, Burst, Bursts, ParticlesPass, ParticleStops
from render.passes.precipitation import WeatherPass
from render.scene.frame.surroundings import Surroundings
from render.scene.gpu_copy.block_appearance import BlockAppearance
from render.scene.grid import dense_at
from render.scene.world_view import WorldView

# ---------------------------------------------------------------- bursts

REACH_BLOCKS: Final = 48.0
FACE_SHIFT: Final = 8
PICTURE_FACE: Final = 2
"""The side whose texture particles use: tops of grass would be all green."""
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


def struck_of(session: Session) -> Struck:
    """The blocks hit in a session, with their ages at its last event or action."""
    return struck(session.dimension.events.since(session.now - LONGEST_LIFE_S), session.dimension.table, session.now)


def struck(events: Iterable[BlockEvent], table: BlockTable, now: float) -> Struck:
    """The blocks of break and hit events at a time in their clock; other events, and old ones, are ignored."""
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


def _burst_of(event: BlockEvent, table: BlockTable) -> tuple[int | None, int]:
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
    """31 bits of a place and a time; similar inputs give very different seeds."""
    mixed = ((place.x * 73_856_093 + place.y) * 19_349_663 + place.z) * 83_492_791 + time_ms * 40_503_599
    return (mixed ^ mixed >> 31) & 0x7FFFFFFF


def bursts_of(world: Store, tables: AppearanceTables, settings: FrameSettings, eye: Vector) -> Bursts:
    """All bursts of a frame, nearest first."""
    rows = NOTHING_STRUCK if settings.struck is None else settings.struck
    if settings.cracks is not None and len(settings.cracks):
        rows = np.concatenate([rows, _grinding(world, settings.cracks[near(settings.cracks, eye)], settings.seconds)])
    rows = rows[near(rows, eye)]
    words = tables.faces[np.minimum(rows[:, 6], len(tables.faces) - 1), PICTURE_FACE].view(np.uint32)
    words = words.reshape(-1, CUBE_WORDS)
    tint = read(CUBE, words, "tint") | read(CUBE, words, "flags") << 8
    return np.column_stack([rows[:, :6], read(CUBE, words, "layer"), tint]).astype(np.int32)


def near(rows: I32, eye: Vector) -> I64:
    """Indices of those that are shown, nearest first; columns 0 to 2 are places."""
    offset = rows[:, :3] + 0.5 - np.array(eye)
    away = (offset * offset).sum(axis=1)
    order = np.lexsort((*rows.T[::-1], away))
    return order[away[order] < REACH_BLOCKS**2][:MOST_BURSTS]


def _grinding(world: Store, cracks: I32, seconds: float) -> Struck:
    rows = []
    for x, y, z, _ in cracks.tolist():
        block = BlockPos(x, y, z)
        if (dense := dense_at(world, block)) > 0:
            rows.append((*block, int(Burst.GRIND), int(seconds * 1000) & MOST_MS, seed_of(block), dense))
    return np.array(rows, np.int32) if rows else NOTHING_STRUCK


# ---------------------------------------------------------------- falling


class Falling(GlOwner):
    """Particles, rain and snow of one scene. Owner thread only."""

    def __init__(self, gpu: Gpu, appearance: BlockAppearance, surroundings: Surroundings) -> None:
        super().__init__(gpu)
        self._appearance = appearance
        self._surroundings = surroundings
        self._stops = self._own(ParticleStops(gpu))
        self.weather = self._own(WeatherPass(gpu))  # draws rain and snow
        self.particles: ParticlesPass | None = None  # draws particles; None before the first ones

    def drift(self, attached: WorldView, camera: Camera, settings: FrameSettings) -> ParticlesPass | None:
        """Computes positions of particles; returns the pass that draws them, or None if there are none."""
        if not (some(settings.struck) or some(settings.cracks)):
            return None
        bursts = bursts_of(attached.world, self._appearance.tables, settings, camera.eye)
        if not len(bursts):
            return None
        self.particles = self.particles or self._own(ParticlesPass(self._gpu))
        self._resize_stops(attached)
        self.particles.drift(bursts)
        return self.particles

    def rain(self, attached: WorldView, camera: Camera, settings: FrameSettings) -> bool:
        """Finds how deep rain and snow fall; returns whether anything falls. No rain is drawn if rays are parallel."""
        if settings.weather.rain <= 0 or not attached.world.dimension.has_sky or camera.is_parallel:
            return False
        self._resize_stops(attached)
        self.weather.fall()
        return True

    def draw_rain(self, attached: WorldView, camera: Camera, target: Target) -> None:
        self.weather.draw(target, self._surroundings.sheets(attached, camera), camera.eye_block[::2])

    def _resize_stops(self, attached: WorldView) -> None:
        self._stops.resize(self._appearance.tables, attached.world.table.obstructs)


def some(rows: npt.NDArray[Any] | None) -> bool:
    return rows is not None and len(rows) > 0


# ---------------------------------------------------------------- cracking


def cracked(world: Store, cracks: I32, meshes: MeshList) -> tuple[I32, list[OnQuads]]:
    """Splits cracks int32[n, 4]: on blocks whose surface is in the depth buffer, and on other blocks in drawn cells."""
    first = world.table.first
    dense = np.array([dense_at(world, BlockPos(*row[:3])) for row in cracks.tolist()], np.int64)
    on_quads = (dense >= first.model) & (dense < first.liquid)
    return cracks[~on_quads], crack_list(meshes, cracks, on_quads)
