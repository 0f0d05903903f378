"""Blocks that players break and place, by creative rules.

Rules:
1. Breaking a block with two layers leaves the second one (water). The usual directional blocks are turned (``turned``),
   since games leave this to the server; other blocks are placed as the item says. Doors, beds and tall plants are
   placed and broken together with their other half.
2. A build is refused if it is out of reach, exceeds the client's rate, is in a sub-chunk that the client has not been
   sent, is at an occupied position, or uses a block that the world cannot hold. The client is then sent the block that
   is there.
3. Corrections are small replies: at most ``MOST_CORRECTIONS`` wait, and they are sent as the quota allows. Refusals are
   counted by reason; the player gets a chat message about them, at most every ``REPORT_EVERY_S``.

A client that sends block actions in PlayerAuthInput breaks blocks by those. A client that moves itself uses
PlayerAction and InventoryTransaction. Blocks are placed by InventoryTransaction, or by the item transaction inside
PlayerAuthInput.
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
from net.server.host_options import Quota
from net.space import BlockPos

REACH_BLOCKS: Final = 13.0
"""From the eye to the block's centre. The game's limit is 7, but a client is ahead of the position it last sent."""
MOST_CORRECTIONS: Final = 256
REPORT_EVERY_S: Final = 5.0
BREAKS: Final = (0, 26)
"""Actions that break a block by creative rules: start and finish of breaking."""
CREATIVE_BREAK: Final = 13
"""The same, in PlayerAction only: before protocol 2168 PlayerAuthInput does not give the position."""
FACES: Final = ((0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1), (-1, 0, 0), (1, 0, 0))
REPLACED: Final = ("water", "lava", "tallgrass", "short_grass", "tall_grass", "fern", "snow_layer", "fire")
"""Endings of the names of blocks that a placed block replaces."""

Builder = PlayerAuthInput | InventoryTransaction | PlayerAction


class Refusal(Enum):
    """Why a build is refused; the value is shown to the player."""

    REACH = "out of reach"
    RATE = "too fast"
    UNLOADED = "not loaded"
    TAKEN = "where a block stands"
    UNKNOWN = "of an unknown block"
    FULL = "more than the server can keep"


class BuildRequest(NamedTuple):
    """One build that a client requests."""

    position: BlockPos  # the block to break, or the block clicked while placing
    face: int = 0  # the clicked face
    runtime_id: int | None = None  # block to place, as the client's id; None: break
    click_y: float = 0.5  # height of the click on that block, 0..1


class BlockReplacement(NamedTuple):
    """One block becomes another."""

    position: BlockPos
    layer: int
    state: BlockState
    builder: int = 0  # entity that makes the change, 0 for none


def requests_in(message: Builder) -> Sequence[BuildRequest]:
    if isinstance(message, PlayerAction):
        return [BuildRequest(message.position)] if message.action in (*BREAKS, CREATIVE_BREAK) else []
    if isinstance(message, InventoryTransaction):
        return _of_use(message.use)
    # Clients send start and finish of one break together: it counts once.
    broken = dict.fromkeys(BuildRequest(action.position) for action in message.actions if action.action in BREAKS)
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
    """The builds of one player; see the module. ``quota``: the client's."""

    def __init__(self, quota: Quota) -> None:
        self._quota = quota
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
        """The edits for a build request; empty if it is refused or changes nothing.

        ``eye``: position of the player's eye; ``look``: its yaw and pitch.
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

    def refuse(self, place: BlockPos, why: Refusal) -> Sequence[BlockReplacement]:
        """Counts a refusal and queues a correction for the client."""
        self._unreported[why] += 1
        if len(self._corrections) < MOST_CORRECTIONS:
            self._corrections[place] = None
        return ()

    def corrections(self, flow: ChunkSender, now: float) -> Sequence[Message]:
        """The corrections to send now: the actual blocks at refused positions, and the reasons."""
        messages: list[Message] = []
        while self._corrections and self._quota.replies.take(1, now):
            place = next(iter(self._corrections))
            del self._corrections[place]
            if flow.has_section(place):
                messages += [flow.update(place, layer, at) for layer, at in enumerate(flow.local_ids(place))]
        if self._unreported and now - self._reported_at >= REPORT_EVERY_S:
            reasons = ", ".join(f"{count} {why.value}" for why, count in self._unreported.most_common())
            messages.append(Text("system", f"Your builds were refused: {reasons}."))
            self._unreported.clear()
            self._reported_at = now
        return messages


def target_of(place: BlockPos, face: int) -> BlockPos:
    """The position next to a block, at one of its faces."""
    dx, dy, dz = FACES[face] if 0 <= face < len(FACES) else (0, 0, 0)
    return BlockPos(place.x + dx, place.y + dy, place.z + dz)


def _edits_at(place: BlockPos, state: BlockState, flow: ChunkSender) -> list[BlockReplacement]:
    """The edits that put a state into layer 0 and clear layer 1."""
    edits = [BlockReplacement(place, 0, state)]
    if flow.local_ids(place)[1] != AIR:
        edits.append(BlockReplacement(place, 1, flow.served.states.state_of(AIR)))
    return edits


LOOKS: Final = ("south", "west", "north", "east")
"""Direction by quarter of yaw, from 0."""
FACING: Final = {"south": 3, "west": 4, "north": 2, "east": 5}
AHEAD: Final = ((0, 0, 1), (-1, 0, 0), (0, 0, -1), (1, 0, 0))
"""One step in each direction of ``LOOKS``."""
TRAPDOORS: Final = (3, 0, 2, 1)
"""Trapdoor direction numbers, in the order of ``LOOKS``."""
STAIRS: Final = {"south": 2, "west": 1, "north": 3, "east": 0}
TORCHES: Final = (None, "top", "south", "north", "east", "west")
"""By the clicked face: games name the side that holds the torch."""
AXES: Final = ("y", "y", "z", "z", "x", "x")
"""Axis of each face."""
TO_BUILDER: Final = (
    *("furnace", "smoker", "chest", "glazed_terracotta", "carved_pumpkin", "lit_pumpkin", ":pumpkin", "lectern"),
    *("loom", "campfire", "beehive", "bee_nest"),
)
"""Blocks whose front faces the player who places them, by name endings."""
TO_BUILDER_OR_UP: Final = ("barrel", "dispenser", "dropper")
"""The same, also facing up or down."""
TO_FACE: Final = ("ladder", "wall_sign", "_button", "frame", "end_rod", "lightning_rod")
"""Blocks that face away from the block face they are placed at."""
STEEP_DEG: Final = 45.0


def turned(state: BlockState, face: int, click_y: float, look: tuple[float, float]) -> BlockState:
    """The state of a block placed at a face (as dragonfly does). ``look``: yaw and pitch of the player."""
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
    """Position and state of the other half of a door, bed or tall plant; None for other blocks."""
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
    """The state that a client's runtime id stands for; the world's own state if it has one."""
    known = flow.form.local_id_of(runtime_id)
    return flow.form.state_of(runtime_id) if known is None else flow.served.states.state_of(known)
