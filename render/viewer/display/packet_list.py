"""The list of the panel Packets, read on a thread from the recording or the history of a live session.

Rules:
1. A list contains the packets up to the time of the request. A new request ends the list being made.
2. The last ``MOST_ROWS`` packets that pass the filter are kept, and at most ``MOST_BYTES`` of their bytes.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final, TypeVar

import msgspec

from client.background_task import BackgroundTask
from client.connection.connection import Connection
from client.connection.opening import open_recording
from client.errors import ConnectError, UsageError
from client.options import Moment, parse_block
from client.recording.history import NAMED
from client.report.packets import PacketField, PacketFilter, PacketReader, PacketRow, PacketsReport, RequestRow
from net.recording.file import Recording
from net.space import BlockPos
from render.panels.packets import PacketsView
from render.panels.panel import ListPackets

MOST_ROWS: Final = 2000
MOST_BYTES: Final = 64 << 20
END_S: Final = 1.0
"""How long to wait for an unfinished list when its world is left; it ends at its next packet."""

T = TypeVar("T")


class PacketList(msgspec.Struct, frozen=True):
    """One list."""

    packets: tuple[PacketRow, ...]
    raw: tuple[bytes, ...]  # of the packets
    requests: tuple[RequestRow, ...]
    range_s: tuple[float, float]
    report: PacketsReport
    reader: PacketReader  # closed; decodes fields


def read_list(reader: PacketReader, waterfall: bool, ended: Callable[[], bool]) -> PacketList:
    """Reads everything that passes the reader's filter, and closes it; stops early when ``ended`` returns true."""
    with reader:
        requests: deque[RequestRow] = deque(maxlen=MOST_ROWS)
        packets: deque[tuple[PacketRow, bytes]] = deque()
        size = 0
        if waterfall:
            requests.extend(_until(reader.requests(), ended))
        else:
            for row, packet in _until(reader.rows_with_bytes(), ended):
                packets.append((row, packet))
                size += len(packet)
                while len(packets) > MOST_ROWS or size > MOST_BYTES:
                    size -= len(packets.popleft()[1])
        by_time = sorted(packets, key=lambda listed: listed[0].time_s)  # recorded when applied, later than they arrived
        rows, raw = (tuple(each) for each in zip(*by_time, strict=True)) if by_time else ((), ())
        return PacketList(rows, raw, tuple(requests), reader.range_s, reader.report(), reader)


def _until(rows: Iterable[T], ended: Callable[[], bool]) -> Iterator[T]:
    for row in rows:
        if ended():
            return
        yield row


class PacketLists:
    """Makes the lists of one connection; owner thread."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._wanted: object = None  # the list being made, or made last
        self._task: BackgroundTask[PacketList] | None = None
        self._list: PacketList | None = None
        self._trouble = ""
        self._fields: tuple[int, tuple[PacketField, ...]] | None = None  # of the packet selected last

    def ask(self, asked: ListPackets, until_s: float) -> None:
        """Starts another list; ``until_s``: the shown moment, in seconds of the recording or session."""
        self._wanted = wanted = object()
        self._task, self._list, self._fields, self._trouble = None, None, None, ""
        try:
            wanted_packets = _filter(asked, until_s)
            reader = PacketReader(*self._recording(), wanted_packets)
        except ConnectError as error:
            self._trouble = str(error)
            return
        ended = lambda: self._wanted is not wanted  # noqa: E731  # one line, here only
        self._task = BackgroundTask("packets", lambda: read_list(reader, asked.waterfall, ended))

    def view(self, chosen: int | None, block: BlockPos | None, eye_y: int, from_s: float | None) -> PacketsView:
        """The panel's content: the list, the fields of the selected packet, and where it may lead."""
        if self._task is not None and self._task.over:
            try:
                self._list = self._task.outcome()
            except Exception as error:  # any: a failure loses only this list
                self._trouble = f"The packets cannot be listed: {error}."
            self._task = None
        found = self._list
        is_running = self._task is not None
        view = PacketsView(running=is_running, trouble=self._trouble, block=block, eye_y=eye_y, seekable_from_s=from_s)
        if found is None:
            return view
        return msgspec.structs.replace(
            view,
            packets=found.packets,
            requests=found.requests,
            range_s=found.range_s,
            report=found.report,
            fields=self._fields_of(found, chosen),
        )

    def close(self) -> None:
        self._wanted = None
        if self._task is not None:
            self._task.wait(END_S)

    def _recording(self) -> tuple[Recording, Path]:
        """Raises UsageError: there is none."""
        past, replay = self._connection.past, self._connection.replay
        if past is not None:
            return past.recording(), NAMED
        if replay is not None:  # its connection's source is the recorded one
            return open_recording(replay.path), replay.path
        raise UsageError("There are no packets to list: the setting past_minutes is 0, so none are kept.")

    def _fields_of(self, found: PacketList, chosen: int | None) -> tuple[PacketField, ...]:
        if chosen is None or chosen >= len(found.raw):
            return ()
        if self._fields is None or self._fields[0] != chosen:
            self._fields = chosen, found.reader.fields(found.raw[chosen])
        return self._fields[1]


def _filter(asked: ListPackets, until_s: float) -> PacketFilter:
    """Raises UsageError: an invalid place."""
    place = parse_block(asked.place) if asked.place else None
    first, last = Moment(max(until_s - asked.seconds, 0.0)), Moment(until_s)
    return PacketFilter(asked.types, place, asked.sender, asked.text, first, last, asked.undecodable)
