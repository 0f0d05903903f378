"""What to request next, in which order, in which packets.

Rules:
1. Wanted = (the ticking area, pinned anchors, what the walk reached) minus what is known, known to be air, refused,
   undecodable, outside the dimension, or held by the ledger.
2. Only announced columns have places, so nothing is requested before its skeleton came. The ticking area also ends at
   the granted radius; the caller passes only reached places and anchors within it.
3. The order is that of ``order_by``; the caller takes as many from the front as the limits allow.
4. Places seen only from likely future positions come last, in columns that the anchor holds now, and at most
   ``PriorityWeights.soon_entries`` of them. Sky that cannot matter for the picture is left out of these.
"""

from typing import Final

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from client.streaming.anchors import Anchor
from client.streaming.ledger import Ledger
from client.streaming.limits import RequestLimits
from client.world.lifecycle import AWAITED_STATES, table_of
from client.world.store import Store
from net.arrays import Bytes, Offsets, Places, SubChunkPositions
from net.space import ColumnPos, SubChunkPos
from net.visibility.priority import NO_GROUND, PlaceVisibility, PlayerView, PriorityWeights, Skyline, need

X_BITS, Z_BITS, Y_BITS = 12, 12, 8
"""Bits for a place in the low half of a key: 4,096 sub-chunks across; a dimension is at most 64 high (wire.md)."""


def order_by(needs: npt.NDArray[np.float32], positions: SubChunkPositions) -> npt.NDArray[np.intp]:
    """Indices that sort ``positions`` by ``needs``, which are not negative, then by x, z, y: intp[n]."""
    keys = _keys(needs, positions)
    return np.argsort(keys) if keys is not None else np.lexsort((*positions.T[[1, 2, 0]], needs))


def _keys(needs: npt.NDArray[np.float32], positions: SubChunkPositions) -> npt.NDArray[np.int64] | None:
    """One number for need, x, z and y, so that one sort orders by all four: int64[n]; None if they do not fit.

    The bits of a float32 that is not negative order as it does. One sort instead of four: 90 us for 7,000 places, not
    800.
    """
    if not len(positions):
        return np.empty(0, np.int64)
    x, y, z = (positions[:, axis].astype(np.int64) for axis in range(3))
    x, y, z = x - x.min(), y - y.min(), z - z.min()
    if x.max() >= 1 << X_BITS or y.max() >= 1 << Y_BITS or z.max() >= 1 << Z_BITS or needs.min() < 0:
        return None
    keys: npt.NDArray[np.int64] = needs.view(np.int32).astype(np.int64)
    keys = keys << X_BITS | x
    keys = keys << Z_BITS | z
    keys = keys << Y_BITS | y
    return keys


ASKABLE = AWAITED_STATES
"""States in which a request can help; REQUESTED only after the ledger freed the place by a time-out."""

NOT_KNOWN: Final = -1  # value for a section that is not known
NOT_NAMED: Final = 0
REACHED: Final = 1
UNREACHED: Final = 2
SOON: Final = 3
"""Why a place is wanted, the first that holds: reached by the walk, unconditional, reached by a predicted walk."""
NEEDED: Final = (REACHED, UNREACHED)


class WalkFacts(msgspec.Struct, frozen=True):
    """Results of the walks besides the reached places."""

    # int64[rows]: the highest section of each row that is expected to hold blocks, NOT_KNOWN where none is; None where
    # none is expected anywhere
    ground: npt.NDArray[np.int64] | None = None
    soon: Places | None = None  # places seen from where the player is likely to be


class RequestPlan(msgspec.Struct, frozen=True):
    """The wanted places, most urgent first."""

    places: Places  # place numbers
    positions: SubChunkPositions  # of these places
    needs: npt.NDArray[np.float32]  # priority of each (``net.visibility``)
    pictured: npt.NDArray[np.bool_]  # which of them may matter for the picture: reached, and no sky
    named: Bytes  # uint8[places] of the store: why each is wanted, if it is not known already

    def __len__(self) -> int:
        return len(self.places)


class Planner:
    """Makes plans; it has no state but its tables."""

    def __init__(self, limits: RequestLimits, weights: PriorityWeights | None = None) -> None:
        self._weights = weights or PriorityWeights()
        self._ticking_radius = limits.ticking_radius
        self._askable = table_of(ASKABLE)

    def plan(
        self,
        world: Store,
        ledger: Ledger,
        looker: PlayerView,
        pinned: list[Anchor],
        reached: Places,
        granted: Anchor | None = None,
        outlook: WalkFacts | None = None,
    ) -> RequestPlan:
        """All places wanted at this moment.

        ``looker``: the player, in the middle of the ticking area. ``pinned``: anchors whose announced places are
        wanted, seen or not. ``granted``: the columns for which the server allows requests; None: all. ``outlook``:
        further results of the walks; None: unknown ground and no prediction.
        """
        outlook = outlook or WalkFacts()
        sections = world.dimension.sections
        rows = world.announced_rows
        columns = world.columns[rows]
        at = ColumnPos(int(looker.at[0] // 1), int(looker.at[2] // 1))
        unconditional = Anchor.square(at, self._ticking_radius).holds(columns)
        if granted is not None:
            unconditional &= granted.holds(columns)
        for anchor in pinned:
            unconditional |= anchor.holds(columns)
        named = np.zeros(len(world.state), np.uint8)  # marks over all places: a tenth of the cost of joining lists
        if outlook.soon is not None:
            named[outlook.soon] = SOON
        named.reshape(-1, sections)[rows[unconditional]] = UNREACHED
        named[reached] = REACHED
        named[:sections] = NOT_NAMED  # row 0 is for places outside the known columns
        wanted = np.flatnonzero((named != NOT_NAMED) & self._askable[world.state]).astype(np.int32)
        wanted = wanted[~ledger.held(wanted)]
        return self._ordered(world, wanted, named, looker, outlook.ground)

    def _ordered(
        self,
        world: Store,
        wanted: Places,
        why: Bytes,
        looker: PlayerView,
        ground: npt.NDArray[np.int64] | None,
    ) -> RequestPlan:
        positions, named = world.positions_of(wanted), why[wanted]
        soon = named == SOON
        sight = PlaceVisibility(named != UNREACHED, soon, np.full(len(wanted), NO_GROUND))
        if ground is not None:
            absolute = np.where(ground == NOT_KNOWN, NO_GROUND, ground + world.dimension.floor_section)
            rows = world.announced_rows
            skyline = Skyline.of(world.columns[rows], absolute[rows], looker.at)
            sight = replace(sight, ground=absolute[wanted // world.dimension.sections], skyline=skyline)
        needs = need(positions, looker, self._weights, sight)
        by_need = order_by(needs, positions)
        by_need = by_need[: len(by_need) - self._surplus(needs, soon)]
        pictured = (named == REACHED) & (needs < self._weights.sky)
        return RequestPlan(wanted[by_need], positions[by_need], needs[by_need], pictured[by_need], why)

    def _surplus(self, needs: npt.NDArray[np.float32], soon: npt.NDArray[np.bool_]) -> int:
        """The number of places at the end that exceed the limit of predicted ones, or are predicted sky."""
        useful = int((soon & (needs < self._weights.soon + self._weights.sky)).sum())
        return int(soon.sum()) - min(useful, self._weights.soon_entries)


REACH = 127  # largest distance of an offset from its centre in sub-chunks, on each axis


class Batch(msgspec.Struct, frozen=True):
    """One request packet before its encoding."""

    centre: SubChunkPos  # the sub-chunk that the offsets count from
    offsets: Offsets  # int8[n, 3] of dx, dy, dz
    indices: npt.NDArray[np.intp]  # intp[n]: which of the packed positions these are

    @property
    def positions(self) -> SubChunkPositions:
        """The requested positions: int32[n, 3]."""
        return self.offsets.astype(np.int32) + np.asarray(self.centre, np.int32)


def pack(positions: SubChunkPositions, player: SubChunkPos, entries_per_packet: int) -> list[Batch]:
    """Splits ``positions`` (each once, most urgent first) into requests: one centre and signed-byte offsets each.

    An offset stays inside -127..127: -128 fits the byte, but the vendor's text excludes it (wire.md 2.2). The centre is
    the player's sub-chunk for all positions within reach, in their order. Others get the first position as centre that
    no earlier centre reaches (seed 000: "a new packet with a new center").
    """
    batches: list[Batch] = []
    centre, left = player, np.arange(len(positions))
    while len(left):
        away = positions[left].astype(np.int64) - np.asarray(centre, np.int64)
        reached = (np.abs(away) <= REACH).all(axis=1)
        near, offsets = left[reached], away[reached].astype(np.int8)
        for start in range(0, len(near), entries_per_packet):
            packet = slice(start, start + entries_per_packet)
            batches.append(Batch(centre, offsets[packet], near[packet]))
        left = left[~reached]
        if len(left):
            centre = SubChunkPos(*(int(v) for v in positions[left[0]]))
    return batches
