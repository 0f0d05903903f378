"""Keeps the last level events and sounds that name a block, so that reports can say what happened at a place.

A runtime id is looked up on arrival: later it might mean another block. An unknown id gives no block, and is not added
to the block table. Equal consecutive events at one place become one entry with the last time and a count: steps and
hits come by the dozen. Owned by the session.
"""

from collections import deque
from itertools import takewhile
from typing import Final

import msgspec
from msgspec.structs import replace

from client.world.block_table import BlockTable
from client.world.slots import PoolBytes
from net.bedrock import LevelEvent, LevelEventNumber, LevelSoundEvent, Message, SoundNumber
from net.bedrock.packets.level_events import CRACK_FACE_SHIFT
from net.space import BlockPos

KEPT: Final = 512
EVENT_BYTES: Final = 420
"""An entry with its position and numbers (``sys.getsizeof`` of each, added)."""

CRACKING: Final = (LevelEventNumber.START_CRACKING, LevelEventNumber.UPDATE_CRACKING, LevelEventNumber.STOP_CRACKING)
"""Their argument is a speed."""
LEVEL_EVENTS: Final = {int(number): number.name.lower() for number in LevelEventNumber}
SOUNDS: Final = {int(number): number.name.lower() for number in SoundNumber}

NO_ARGUMENT: Final = -1


class BlockEvent(msgspec.Struct, frozen=True):
    """A level event or a sound at a block."""

    time_s: float  # when, in the session's clock; the last time where ``times`` is more than one
    packet: int  # number of the inbound packet, as in the history of sub-chunks
    source: str  # name of the packet's kind
    what: str  # name of the event or sound, for example ``destroy_block``, ``place``
    position: BlockPos  # the block at that place
    block: str | None  # name of the block in the packet, None where the packet names no known block
    states: tuple[tuple[str, int | str | bool], ...]  # its state values
    argument: int  # as it came: a runtime id mostly, a speed for cracks
    times: int = 1  # how often it came in a row


class EventLog:
    """The ring of events."""

    def __init__(self, table: BlockTable, kept: int = KEPT) -> None:
        self._table = table
        self._ring: deque[BlockEvent] = deque(maxlen=kept)

    def record(self, message: Message, packet: int, now: float) -> None:
        """Keeps events and sounds that name a block, or tell of cracks. ``packet``: number of the inbound packet."""
        if isinstance(message, LevelEvent):
            self._record_event(message, packet, now)
        elif isinstance(message, LevelSoundEvent):
            self._record_sound(message, packet, now)

    def _record_event(self, message: LevelEvent, packet: int, now: float) -> None:
        what = LEVEL_EVENTS.get(message.event)
        if what is None:
            return
        dense = None if message.event in CRACKING else self._find(message.argument)
        if dense is None and message.event == LevelEventNumber.CRACK_BLOCK:
            dense = self._find(message.argument & (1 << CRACK_FACE_SHIFT) - 1)
        self._keep(message, what, dense, packet, now)

    def _record_sound(self, message: LevelSoundEvent, packet: int, now: float) -> None:
        sound = message.sound
        what = sound if isinstance(sound, str) else SOUNDS.get(sound)
        dense = None if message.argument == NO_ARGUMENT else self._find(message.argument)
        if what is None or (isinstance(sound, str) and dense is None):
            return
        self._keep(message, what, dense, packet, now)

    def events(self) -> tuple[BlockEvent, ...]:
        return tuple(self._ring)

    def since(self, time_s: float) -> tuple[BlockEvent, ...]:
        """Entries from a time on, oldest first; called each frame, so it reads only that part of the ring."""
        young = list(takewhile(lambda event: event.time_s >= time_s, reversed(self._ring)))
        return tuple(reversed(young))

    def at(self, position: BlockPos) -> tuple[BlockEvent, ...]:
        return tuple(event for event in self._ring if event.position == position)

    def memory(self) -> PoolBytes:
        size = len(self._ring) * EVENT_BYTES
        return PoolBytes("event log", size, size, size, size)

    def _find(self, argument: int) -> int | None:
        """The dense id of a runtime id, or None; ids that are hashes arrive as signed numbers."""
        return self._table.find(argument & 0xFFFFFFFF)

    def _keep(
        self, message: LevelEvent | LevelSoundEvent, what: str, dense: int | None, packet: int, now: float
    ) -> None:
        state = None if dense is None else self._table.states[dense]
        name, states = (None, ()) if state is None else (state.name, state.states)
        at = BlockPos.containing(*message.position)
        event = BlockEvent(now, packet, type(message).__name__, what, at, name, states, message.argument)
        last = self._ring[-1] if self._ring else None
        if last is not None and replace(last, time_s=now, packet=packet, times=1) == event:
            self._ring[-1] = replace(event, times=last.times + 1)
        else:
            self._ring.append(event)
