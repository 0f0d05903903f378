"""Keeps the last level events and sounds that name a block, so that reports can say what happened at a place.

Rules:
1. Events that name a block by its runtime id, and block-cracking events, are kept; the others are dropped.
2. A runtime id is looked up on arrival: later it might mean another block. An unknown id gives no block, and is not
   added to the block table.
3. Equal consecutive events at one place become one entry with the last time and a count: steps and hits come by the
   dozen.
4. The log is a ring of ``kept`` entries; ``seen`` counts all events.

Owned by the session.
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
        self.seen = 0  # events recorded since the log was made, repetitions included

    def record(self, message: Message, packet: int, now: float) -> None:
        """Keeps what speaks of blocks, of whatever comes. ``packet``: number of the inbound packet."""
        if isinstance(message, LevelEvent):
            self.record_event(message, packet, now)
        elif isinstance(message, LevelSoundEvent):
            self.record_sound(message, packet, now)

    def record_event(self, message: LevelEvent, packet: int, now: float) -> None:
        """Keeps an event that names a block, or tells of cracks."""
        what = LEVEL_EVENTS.get(message.event)
        if what is None:
            return
        dense = None if message.event in CRACKING else self._find(message.argument)
        if dense is None and message.event == LevelEventNumber.CRACK_BLOCK:
            dense = self._find(message.argument & (1 << CRACK_FACE_SHIFT) - 1)
        self._keep("LevelEvent", what, message.position, dense, message.argument, packet, now)

    def record_sound(self, message: LevelSoundEvent, packet: int, now: float) -> None:
        """Keeps a sound of a block."""
        sound = message.sound
        what = sound if isinstance(sound, str) else SOUNDS.get(sound)
        dense = None if message.argument == NO_ARGUMENT else self._find(message.argument)
        if what is None or (isinstance(sound, str) and dense is None):
            return
        self._keep("LevelSoundEvent", what, message.position, dense, message.argument, packet, now)

    def events(self) -> tuple[BlockEvent, ...]:
        """All entries, oldest first."""
        return tuple(self._ring)

    def since(self, time_s: float) -> tuple[BlockEvent, ...]:
        """Entries from a time on, oldest first; called each frame, so it reads only that part of the ring."""
        young = list(takewhile(lambda event: event.time_s >= time_s, reversed(self._ring)))
        return tuple(reversed(young))

    def at(self, position: BlockPos) -> tuple[BlockEvent, ...]:
        """Entries of one block, oldest first."""
        return tuple(event for event in self._ring if event.position == position)

    def memory(self) -> PoolBytes:
        """Memory of the ring, which grows until it is full."""
        size = len(self._ring) * EVENT_BYTES
        return PoolBytes("event log", size, size, size, size)

    def _find(self, argument: int) -> int | None:
        """The dense id of a runtime id, or None; ids that are hashes arrive as signed numbers."""
        return self._table.find(argument & 0xFFFFFFFF)

    def _keep(
        self,
        source: str,
        what: str,
        position: tuple[float, float, float],
        dense: int | None,
        argument: int,
        packet: int,
        now: float,
    ) -> None:
        state = None if dense is None else self._table.states[dense]
        event = BlockEvent(
            now,
            packet,
            source,
            what,
            BlockPos.containing(*position),
            None if state is None else state.name,
            () if state is None else state.states,
            argument,
        )
        self.seen += 1
        last = self._ring[-1] if self._ring else None
        if last is not None and replace(last, time_s=now, packet=packet, times=1) == event:
            self._ring[-1] = replace(event, times=last.times + 1)
        else:
            self._ring.append(event)
