"""What lies under the crosshair, found on the CPU in what is known, and as the GPU has it, in a sentence or two.

Rules:
1. Of a hole, and of blocks that are not drawn as they should be, why comes first: it is what one looks there for.
2. The GPU has nothing of a column that was never sent, so that a ray goes through: what stands behind is told after it.
   Where it has no room for block ids a ray ends at the sub-chunk's side, whatever is there.
3. Distances are from the eye, also where parallel lines of sight begin behind it.
"""

import math
from collections.abc import Callable, Iterator
from typing import Final

import numpy as np
from msgspec.structs import replace

from client.player import Eye, View
from client.report.why import facts_of
from client.report.why_facts import DrawDiagnosis, WhyFacts
from client.report.why_text import verdict
from client.session.session import Session
from net.space import DIRECTIONS, BlockPos, ColumnPositions, Dimension
from render.camera import Camera
from render.passes.semantic import PICK_REACH_BLOCKS, Picked
from render.scene import CellState, Scene
from render.scene.cells import TOLD

# ---------------------------------------------------------------- aim

REACH_BLOCKS: Final = 256.0
COLUMN_SIDE: Final = 16.0
SLIGHTEST: Final = 1e-12
INSIDE_BLOCKS: Final = 1e-6
"""How far behind its side a block is looked up."""
Vector = tuple[float, float, float]


def aimed_at(view: View, is_free: Callable[[BlockPos], bool]) -> BlockPos | None:
    """The first block in the way of a look; None where nothing is within ``REACH_BLOCKS``."""
    found = faced(view, is_free)
    return found[0] if found else None


def faced(view: View, is_free: Callable[[BlockPos], bool]) -> tuple[BlockPos, BlockPos | None] | None:
    """The same, and the free block before the face that is seen: None where the look begins in a block."""
    before = None
    for block in blocks_along(view):
        if not is_free(block):
            return block, before
        before = block
    return None


def blocks_along(view: View) -> Iterator[BlockPos]:
    """Blocks that a look passes, nearest first (Amanatides and Woo: no corner is skipped)."""
    eye, forward = view.eye, view.forward
    reach = REACH_BLOCKS
    if view.ortho_blocks is not None:
        eye = Eye(*(axis - REACH_BLOCKS * way for axis, way in zip(eye, forward, strict=True)))
        reach *= 2
    block = list(eye.block)
    step = [1 if f > 0 else -1 for f in forward]
    per_block = [abs(1 / f) if f else math.inf for f in forward]
    ahead = [(b + (f > 0) - e) / f if f else math.inf for b, e, f in zip(block, eye, forward, strict=True)]
    travelled = 0.0
    while travelled <= reach:
        yield BlockPos(*block)
        travelled = min(ahead)
        axis = ahead.index(travelled)
        block[axis] += step[axis]
        ahead[axis] += per_block[axis]


def column_ahead(
    begin: Vector, forward: Vector, columns: ColumnPositions, dimension: Dimension
) -> tuple[BlockPos, float] | None:
    """Where a look first comes into one of some columns, from floor to roof: block and blocks away; None: into none."""
    low = np.insert(columns * COLUMN_SIDE, 1, dimension.floor_y_blocks, axis=1)
    high = np.insert((columns + 1) * COLUMN_SIDE, 1, dimension.roof_y_blocks, axis=1)
    eye, way = np.array(begin), np.array(forward)
    way = np.where(way == 0.0, SLIGHTEST, way)  # slabs: parallel to a side one is between both or far from either
    sides = np.sort(np.stack([(low - eye) / way, (high - eye) / way]), axis=0)
    into, out = np.maximum(sides[0].max(axis=1), 0.0), sides[1].min(axis=1)
    met = into < out
    if not met.any():
        return None
    away = float(into[met].min())
    x, y, z = np.floor(eye + way * (away + INSIDE_BLOCKS)).astype(int).tolist()
    return BlockPos(x, y, z), away


FREE: Final = "minecraft:air"
"""The block that hides nothing."""


def facts_at(session: Session, scene: Scene, block: BlockPos, now: float) -> WhyFacts:
    """Gathers them."""
    return facts_of(session, block, now, diagnosis_at(scene, session, block))


def diagnosis_at(scene: Scene, _session: Session, block: BlockPos) -> DrawDiagnosis:
    """What the scene that shows a session makes of a block."""
    picture, cell = scene.picture(block), block.subchunk.cell
    words = f"render cell {cell.x} {cell.y} {cell.z} {TOLD[picture]}"
    shown = picture in (CellState.SHOWN, CellState.STALE)
    return DrawDiagnosis(shown, words, scene.undrawn(block))


# ---------------------------------------------------------------- inspecting

PREFIX: Final = "minecraft:"
CHANNELS: Final = "RGBD"
NOTHING: Final = f"Nothing is in the way within {PICK_REACH_BLOCKS:.0f} blocks."


def under_crosshair(session: Session, scene: Scene, camera: Camera, now: float) -> str:
    """What there is; waits for the GPU."""
    picked = _picked(session, scene, camera)
    unsent = _unsent(session, camera)
    if picked is None and unsent is None:
        return _told_of_nothing(session, scene, camera, now)
    told = "" if picked is None else _told_of_place(session, scene, picked, now)
    if unsent is None or (picked is not None and picked.distance_blocks <= unsent[1]):
        return told
    hole = f"{verdict(facts_at(session, scene, unsent[0], now))} {_told_of_hole(*unsent)}"
    return f"{hole} Behind it: {told}" if told else hole


def _told_of_nothing(session: Session, scene: Scene, camera: Camera, now: float) -> str:
    """Nothing is met; where nothing is known around the eye either, why."""
    here = BlockPos(*camera.eye_block)
    if here.column in session.dimension.store.row_of or not session.dimension.store.dimension.holds_section(
        here.subchunk.y
    ):
        return NOTHING
    return f"{NOTHING} Where you are: {verdict(facts_at(session, scene, here, now))}"


def _picked(session: Session, scene: Scene, camera: Camera) -> Picked | None:
    """What the GPU finds, so far from the eye."""
    picked = scene.pick(camera)
    if picked is None or not session.dimension.store.dimension.holds_section(picked.block.subchunk.y):
        return None
    return replace(picked, distance_blocks=picked.distance_blocks + _begin(camera))


def _unsent(session: Session, camera: Camera) -> tuple[BlockPos, float] | None:
    """Where the look comes into a column that was never sent, and how far from the eye."""
    begin, forward = _begin(camera), camera.forward
    (x, y, z), (fx, fy, fz) = camera.eye, forward
    start = x + begin * fx, y + begin * fy, z + begin * fz
    found = column_ahead(start, forward, session.unsent, session.dimension.store.dimension)
    return None if found is None else (found[0], found[1] + begin)


def _begin(camera: Camera) -> float:
    """Where a ray begins, in blocks before the eye."""
    return camera.near_blocks if camera.is_parallel else 0.0


def _told_of_place(session: Session, scene: Scene, picked: Picked, now: float) -> str:
    """What was found, which begins with why it is a hole, or not drawn as it should be, where that is so."""
    facts = facts_at(session, scene, picked.block, now)
    if facts.block_facts is None:
        return f"{verdict(facts)} {_told_of_hole(picked.block, picked.distance_blocks)}"
    lacks = facts.outlook is not None and facts.outlook.lacks
    return f"{verdict(facts)} {format_picked(session, picked)}" if lacks else format_picked(session, picked)


def _told_of_hole(block: BlockPos, away_blocks: float) -> str:
    """Where it begins."""
    return f"A hole, at {block.x} {block.y} {block.z}, {_away(away_blocks)}."


def format_picked(session: Session, picked: Picked) -> str:
    """Name, states, place, light before the face that is seen, and what is known of the sub-chunk."""
    store, block = session.dimension.store, picked.block
    at = f"at {block.x} {block.y} {block.z}"
    if not picked.dense:  # air ends no ray
        return f"The GPU has no room for the blocks of the sub-chunk {at}, {_away(picked.distance_blocks)}."
    state = store.table.states[picked.dense]
    states = ",".join(f"{name}={_plain(value)}" for name, value in state.states)
    named = state.name.removeprefix(PREFIX) + (f"[{states}]" if states else "")
    known = store.block(block)
    other = "" if known.dense == picked.dense else f" (known as {known.name.removeprefix(PREFIX)})"
    knowledge = known.knowledge.name.lower().replace("_", " ")
    way = DIRECTIONS[picked.face] if picked.face < len(DIRECTIONS) else (0, 0, 0)
    light = _light(session, BlockPos(block.x + way[0], block.y + way[1], block.z + way[2]))
    return f"{named}{other} {at}, light {light}, {knowledge}, {_away(picked.distance_blocks)}."


def _away(blocks: float) -> str:
    return f"{blocks:.1f} blocks away" if blocks >= 0 else f"{-blocks:.1f} blocks behind the eye"


def _light(session: Session, block: BlockPos) -> str:
    """Levels by channel, of the block before a face."""
    place = session.dimension.store.place_of(block.subchunk)
    value = session.dimension.light.at(place, block.in_subchunk)
    return " ".join(f"{name} {value >> 4 * at & 15}" for at, name in enumerate(CHANNELS))


def _plain(value: int | str | bool) -> str:
    return str(int(value) if isinstance(value, bool) else value)
