"""Plain reference of ``client.world``: the expected content of a store, as a dictionary by position.

It holds states, blocks of both layers, pending changes, and the whole history instead of a ring buffer.
"""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from client.world.history import KEPT, NO_CODE, NO_PACKET, SubChunkEvent
from client.world.lifecycle import ROOMLESS_STATES, StateEvent, SubChunkState

Layers = list[npt.NDArray[np.uint16]]
Position = tuple[int, int, int]

K = SubChunkState
SHOWING = (K.KNOWN_AIR, K.DATA, K.ALL_AIR, K.RESET)
UNANSWERED = (K.UNKNOWN, K.WANTED, K.REQUESTED, K.REFUSED, K.UNDECODABLE, K.RESET, K.EVICTED)


def air() -> Layers:
    return [np.zeros(4096, np.uint16), np.zeros(4096, np.uint16)]


@dataclass
class Place:
    """One sub-chunk."""

    state: SubChunkState = K.UNKNOWN
    shown: Layers | None = None
    waiting: dict[tuple[int, int], int] = field(default_factory=dict)
    events: list[SubChunkEvent] = field(default_factory=list)

    def become(self, cause: StateEvent, after: SubChunkState, now: float, packet: int, code: int = NO_CODE) -> None:
        """Records an event; repeated events between two changes of state count as one."""
        before, self.state = self.state, after
        oldest = max(len(self.events) - KEPT, 0)
        for index in range(len(self.events) - 1, oldest - 1, -1) if before == after else ():
            earlier = self.events[index]
            if earlier.before != earlier.after:
                break
            if (earlier.cause, earlier.code) == (cause, code):
                self.events[index] = earlier._replace(time_s=now, packet=packet, times=earlier.times + 1)
                return
        self.events.append(SubChunkEvent(now, packet, cause, before, after, code, 1))

    def kept_events(self) -> tuple[SubChunkEvent, ...]:
        return tuple(sorted(self.events[-KEPT:], key=lambda event: event.time_s))

    def edit(self, layer: int, cell: int, block: int, now: float, packet: int) -> bool:
        """Changes a block; returns whether a shown block changed."""
        if self.state in (K.UNKNOWN, K.WANTED, K.REQUESTED, K.RESET, K.EVICTED):
            self.waiting[layer, cell] = block
        if self.shown is None or self.shown[layer][cell] == block:
            return False
        self.shown[layer][cell] = block
        self.become(StateEvent.EDITED, K.RESET if self.state is K.RESET else K.DATA, now, packet)
        return True

    def arrive(self, blocks: Layers, now: float, packet: int) -> None:
        """Shows blocks, with the pending changes applied."""
        self.shown = blocks
        changed = False
        for (layer, cell), block in self.waiting.items():
            changed |= int(blocks[layer][cell]) != block
            blocks[layer][cell] = block
        self.waiting = {}
        if changed:
            self.become(StateEvent.EDITED, K.DATA, now, packet)

    def vanish(self) -> None:
        """Shows no blocks, and drops pending changes."""
        self.shown = None
        self.waiting = {}


@dataclass
class Model:
    """All places of announced columns, in a dimension of sections -2..4."""

    places: dict[Position, Place] = field(default_factory=dict)
    packet: int = NO_PACKET

    def column(self, x: int, z: int) -> list[Position]:
        return [(x, y, z) for y in range(-2, 5)]

    def announce(self, x: int, z: int, limit: int | None, now: float) -> None:
        for index, position in enumerate(self.column(x, z)):
            place = self.places.setdefault(position, Place())
            place.waiting = {}
            if limit is not None and index > limit:
                place.shown = air()
                place.become(StateEvent.ABOVE_LIMIT, K.KNOWN_AIR, now, self.packet)
            elif place.state in SHOWING:
                place.become(StateEvent.ANNOUNCED, K.RESET, now, self.packet)
            else:
                asked = place.state in (K.WANTED, K.REQUESTED)
                place.become(StateEvent.ANNOUNCED, place.state if asked else K.UNKNOWN, now, self.packet)

    def fill(self, x: int, z: int, contents: list[Layers], now: float) -> None:
        for index, position in enumerate(self.column(x, z)):
            place = self.places.setdefault(position, Place())
            place.vanish()
            if index < len(contents):
                place.shown = [layer.copy() for layer in contents[index]]
                place.become(StateEvent.COLUMN_DATA, K.DATA, now, self.packet)
            else:
                place.shown = air()
                place.become(StateEvent.COLUMN_AIR, K.ALL_AIR, now, self.packet)

    def answer(self, entries: list[tuple[Position, int, Layers | None]], now: float) -> int:
        """Applies entries (position, result, blocks; None if undecodable); returns the number of undecodable ones.

        The first success of a place counts; a failure does not close a place that has a success in the same packet.
        """
        used: dict[Position, tuple[int, Layers | None]] = {}
        fates: list[str] = []
        for position, result, blocks in entries:
            place = self.places.get(position)
            open_place = place is not None and (place.state in UNANSWERED or place.state is K.KNOWN_AIR)
            taken = open_place and result in (1, 6) and position not in used
            if taken:
                used[position] = (result, blocks)
            fates.append("used" if taken else "vain")
        self._close(entries, set(used), fates, now)
        for position, (result, blocks) in used.items():
            self._use(self.places[position], result, blocks, now)
        for (position, result, _), fate in zip(entries, fates, strict=True):
            if fate == "vain" and position in self.places:
                place = self.places[position]
                place.become(StateEvent.ANSWER_IGNORED, place.state, now, self.packet, result)
        for position, (_, blocks) in used.items():
            if blocks is not None:
                self.places[position].arrive(blocks, now, self.packet)
        return sum(blocks is None for _, blocks in used.values())

    def _close(
        self, entries: list[tuple[Position, int, Layers | None]], used: set[Position], fates: list[str], now: float
    ) -> None:
        before = {position: place.state for position, place in self.places.items()}
        for index, (position, result, _) in enumerate(entries):
            final = result not in (0, 1, 2, 4, 6)
            if final and position not in used and before.get(position) in UNANSWERED:
                fates[index] = "closing"
                self.places[position].vanish()
                self.places[position].become(StateEvent.ANSWER_REFUSED, K.REFUSED, now, self.packet, result)

    def _use(self, place: Place, result: int, blocks: Layers | None, now: float) -> None:
        if blocks is None:
            place.vanish()
            place.become(StateEvent.ANSWER_BROKEN, K.UNDECODABLE, now, self.packet, result)
        elif result == 6:
            place.become(StateEvent.ANSWER_AIR, K.ALL_AIR, now, self.packet, result)
        else:
            place.become(StateEvent.ANSWER_DATA, K.DATA, now, self.packet, result)

    def mark(self, position: Position, wanted: SubChunkState, now: float) -> bool:
        """Changes a place's state as the request planner may; returns whether the change is allowed."""
        place = self.places.get(position)
        state = K.OUTSIDE if place is None else place.state
        causes = {
            K.UNKNOWN: (StateEvent.LEFT_PLAN, (K.WANTED, K.REQUESTED), ()),
            K.WANTED: (StateEvent.PLANNED, (K.UNKNOWN, K.REQUESTED, K.EVICTED), ()),
            K.REQUESTED: (StateEvent.REQUESTED, (K.UNKNOWN, K.WANTED, K.EVICTED), (K.REQUESTED, K.RESET)),
            K.EVICTED: (StateEvent.RELEASED, (*ROOMLESS_STATES, K.DATA, K.RESET), (K.EVICTED,)),
        }
        cause, moving, staying = causes[wanted]
        if place is None or state not in moving + staying:
            return False
        place.become(cause, wanted if state in moving else state, now, self.packet)
        if wanted is K.EVICTED:
            place.shown = None
        return True

    def give_up(self, position: Position, code: int, now: float) -> None:
        place = self.places.get(position)
        if place is not None and place.state in UNANSWERED and place.state is not K.REFUSED:
            place.vanish()
            place.become(StateEvent.GIVEN_UP, K.REFUSED, now, self.packet, code)

    def forget(self, x: int, z: int) -> None:
        for position in self.column(x, z):
            self.places.pop(position, None)
