"""Finds and describes the block under the crosshair, with one ray on the CPU (key I, Inspector); build mode.

Rules:
1. Air and liquids do not end a ray; placeholders do, and columns that the server omitted. Other columns that were never
   announced are passed: no blocks are expected there.
2. The sub-chunk or omitted column of the eye does not end a ray, since one looks out of it: it is described after the
   block in sight. If nothing is in sight, it is the subject.
3. The sentence of ``why`` comes first, as it is the purpose of the question. The block behind an omitted column is
   described after it.
4. If the GPU's copy has another block on the same ray, or no memory for the right one, this is added.
5. Distances are from the eye, also in orthographic views, whose rays start behind it.

``Builder``, build mode: mouse buttons break the block under the crosshair, place one at its face, or select it for
placing.

1. It is off at first. On a server that is not ours it needs ``--build``, since a click changes that server's world.
2. The server decides: the picture changes when it confirms, and its own message gives a refusal's reason.
3. The selected block is a name, stone at first; it is placed in its first state.
"""

import math
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from typing import Final

import msgspec
import numpy as np

from client.connection.connection import Connection
from client.errors import UsageError
from client.player import View
from client.report.why import facts_of, undrawn_hint
from client.report.why_facts import DrawDiagnosis, WhyFacts
from client.report.why_text import verdict
from client.session.session import Session
from client.source import Remote
from net.space import BlockPos, coordinates
from render.camera import Camera
from render.draw_options import Cut
from render.passes.semantic import PICK_REACH_BLOCKS, Picked
from render.scene import CellState, Scene
from render.scene.cells import TOLD
from render.scene.diagnosis import undrawn

# ---------------------------------------------------------------- rays

REACH_BLOCKS: Final = 256.0
Vector = tuple[float, float, float]


def blocks_along(view: View) -> Iterator[BlockPos]:
    """Blocks along a line of sight, nearest first."""
    begin: Vector = view.eye
    reach = REACH_BLOCKS
    if view.ortho_blocks is not None:
        x, y, z = (axis - REACH_BLOCKS * way for axis, way in zip(view.eye, view.forward, strict=True))
        begin, reach = (x, y, z), 2 * REACH_BLOCKS
    return (block for block, _ in steps_along(begin, view.forward, reach))


def steps_along(begin: Vector, forward: Vector, reach: float) -> Iterator[tuple[BlockPos, float]]:
    """Blocks along a ray, nearest first, with the distance at which it enters each (Amanatides and Woo)."""
    block = [math.floor(axis) for axis in begin]
    step = [1 if f > 0 else -1 for f in forward]
    per_block = [abs(1 / f) if f else math.inf for f in forward]
    ahead = [(b + (f > 0) - e) / f if f else math.inf for b, e, f in zip(block, begin, forward, strict=True)]
    travelled = 0.0
    while travelled <= reach:
        yield BlockPos(*block), travelled
        travelled = min(ahead)
        axis = ahead.index(travelled)
        block[axis] += step[axis]
        ahead[axis] += per_block[axis]


FREE: Final = "minecraft:air"
"""Hides no other block."""


def facts_at(session: Session, scene: Scene, block: BlockPos, now: float) -> WhyFacts:
    return facts_of(session, block, now, diagnosis_at(scene, session, block))


def diagnosis_at(scene: Scene, _session: Session, block: BlockPos) -> DrawDiagnosis:
    state = scene.attached.state if scene.shows_a_world else None
    cell = CellState.ABSENT if state is None else state.cell_state(block)
    words = f"render cell {coordinates(block.subchunk.cell)} {TOLD[cell]}"
    shown = cell in (CellState.SHOWN, CellState.STALE)
    return DrawDiagnosis(shown, words, "" if state is None else undrawn(state, block))


# ---------------------------------------------------------------- sight


class Hole(msgspec.Struct, frozen=True):
    """A place that is unknown, though blocks are expected there."""

    block: BlockPos  # where the ray enters it
    distance_blocks: float  # from the eye


class Sight(msgspec.Struct, frozen=True):
    """The result of one ray."""

    block: BlockPos | None = None  # the first that ends it; None: none in reach
    before: BlockPos | None = None  # the block before the visible face; None: the ray begins in ``block``
    distance_blocks: float = 0.0  # to that face, from the eye
    hole: Hole | None = None  # the first hole before ``block``, other than the eye's
    around: Hole | None = None  # the hole that contains the eye

    @property
    def subject(self) -> BlockPos | None:
        """The block to describe: that of a hole in the way, else the visible one, else the eye's."""
        hole = self.hole or (self.around if self.block is None else None)
        return self.block if hole is None else hole.block


def sight(session: Session, camera: Camera, cut: Cut | None = None) -> Sight:
    """The block in the middle of a picture, as far as is known; blocks hidden by a cut are passed."""
    store = session.dimension.store
    dimension, pools, first = store.dimension, store.pools, store.table.first
    unsent = {(x, z) for x, z in session.unsent.tolist()}
    offset = camera.near_blocks if camera.is_parallel else 0.0
    x, y, z = (axis + offset * way for axis, way in zip(camera.eye, camera.forward, strict=True))
    around, hole, before, entered = _around(session, camera, unsent), None, None, None
    own = None if around is None else _unit(around.block, unsent)
    blocks = None  # of the ray's sub-chunk; None: nothing in it ends the ray
    for block, travelled in steps_along((x, y, z), camera.forward, camera.reach_blocks(PICK_REACH_BLOCKS)):
        sub, away = block.subchunk, travelled + offset
        if cut is not None and not cut.shows(block.y):
            before = block
            continue
        if sub != entered:
            entered, blocks = sub, None
            announced = block.column in store.row_of
            unit = _unit(block, unsent)
            if not dimension.holds_section(sub.y) or unit == own:
                pass
            elif announced and not store.is_placeholder(np.array([store.place_of(sub)]))[0]:
                blocks = pools.blocks[store.slot[store.place_of(sub)]]
            elif announced or unit[1] is None:
                hole = hole or Hole(block, away)
                if announced:
                    return Sight(hole=hole, around=around)
        if blocks is not None:
            dense = int(blocks[block.in_subchunk])
            if dense and not first.liquid <= dense < first.placeholder:
                return Sight(block, before, away, hole, around)
        before = block
    return Sight(hole=hole, around=around)


def _unit(block: BlockPos, unsent: AbstractSet[tuple[int, int]]) -> tuple[int, int | None, int]:
    """The unit of a hole: a sub-chunk, or a whole omitted column."""
    x, y, z = block.subchunk
    return x, None if (x, z) in unsent else y, z


def _around(session: Session, camera: Camera, unsent: AbstractSet[tuple[int, int]]) -> Hole | None:
    store, eye = session.dimension.store, BlockPos(*camera.eye_block)
    if not store.dimension.holds_section(eye.subchunk.y):
        return None
    announced = eye.column in store.row_of
    empty = announced and bool(store.is_placeholder(np.array([store.place_of(eye.subchunk)]))[0])
    return Hole(eye, 0.0) if empty or (not announced and eye.column in unsent) else None


# ---------------------------------------------------------------- inspecting

PREFIX: Final = "minecraft:"
CHANNELS: Final = "red", "green", "blue", "daylight"
NOTHING: Final = f"No block within {PICK_REACH_BLOCKS:.0f} blocks."


def under_crosshair(session: Session, scene: Scene, camera: Camera, now: float, cut: Cut | None = None) -> str:
    """Describes the block under the crosshair; waits for the GPU."""
    seen = sight(session, camera, cut)
    told = "" if seen.block is None else _format_block(session, scene, camera, seen, now, cut)
    if seen.hole is not None:
        hole = _format_hole(session, scene, seen.hole, now)
        told = f"{hole} Behind it: {told}" if told else hole
    if not told:
        return _format_nothing(session, scene, camera, seen, now)
    return f"{told} {_format_eye(session, scene, seen.around, now)}" if seen.around else told


def _format_nothing(session: Session, scene: Scene, camera: Camera, seen: Sight, now: float) -> str:
    """Describes a miss; with the reason if the eye's surroundings are unknown."""
    if seen.around is not None:
        return _format_hole(session, scene, seen.around, now)
    here = BlockPos(*camera.eye_block)
    store = session.dimension.store
    if here.column in store.row_of or not store.dimension.holds_section(here.subchunk.y):
        return NOTHING
    return f"{NOTHING} Where you are: {verdict(facts_at(session, scene, here, now))}"


def _format_block(session: Session, scene: Scene, camera: Camera, seen: Sight, now: float, cut: Cut | None) -> str:
    """Describes the visible block after its sentence of ``why``, which a healthy block behind a hole does not need."""
    assert seen.block is not None
    facts = facts_at(session, scene, seen.block, now)
    lacks = facts.outlook is not None and facts.outlook.lacks
    picked = None if seen.hole or seen.around else _picked(session, scene, camera, cut)
    told = f"{format_sight(session, seen, picked)}{_format_copy(session, seen, picked)}"
    if picked is None and not (seen.hole or seen.around) and not lacks and facts.outlook and not facts.outlook.meshed:
        told += f" It is not drawn: {facts.outlook.told}."
    if seen.hole and not lacks:
        return told
    return " ".join(filter(None, (verdict(facts), undrawn_hint(session, facts, now), told)))


def _format_hole(session: Session, scene: Scene, hole: Hole, now: float) -> str:
    """Why there is a hole, and where it begins."""
    where = f"A hole, at {coordinates(hole.block)}, {_away(hole.distance_blocks)}."
    return f"{verdict(facts_at(session, scene, hole.block, now))} {where}"


def _format_eye(session: Session, scene: Scene, around: Hole, now: float) -> str:
    column = around.block.column not in session.dimension.store.row_of
    where = "column" if column else "sub-chunk"
    return f"The eye is in a missing {where}: {verdict(facts_at(session, scene, around.block, now))}"


def _picked(session: Session, scene: Scene, camera: Camera, cut: Cut | None) -> Picked | None:
    """The GPU's result on the same ray."""
    picked = scene.pick(camera, cut=cut)
    if picked is None or not session.dimension.store.dimension.holds_section(picked.block.subchunk.y):
        return None
    return picked


def format_sight(session: Session, seen: Sight, picked: Picked | None = None) -> str:
    """Name, states, position, light before the visible face and in the block.

    If the GPU has another block there, both names.
    """
    assert seen.block is not None
    store, block = session.dimension.store, seen.block
    known = store.block(block)
    dense = picked.dense if picked and picked.dense and picked.block == block else known.dense
    state = store.table.states[dense]
    states = ",".join(f"{name}={_plain(value)}" for name, value in state.states)
    named = state.name.removeprefix(PREFIX) + (f"[{states}]" if states else "")
    other = "" if known.dense == dense else f" (known as {known.name.removeprefix(PREFIX)})"
    light = f"Light at its face: {_light(session, seen.before or block)}"
    inside = _light(session, block)
    if seen.before is not None and inside != DARK:
        light += f"; in it: {inside}"
    return f"{named}{other} at {coordinates(block)}, {_away(seen.distance_blocks)}. {light}."


def _format_copy(session: Session, seen: Sight, picked: Picked | None) -> str:
    """A GPU block on the ray before or behind the known one; empty if the position is the same."""
    if picked is None or picked.block == seen.block:
        return ""
    if not picked.dense:
        return f" The GPU has no room for the blocks of the sub-chunk at block {coordinates(picked.block)}."
    name = session.dimension.store.table.states[picked.dense].name.removeprefix(PREFIX)
    return f" The GPU's copy has {name} at {coordinates(picked.block)} in the way."


def _away(blocks: float) -> str:
    return f"{blocks:.1f} blocks away" if blocks >= 0 else f"{-blocks:.1f} blocks behind the eye"


def _light(session: Session, block: BlockPos) -> str:
    place = session.dimension.store.place_of(block.subchunk)
    value = session.dimension.light.at(place, block.in_subchunk)
    return ", ".join(f"{name} {value >> 4 * at & 15}" for at, name in enumerate(CHANNELS))


DARK: Final = ", ".join(f"{name} 0" for name in CHANNELS)


def _plain(value: int | str | bool) -> str:
    return str(int(value) if isinstance(value, bool) else value)


# --------------------------------------------------------------------- building

LEFT, MIDDLE, RIGHT = 1, 2, 4
"""pyglet's buttons."""
BUILD_REACH_BLOCKS: Final = 12.0
"""Our server allows 13 from the player's last position."""
FACES: Final = {(0, -1, 0): 0, (0, 1, 0): 1, (0, 0, -1): 2, (0, 0, 1): 3, (-1, 0, 0): 4, (1, 0, 0): 5}
"""By the step from a block to the one before its face."""

FOREIGN: Final = (
    "Build mode is off: chunkscope did not start this server. Start chunkscope with --build to change this world."
)
RECORDED: Final = "Nothing can be built in a recording, or in the past."
OFF: Final = "Build mode off."
FAR: Final = f"No block within {BUILD_REACH_BLOCKS:g} blocks is under the crosshair."


class Builder:
    """Build mode of one world in a window."""

    def __init__(self, connection: Connection, allowed: bool) -> None:
        """Starts off. ``allowed``: whether building is allowed on a server that is not ours."""
        self._connection = connection
        self._allowed = allowed or not isinstance(connection.source, Remote)
        self.on = False  # whether buttons build
        self.name = "minecraft:stone"  # of the block to place

    def switch(self) -> str:
        """Switches it on or off; returns a message."""
        if self.on:
            self.on = False
            return OFF
        if self._connection.replay is not None:
            return RECORDED
        if not self._allowed:
            return FOREIGN
        self.on = True
        return f"Build mode: left button breaks, right places {self._bare}, middle takes the block under the crosshair."

    def click(self, button: int, camera: Camera, cut: Cut | None = None) -> str:
        """Handles a button; returns a message, empty if the picture will show the result."""
        if self._connection.replay is not None:
            self.on = False
            return RECORDED
        session = self._connection.session
        seen = sight(session, camera, cut)
        if seen.block is None or seen.hole is not None or seen.distance_blocks > BUILD_REACH_BLOCKS:
            return FAR
        if button == MIDDLE:
            self.name = session.dimension.store.block(seen.block).name
            return f"The right button places {self._bare}."
        try:
            if button == LEFT:
                self._connection.break_block(seen.block)
            elif button == RIGHT and seen.before is not None:
                self._connection.build(seen.block, self.name, face_between(seen.block, seen.before))
        except UsageError as error:
            return str(error)
        return ""

    @property
    def _bare(self) -> str:
        return self.name.removeprefix(PREFIX)


def face_between(block: BlockPos, before: BlockPos) -> int:
    """The face of a block that touches the one before it, as the protocol numbers faces."""
    return FACES[before.x - block.x, before.y - block.y, before.z - block.z]
