"""What players build: blocks that they break and place, by creative rules.

Rules:
1. Whoever breaks a block of two layers leaves the second one, water, standing. The usual directional blocks are turned
   (``turned``), as games want it of their servers; what else is placed stands as the item says. Doors, beds and tall
   plants come and go with their other half.
2. A build is refused out of reach, beyond the client's rate, where the client has not been sent the place, where a
   block stands already, and of a block that the world cannot hold. The client is told what stands there instead.
3. Corrections are small answers: so many wait at most (``MOST_CORRECTIONS``), and go as the quota allows. What is
   refused is counted by its reason, and the player reads of it, at most every ``REPORT_EVERY_S``.

A client breaks by block actions of PlayerAuthInput where it sends that, by PlayerAction and InventoryTransaction where
it moves itself; it places by InventoryTransaction, or by what PlayerAuthInput holds of one.
"""

import math
from collections import Counter
from collections.abc import Sequence
from enum import Enum
from typing import Final, NamedTuple

from net.bedrock import InventoryTransaction, Message, PlayerAction, PlayerAuthInput, Text, UseItem
from net.bedrock.packets.inventory import BREAK_BLOCK, CLICK_BLOCK
from net.palette import BlockState, StateValue
from net.server.block_ids import AIR
from net.server.chunk_sender import ChunkSender
from net.server.options import Quota
from net.space import BlockPos

REACH_BLOCKS: Final = 13.0
"""From the eye to the middle of a block; the game's is 7, and a client is ahead of what it has told of its place."""
MOST_CORRECTIONS: Final = 256
REPORT_EVERY_S: Final = 5.0
BREAKS: Final = (0, 26)
"""Actions that break a block where rules are creative: begins to, has broken."""
CREATIVE_BREAK: Final = 13
"""Likewise, of PlayerAction alone: before protocol 2168 PlayerAuthInput does not say where."""
FACES: Final = ((0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1), (-1, 0, 0), (1, 0, 0))
REPLACED: Final = ("water", "lava", "tallgrass", "short_grass", "tall_grass", "fern", "snow_layer", "fire")
"""Blocks in whose place others go, by what their names end in."""

Builder = PlayerAuthInput | InventoryTransaction | PlayerAction


class Refusal(Enum):
    """Why a build is refused; the value is what the player reads."""

    REACH = "out of reach"
    RATE = "too fast"
    UNLOADED = "not loaded"
    TAKEN = "where a block stands"
    UNKNOWN = "of an unknown block"
    FULL = "more than the server can keep"


class BuildRequest(NamedTuple):
    """What one client wants to build."""

    position: BlockPos  # that it breaks, or looks at while it places
    face: int = 0  # of the block that it looks at
    runtime_id: int | None = None  # of what it places, as the client says it; None: it breaks
    click_y: float = 0.5  # how high on that block it looks, 0..1


class BlockReplacement(NamedTuple):
    """One block becomes another."""

    position: BlockPos
    layer: int
    state: BlockState
    builder: int = 0  # the entity that does it, 0 for none


def requests_in(message: Builder) -> Sequence[BuildRequest]:
    """What a message wants to build."""
    if isinstance(message, PlayerAction):
        return [BuildRequest(message.position)] if message.action in (*BREAKS, CREATIVE_BREAK) else []
    if isinstance(message, InventoryTransaction):
        return _of_use(message.use)
    broken = [BuildRequest(action.position) for action in message.actions if action.action in BREAKS]
    return [*broken, *_of_use(message.use.use if message.use else None)]


def _of_use(use: UseItem | None) -> Sequence[BuildRequest]:
    if use is None:
        return []
    if use.action == BREAK_BLOCK:
        return [BuildRequest(use.position)]
    if use.action == CLICK_BLOCK and use.held.number and use.held.block:
        return [BuildRequest(use.position, use.face, use.held.block & 0xFFFFFFFF, use.click[1])]
    return []


class PlayerBuilding:
    """What one player builds; see the module. ``quota``: of its client."""

    def __init__(self, quota: Quota) -> None:
        self._quota = quota
        self.built = 0  # builds that were done
        self.refused: Counter[Refusal] = Counter()  # and those that were not
        self._unreported: Counter[Refusal] = Counter()
        self._reported_at = -math.inf
        self._corrections: dict[BlockPos, None] = {}

    def edits(
        self,
        request: BuildRequest,
        flow: ChunkSender,
        eye: tuple[float, float, float],
        look: tuple[float, float],
        now: float,
    ) -> Sequence[BlockReplacement]:
        """What is to change for a request; nothing where it is refused or nothing changes.

        ``flow``: of chunk data to the client. ``eye``: of the player; ``look``: its yaw and pitch.
        """
        place = request.position if request.runtime_id is None else target_of(request.position, request.face)
        if not self._quota.builds.take(1, now):
            return self.refuse(place, Refusal.RATE)
        if math.dist(eye, (place.x + 0.5, place.y + 0.5, place.z + 0.5)) > REACH_BLOCKS:
            return self.refuse(place, Refusal.REACH)
        if not flow.has_section(place):
            return self.refuse(place, Refusal.UNLOADED)
        if request.runtime_id is None:
            return self._broken(place, flow)
        return self._placed(request, request.runtime_id, flow, look)

    def _broken(self, place: BlockPos, flow: ChunkSender) -> Sequence[BlockReplacement]:
        below, behind = flow.local_ids(place)
        if below == AIR:
            return ()
        state_of = flow.served.states.state_of
        edits = _edits_at(place, state_of(behind), flow)
        half = other_half(place, state_of(below))
        if half is not None and flow.has_section(half[0]):
            there, water = map(state_of, flow.local_ids(half[0]))
            back = other_half(half[0], there)
            if back is not None and (back[0], there.name) == (place, half[1].name):
                edits += _edits_at(half[0], water, flow)
        return edits

    def _placed(
        self, request: BuildRequest, runtime_id: int, flow: ChunkSender, look: tuple[float, float]
    ) -> Sequence[BlockReplacement]:
        place = target_of(request.position, request.face)
        if flow.has_section(request.position) and _gives_way(request.position, flow, but_air=True):
            place = request.position
        elif not _gives_way(place, flow):
            return self.refuse(place, Refusal.TAKEN)
        state = _state_of(runtime_id, flow)
        if state is None:
            return self.refuse(place, Refusal.UNKNOWN)
        state = turned(state, request.face, request.click_y, look)
        if state == flow.served.states.state_of(flow.local_ids(place)[0]):
            return ()
        half = other_half(place, state)
        if half is None:
            return _edits_at(place, state, flow)
        if not flow.has_section(half[0]):
            return self.refuse(place, Refusal.UNLOADED)
        if not _gives_way(half[0], flow):
            return self.refuse(place, Refusal.TAKEN)
        return [*_edits_at(place, state, flow), *_edits_at(*half, flow)]

    def count(self, place: BlockPos, *, done: bool) -> None:
        """What it wanted was done, or there was no room for it."""
        if done:
            self.built += 1
        else:
            self.refuse(place, Refusal.FULL)

    def refuse(self, place: BlockPos, why: Refusal) -> Sequence[BlockReplacement]:
        """Counts a refusal; the client will be told what stands there."""
        self.refused[why] += 1
        self._unreported[why] += 1
        if len(self._corrections) < MOST_CORRECTIONS:
            self._corrections[place] = None
        return ()

    def corrections(self, flow: ChunkSender, now: float) -> Sequence[Message]:
        """What the client is to be told now: what stands where it was refused, and why."""
        said: list[Message] = []
        while self._corrections and self._quota.replies.take(1, now):
            place = next(iter(self._corrections))
            del self._corrections[place]
            if flow.has_section(place):
                said += [flow.update(place, layer, local_id) for layer, local_id in enumerate(flow.local_ids(place))]
        if self._unreported and now - self._reported_at >= REPORT_EVERY_S:
            reasons = ", ".join(f"{count} {why.value}" for why, count in self._unreported.most_common())
            said.append(Text("system", f"Your builds were refused: {reasons}."))
            self._unreported.clear()
            self._reported_at = now
        return said


def target_of(place: BlockPos, face: int) -> BlockPos:
    """The block before a face of another."""
    dx, dy, dz = FACES[face] if 0 <= face < len(FACES) else (0, 0, 0)
    return BlockPos(place.x + dx, place.y + dy, place.z + dz)


def _edits_at(place: BlockPos, state: BlockState, flow: ChunkSender) -> list[BlockReplacement]:
    """A block takes a place, and nothing stays behind it."""
    edits = [BlockReplacement(place, 0, state)]
    if flow.local_ids(place)[1] != AIR:
        edits.append(BlockReplacement(place, 1, flow.served.states.state_of(AIR)))
    return edits


LOOKS: Final = ("south", "west", "north", "east")
"""By quarters of yaw, from 0."""
FACING: Final = {"south": 3, "west": 4, "north": 2, "east": 5}
AHEAD: Final = ((0, 0, 1), (-1, 0, 0), (0, 0, -1), (1, 0, 0))
"""A step, likewise."""
TRAPDOORS: Final = (3, 0, 2, 1)
"""Likewise."""
STAIRS: Final = {"south": 2, "west": 1, "north": 3, "east": 0}
TORCHES: Final = (None, "top", "south", "north", "east", "west")
"""By the face they are placed at: games name the side that holds the torch."""
AXES: Final = ("y", "y", "z", "z", "x", "x")
"""By face."""
TO_BUILDER: Final = (
    *("furnace", "smoker", "chest", "glazed_terracotta", "carved_pumpkin", "lit_pumpkin", ":pumpkin", "lectern"),
    *("loom", "campfire", "beehive", "bee_nest"),
)
"""Blocks whose front looks to who places them, by what their names end in."""
TO_BUILDER_OR_UP: Final = ("barrel", "dispenser", "dropper")
"""Likewise, also up or down."""
TO_FACE: Final = ("ladder", "wall_sign", "_button", "frame", "end_rod", "lightning_rod")
"""Blocks that look away from the face they are placed at."""
STEEP_DEG: Final = 45.0


def turned(state: BlockState, face: int, click_y: float, look: tuple[float, float]) -> BlockState:
    """How a block stands that is placed at a face (dragonfly). ``look``: yaw and pitch of who places it."""
    if not 0 <= face < len(FACES):
        return state
    yaw, pitch = look
    quarter = round(yaw / 90.0) % 4
    ahead, back = LOOKS[quarter], LOOKS[(quarter + 2) % 4]
    upper = face == 0 or (face != 1 and click_y > 0.5)
    values: dict[str, StateValue] = {
        "pillar_axis": AXES[face],
        "weirdo_direction": STAIRS[ahead],
        "torch_facing_direction": TORCHES[face] or "unknown",
    }
    if state.name.endswith(("_stairs", "_slab", "slab2", "slab3", "slab4")) and "double" not in state.name:
        values |= {
            "upside_down_bit": upper,
            "top_slot_bit": upper,
            "minecraft:vertical_half": "top" if upper else "bottom",
        }
    if state.name.endswith(TO_BUILDER):
        values |= {
            "facing_direction": FACING[back],
            "minecraft:cardinal_direction": back,
            "direction": LOOKS.index(back),
        }
    elif state.name.endswith(("fence_gate", ":bed")):
        values |= {"minecraft:cardinal_direction": ahead, "direction": quarter}
    elif state.name.endswith("trapdoor"):
        values |= {"direction": TRAPDOORS[quarter], "upside_down_bit": upper}
    elif state.name.endswith("_door"):
        right = (quarter + 1) % 4
        values |= {"minecraft:cardinal_direction": LOOKS[right], "direction": right}
    elif state.name.endswith(TO_BUILDER_OR_UP):
        values["facing_direction"] = FACING[back] if abs(pitch) < STEEP_DEG else int(pitch > 0)
    elif state.name.endswith(TO_FACE):
        values["facing_direction"] = face
    return BlockState(state.name, tuple((name, values.get(name, value)) for name, value in state.states))


UPPER: Final = "upper_block_bit"
HEAD: Final = "head_piece_bit"


def other_half(place: BlockPos, state: BlockState) -> tuple[BlockPos, BlockState] | None:
    """Where the other half of a door, a bed or a tall plant is, and what stands there; None for other blocks."""
    values = dict(state.states)
    bit, quarter = UPPER if UPPER in values else HEAD, values.get("direction", 0)
    if bit not in values or not isinstance(quarter, int):
        return None
    x, y, z = (0, 1, 0) if bit == UPPER else AHEAD[quarter % 4]
    way = -1 if values[bit] else 1
    there = BlockPos(place.x + way * x, place.y + way * y, place.z + way * z)
    states = tuple((name, not value if name == bit else value) for name, value in state.states)
    return there, BlockState(state.name, states)


def _gives_way(place: BlockPos, flow: ChunkSender, *, but_air: bool = False) -> bool:
    below, _ = flow.local_ids(place)
    if below == AIR:
        return not but_air
    return flow.served.states.state_of(below).name.endswith(REPLACED)


def _state_of(runtime_id: int, flow: ChunkSender) -> BlockState | None:
    """The state that a client means: the world's own where it has it."""
    known = flow.form.local_id_of(runtime_id)
    return flow.form.state_of(runtime_id) if known is None else flow.served.states.state_of(known)
