"""What is under the crosshair, as the GPU has it, in a sentence or two: a block, or a hole and why it is one.

Rules:
1. Of a hole, and of blocks that are not drawn as they should be, why comes first: it is what one looks there for.
2. The GPU has nothing of a column that was never sent, so that a ray goes through: what stands behind is told after it.
   Where it has no room for block ids a ray ends at the sub-chunk's side, whatever is there.
3. Distances are from the eye, also where parallel lines of sight begin behind it.
"""

from dataclasses import replace
from typing import Final

from client.report.why_text import verdict
from client.session.session import Session
from net.space.layout import DIRECTIONS
from net.space.positions import BlockPos
from render.camera import Camera
from render.passes.pick import PICK_REACH_BLOCKS, Picked
from render.scene import Scene
from render.viewer.aim import column_ahead
from render.viewer.place_facts import facts_at

PREFIX: Final = "minecraft:"
CHANNELS: Final = "RGBD"
NOTHING: Final = f"Nothing is in the way within {PICK_REACH_BLOCKS:.0f} blocks."


def under_crosshair(session: Session, scene: Scene, camera: Camera, now: float) -> str:
    """What there is; waits for the GPU.

    Args:
        session: that the scene shows.
        scene: something is attached.
        camera: of the frame.
        now: the session's monotonic seconds.
    """
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
    if here.column in session.store.row_of or not session.store.dimension.holds_section(here.subchunk.y):
        return NOTHING
    return f"{NOTHING} Where you are: {verdict(facts_at(session, scene, here, now))}"


def _picked(session: Session, scene: Scene, camera: Camera) -> Picked | None:
    """What the GPU finds, so far from the eye."""
    picked = scene.pick(camera)
    if picked is None or not session.store.dimension.holds_section(picked.block.subchunk.y):
        return None
    return replace(picked, distance_blocks=picked.distance_blocks + _begin(camera))


def _unsent(session: Session, camera: Camera) -> tuple[BlockPos, float] | None:
    """Where the look comes into a column that was never sent, and how far from the eye."""
    begin, forward = _begin(camera), camera.forward
    (x, y, z), (fx, fy, fz) = camera.eye, forward
    start = x + begin * fx, y + begin * fy, z + begin * fz
    found = column_ahead(start, forward, session.unsent, session.store.dimension)
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
    return f"{verdict(facts)} {told_of(session, picked)}" if lacks else told_of(session, picked)


def _told_of_hole(block: BlockPos, away_blocks: float) -> str:
    """Where it begins."""
    return f"A hole, at {block.x} {block.y} {block.z}, {_away(away_blocks)}."


def told_of(session: Session, picked: Picked) -> str:
    """Name, states, place, light before the face that is seen, and what is known of the sub-chunk."""
    store, block = session.store, picked.block
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
    place = session.store.place_of(block.subchunk)
    value = session.light.at(place, block.in_subchunk)
    return " ".join(f"{name} {value >> 4 * at & 15}" for at, name in enumerate(CHANNELS))


def _plain(value: int | str | bool) -> str:
    return str(int(value) if isinstance(value, bool) else value)
