"""A joined world: apply what arrives, wait for terrain, read it.

Rules:
1. A connection belongs to the thread that made or adopted it; every call asserts that.
2. ``pump`` does all that is due: events of the transport, one tick of the session, outgoing messages. Between two calls
   only the transport's thread works (acknowledging, decoding).
3. A wait ends when nothing is missing and the source is not flooding (``live.RestlessSource``), at its time-out, or
   where a recording ends. It cannot last longer, since no ``pump`` of it takes more than ``PUMP_S``. The result lists
   what was missing.
4. ``wait_settled`` computes the light once the terrain is complete. With ``Options.light`` False another component
   drives the light map (a scene with workers), and settled means complete terrain alone.
5. ``close`` ends in this order: recording, transport, child process. It may be called again.
6. Over a recording (``replay``) nothing is sent: ``pump`` plays the file, ``look`` moves only the camera, and settled
   means that the file holds no more and nothing is missing.
7. Rewinding (``past``) replays the session's own last minutes in the same way, while the live session goes on.
"""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Final, Self, overload

import msgspec
import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from client.connection.boxes import cell_arrays, expect_in_world, expect_readable, find_blocks, reach_of
from client.connection.live import LightKeeper, LiveSource
from client.connection.settle import IDLE_S, PUMP_S, Settling, asked_in_vain, share_done
from client.connection.stats import (
    BoxLight,
    LightView,
    PendingWork,
    Settled,
    Statistics,
    give_back_free_pages,
    pending_at,
    pending_of_session,
)
from client.embedded_server import EmbeddedServer
from client.errors import SourceError, UsageError
from client.options import Box, Options, PastOptions, PinnedAnchor, box_of, expect_name
from client.player import Eye, View
from client.recording.history import SessionHistory
from client.recording.recorder import SessionRecorder, header_of
from client.recording.replay import Replay
from client.session.requests import PLAYER_ANCHOR
from client.session.session import Session
from client.session.spawn import SpawnPhase
from client.session.stats import states_of
from client.session.weather import name_of
from client.source import Source, WorldFile, source_sentence
from client.streaming.anchors import Anchor, AnchorClaim
from client.world.height_maps import UNKNOWN_TOP
from client.world.reports import BlockView
from client.world.slots import PoolBytes
from client.world.store import Store
from net.arrays import BlockIds
from net.palette import BlockState
from net.peer import Event, PeerStats, Received
from net.space import BlockPos
from net.storage import Recorder
from net.transport.interface import Transport

EYE_HEIGHT_BLOCKS: Final = 1.62
BOX_ANCHOR: Final = "dump"
"""Name of the anchor that ``request`` pins; recordings contain it."""
LIGHT_MARGIN_COLUMNS: Final = 1  # columns around a box that its light needs
LAYERS: Final = ("blocks", "layer1")
MOST_FOUND: Final = 1 << 20
"""Most positions that ``find`` returns; 12 MiB."""


def eye_of(look_out: PinnedAnchor, store: Store) -> Eye | None:
    """The eye at its given height, else above the ground, else above the roof; None if the anchor requests all."""
    if look_out.everything:
        return None
    if look_out.y is not None:
        return Eye(look_out.x, look_out.y, look_out.z)
    block = Eye(look_out.x, 0.0, look_out.z).block
    known = block.column in store.row_of
    top = int(store.height_map(block.column)[(block.z & 15) << 4 | block.x & 15]) if known else UNKNOWN_TOP
    ground = store.dimension.roof_y_blocks if top == UNKNOWN_TOP else top
    return Eye(look_out.x, ground + EYE_HEIGHT_BLOCKS, look_out.z)


def _expect_layer(layer: int) -> None:
    if layer not in (0, 1):
        raise UsageError(f"There is no layer {layer}; a block has layers 0 and 1.")


def keep_dimension(replay: Replay, dimension: int) -> None:
    """Plays to the last tick before a dimension is left and pauses there; to the end if it is never left.

    Only the first stay counts, which is the one that is shown first. A recording at its end, or in another dimension,
    stays as it is. Only ``Connection.wait_settled`` calls this; a recording that is watched plays on.
    """
    if replay.resting or replay.session.dimension.store.dimension.number != dimension:
        return
    packets = replay.position.packets

    def left(session: Session) -> bool:
        nonlocal packets
        here = session.dimension.store.dimension.number == dimension
        packets = replay.position.packets if here else packets
        return not here

    replay.until(left)
    if left(replay.session):
        replay.seek_packet(packets)


def memory(
    session: Session, peer: PeerStats, pending: Iterable[Event], past_bytes: int | None = None
) -> tuple[PoolBytes, ...]:
    """The bytes of every pool.

    ``peer``: counts of the transport: packets it holds, and parts of packets that wait for blobs. ``pending``: events
    that are not applied yet. ``past_bytes``: size of the rewind history, where there is one.
    """
    taken = sum(event.size_bytes + event.objects_bytes for event in pending if isinstance(event, Received))
    queues = {
        "inbound queues": peer.held_bytes + taken,
        "outbound queue": peer.queued_bytes,
        "waiting for blobs": peer.blobs.waiting_bytes if peer.blobs else 0,
    }
    if past_bytes is not None:
        queues["the last minutes"] = past_bytes
    return (
        *session.dimension.memory(),
        session.entities.memory(),
        session.ledger.entries.memory(),
        *(PoolBytes(name, size, size, size, size) for name, size in queues.items()),
    )


class Spoken(msgspec.Struct, frozen=True):
    """How a server was joined: transport, protocol and version."""

    place: str  # "raknet", "lan" (LAN discovery), or the URL that accepts session offers
    protocol: int  # number of the game protocol
    version: str = ""  # as the server names it

    @property
    def transport(self) -> str:
        """``raknet`` or ``nethernet``."""
        return self.place if self.place == "raknet" else "nethernet"


class Connection:
    """One joined world; a context manager."""

    def __init__(
        self,
        source: Source,
        options: Options,
        session: Session,
        transport: Transport,
        server: EmbeddedServer | None = None,
        clock: Callable[[], float] = time.monotonic,
        rest: Callable[[float], None] = time.sleep,
    ) -> None:
        """Drives ``session``, before its join or just after, over ``transport``; owns both and the child process.

        ``clock``: monotonic seconds. ``rest``: waits for so many seconds; called when nothing is due.
        """
        self.source = source
        self.options = options
        self._session = session
        self._keeper = LightKeeper(session, options.light)
        self._transport = transport
        self.past: SessionHistory | None = None
        self.spoken: Spoken | None = None  # how a server was joined; None without one
        self.remark = ""  # a sentence about the join, shown among the warnings; may be empty
        self._recorded = transport if isinstance(transport, Replay) else None
        self._server = server
        self._clock = clock
        self._live = LiveSource(transport, clock)
        self._rest = rest
        self._settling = Settling(lambda: self.pump(budget_s=PUMP_S), self._at_rest, clock, rest)
        self._owner = threading.get_ident()
        self._started = clock()
        self._placed = False
        self._pumped = False
        self._left = self._closed = False
        if self._recorded:
            self._place_camera()  # whoever asks before the first pump, as a window does, sees the options' view

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # ------------------------------------------------------------ advancing

    def pump(self, now: float | None = None, budget_s: float | None = None) -> bool:
        """Does what is due.

        Args:
            now: monotonic seconds; the clock's unless given.
            budget_s: stop applying events after so long and leave the rest for the next call; a frame's 2 ms.

        Returns:
            Whether anything came or went.

        Raises:
            SourceError: the session is over.
        """
        self._assert_owner()
        self._pumped = True
        busy, replay, live = False, self.replay, self._session
        if not self._recorded and not (replay and live.spawn.closed_reason):  # the error was raised already
            busy = self._live.run(live, self._clock() if now is None else now, budget_s, self._place_camera)
            if live is self.session:
                self._keeper.show(live)
                self._keeper.reclaim()
            else:  # no scene draws it, so no older slots are in use
                live.dimension.store.pools.reclaim(live.dimension.store.pools.epoch)
            self._raise_if_over(live)
        if replay:
            busy |= replay.run(budget_s)
            self._session = replay.session if self._recorded else live
            self._keeper.show(self.session)
            self._place_camera()
            self._keeper.reclaim()
        return busy

    @property
    def replay(self) -> Replay | None:
        """The replay of a recording, or of the session's own past; None while the live session is shown."""
        return self._recorded or (self.past.replay if self.past else None)

    @property
    def opened(self) -> Source:
        """What was opened: for a recording its file, while ``source`` is the recorded source; else ``source``."""
        return WorldFile(self._recorded.path) if self._recorded else self.source

    @property
    def session(self) -> Session:
        """The session that is shown: the live one, or one replayed."""
        return self.past.shown() if self.past else self._session

    def wait_settled(
        self,
        timeout_s: float | None = None,
        progress: Callable[[float, str], None] | None = None,
        within: Anchor | None = None,
        *,
        give_up: bool = False,
    ) -> Settled:
        """Waits until everything that the player can see has arrived, is decoded and lit.

        A recording is played to its end, or until the player leaves the dimension of the options.

        Args:
            timeout_s: seconds to wait; the connection's own timeout unless given.
            progress: called with (share done 0..1, the reason for waiting) now and then.
            within: waits only for these pinned columns and those around them, and gives up what was asked in vain.
            give_up: whether to end once all that is missing got no answer to three requests.

        Returns:
            How the wait ended; false if the time ran out, with the missing parts.
        """
        timeout_s = self.options.timeout_s if timeout_s is None else timeout_s
        if self._recorded and self.options.dimension is not None:
            keep_dimension(self._recorded, self.options.dimension)
        in_vain = (lambda now: self.in_vain(now, within)) if give_up or within is not None else None
        ended = self.wait_for(lambda now: self._unfinished(now, within), timeout_s, progress, in_vain)
        if not ended:
            ended = replace(ended, missing=self.missing(within))
        if self.replay:
            self.light_up()  # light of all known terrain, even where parts are missing
        give_back_free_pages()  # 0.3 ms for some 2 MB (measured)
        return ended

    def wait_for(
        self,
        missing: Callable[[float], str | None],
        timeout_s: float,
        progress: Callable[[float, str], None] | None = None,
        in_vain: Callable[[float], bool] | None = None,
    ) -> Settled:
        """Pumps until ``missing`` returns None, the time runs out, or a recording has ended.

        Args:
            missing: called with the time; returns in words what is missing, or None.
            progress: called with (share done 0..1, those words) now and then.
            in_vain: called with the time; returns whether to give up. A recording is never given up.
        """
        tell = (lambda what: progress(share_done(self.session), what)) if progress else None
        if in_vain is None or self.replay:
            return self._settling.wait(missing, timeout_s, tell)
        ended = self._settling.wait(missing, timeout_s, tell, in_vain)
        words = None if ended else asked_in_vain(self.session)
        return replace(ended, waiting_for=words) if words else ended

    def in_vain(self, now: float, within: Anchor | None = None) -> bool:
        """Whether all that is missing was requested in vain, or the server does not send the columns ``within``."""
        never = within is not None and self.session.waits.never_coming(within, now)
        return never or asked_in_vain(self.session) is not None

    def request(
        self,
        box: Box | Sequence[int],
        timeout_s: float | None = None,
        progress: Callable[[float, str], None] | None = None,
    ) -> Settled:
        """Requests every sub-chunk of a box, visible or hidden, and waits until all have arrived and are lit.

        Hidden sub-chunks are not requested otherwise. The player flies there, and the box stays loaded until the next
        ``request``. A recording is played to its end instead.

        Args:
            box: ``(X0, Y0, Z0, X1, Y1, Z1)`` in blocks; the second corner does not belong to it.
            timeout_s: seconds to wait; the connection's own timeout unless given.
            progress: called with (share done 0..1, the reason for waiting) now and then.

        Raises:
            UsageError: the box is invalid, too large, or wider than the radius that the world was opened with.

        Example:
            >>> box = (0, 0, 0, 32, 64, 32)
            >>> bool(world.request(box))
            True
            >>> (world.blocks(box) == world.unknown_id).any().item()
            False
        """
        self._assert_owner()
        checked = box_of(box)
        expect_readable(checked)
        columns = Anchor.around_box(checked.low, checked.high)
        if not self.replay:
            if (reach := reach_of(checked)) > self.options.radius:
                wide, radius = max(columns.size), self.options.radius
                raise UsageError(
                    f"The box {checked} is {wide} columns wide, more than a radius of {radius} reaches: "
                    f"connect with radius={reach}."
                )
            self._session.pin(BOX_ANCHOR, columns.grown(LIGHT_MARGIN_COLUMNS))
            self.look(View(checked.centre, self._session.movement.view.yaw_deg, self._session.movement.view.pitch_deg))
        return self.wait_settled(timeout_s, progress, within=columns)

    def _box(self, corners: Box | Sequence[int]) -> Box:
        box = box_of(corners)
        expect_in_world(box, self.session.dimension.store.dimension)
        return box

    def _at_rest(self) -> bool:
        return self.replay is not None and self.replay.resting

    def light_up(self) -> None:
        """Computes the light of everything that has arrived, without waiting for the rest."""
        self._keeper.light_up()

    def unsettled(self, now: float | None = None, within: Anchor | None = None) -> str | None:
        """What has not arrived yet, in words, or None. ``within``: only in these columns."""
        if self._live.pending:
            return f"{len(self._live.pending)} messages are not applied yet"

        if self.replay:
            return self.replay.unsettled(within)
        return self.session.unsettled(self._clock() if now is None else now, within)

    def _unfinished(self, now: float, within: Anchor | None) -> str | None:
        """What is missing, in words: terrain, then light, of which it computes one step, then an end of flooding."""
        waiting_for = self.unsettled(now, within)
        if waiting_for is None and self.replay:
            self._keeper.light_up()  # a recording is at rest once it has ended, lit or not
        if waiting_for is None and self._keeper.step() and (unlit := self._keeper.pending):
            return f"{unlit} columns have no light yet"
        return waiting_for or self._live.flood.words(now)

    def missing(self, within: Anchor | None = None) -> tuple[PendingWork, ...]:
        """What has not arrived or is not lit yet, by kind and place. ``within``: only in these columns."""
        now, flood = self._clock(), self._live.flood
        changes, seconds = flood.changes(now)
        changing = PendingWork("changing", "changes", changes, words=f"in the last {seconds:.2g} s")
        found = (
            PendingWork("undecoded", "messages", len(self._live.pending)),
            *((changing,) if flood.words(now) else ()),
            *pending_of_session(self.session, self.now, within),
            pending_at("unlit", "columns", self._keeper.unlit),
        )
        return tuple(pending for pending in found if pending.count)

    # ------------------------------------------------------------ reading

    @property
    def now(self) -> float:
        """The time of the session in monotonic seconds; of a recording, its position."""
        if self.replay:
            return self.session.started_at + self.replay.position.time_s
        return self._clock()

    def block(self, position: tuple[int, int, int]) -> BlockView:
        """One block: its state, and the liquid in it. The placeholder if it has not arrived."""
        self._assert_owner()
        return self.session.dimension.store.block(BlockPos(*position))

    @overload
    def light(self, where: tuple[int, int, int]) -> LightView: ...

    @overload
    def light(self, where: Box | tuple[int, int, int, int, int, int]) -> BoxLight: ...

    def light(self, where: Box | tuple[int, ...]) -> LightView | BoxLight:
        """The light in one block ``(X, Y, Z)``, or in a box as arrays ``[x, z, y]``, as computed by the last wait.

        Raises:
            UsageError: the box is invalid, not inside the world, or too large.

        Example:
            >>> world.light((0, 90, 0))
            LightView(red=0, green=0, blue=0, daylight=15, lit=True)
            >>> light = world.light((0, 0, 0, 32, 80, 32))
            >>> light.daylight.shape, light.daylight.dtype.name, light.lit.dtype.name
            ((32, 32, 80), 'uint8', 'bool')
        """
        self._assert_owner()
        store, light = self.session.dimension.store, self.session.dimension.light
        if not isinstance(where, Box) and np.size(where) == 3:
            block = BlockPos(*where)
            place = store.place_of(block.subchunk)
            lit = block.column in store.row_of and light.final_at(store, place)
            value = light.at(place, block.in_subchunk)
            return LightView(value & 15, value >> 4 & 15, value >> 8 & 15, value >> 12, lit)
        found = cell_arrays(store, light, self._box(where), ("light", "lit"))
        red, green, blue, daylight = ((found["light"] >> shift & 15).astype(np.uint8) for shift in (0, 4, 8, 12))
        return BoxLight(red, green, blue, daylight, found["lit"].view(np.bool_))

    def states(self) -> dict[str, int]:
        """The number of sub-chunks in each state, by its name, in all announced columns."""
        self._assert_owner()
        return states_of(self.session.dimension.store)

    # ------------------------------------------------------------ boxes as arrays

    def blocks(self, box: Box | Sequence[int], layer: int = 0) -> BlockIds:
        """The blocks of a box: uint16 ids, axes **x, z, y**: ``[i, j, k]`` is the block ``(X0 + i, Y0 + k, Z0 + j)``.

        Ids are those of ``block_names`` and ``block_states``, the same in all arrays of one world; ``ids_in``
        translates them into those of another world. Unknown blocks are ``unknown_id``, never air.

        Args:
            box: ``(X0, Y0, Z0, X1, Y1, Z1)`` in blocks; the second corner does not belong to it.
            layer: 1 for the second layer (water in blocks, air in most).

        Raises:
            UsageError: the box is invalid, not inside the world, or too large; or there is no such layer.

        Example:
            >>> ids = world.blocks((0, 0, 0, 32, 80, 32))
            >>> ids.shape, ids.dtype.name
            ((32, 32, 80), 'uint16')
            >>> world.block_names[ids[5, 7, 60]].item() == world.block((5, 60, 7)).name
            True
            >>> np.isin(ids, world.ids("diamond_ore", "deepslate_diamond_ore")).sum().item()
            140
        """
        self._assert_owner()
        _expect_layer(layer)
        store, light = self.session.dimension.store, self.session.dimension.light
        arrays = cell_arrays(store, light, self._box(box), LAYERS[: layer + 1])
        if layer:  # the store has air as second layer of unknown places
            np.copyto(arrays[LAYERS[1]], self.unknown_id, where=arrays[LAYERS[0]] == self.unknown_id)
        return arrays[LAYERS[layer]]

    def biomes(self, box: Box | Sequence[int]) -> npt.NDArray[np.uint16]:
        """The biomes of a box: uint16 numbers, axes x, z, y as ``blocks``; 65535 where it is unknown.

        Raises:
            UsageError: as ``blocks``.

        Example:
            >>> numbers = world.biomes((0, 60, 0, 2, 61, 2))
            >>> world.biome_name(numbers[0, 0, 0])
            'plains'
        """
        self._assert_owner()
        store, light = self.session.dimension.store, self.session.dimension.light
        return cell_arrays(store, light, self._box(box), ("biomes",))["biomes"]

    def biome_name(self, number: int) -> str | None:
        """The name of a biome, or None if it is unknown."""
        return name_of(int(number), self.session.environment.biome_names)

    def find(
        self, name: str, box: Box | Sequence[int] | None = None, most: int = MOST_FOUND, layer: int = 0
    ) -> npt.NDArray[np.int32]:
        """The positions of a block: int32[n, 3] of x, y, z, ordered by x, then z, then y. Unknown blocks are left out.

        Args:
            name: ``NAME`` or ``NAME[PROPERTY=VALUE,...]``; ``minecraft:`` may be left out.
            box: searches only there; everywhere unless given.
            most: more positions than this are an error, to limit the memory.
            layer: 1 for the second layer.

        Raises:
            UsageError: there is no such block or box, or there are more than ``most``.

        Example:
            >>> ore = world.find("diamond_ore", (0, 0, 0, 32, 80, 32))
            >>> len(ore), ore[0].tolist()
            (101, [7, 0, 2])
            >>> len(world.find("stone[stone_type=granite]", (0, 0, 0, 16, 64, 16)))
            27
        """
        self._assert_owner()
        _expect_layer(layer)
        checked = None if box is None else self._box(box)
        found = find_blocks(self.session.dimension.store, self.ids(name), checked, layer, most)
        if found is None:
            raise UsageError(f"More than {most} blocks are '{name}': give a box, or a higher number as most.")
        return found

    def ids(self, *names: str) -> BlockIds:
        """All ids of some blocks: uint16[n]. Names are written as in ``find``, with or without properties.

        Raises:
            UsageError: there is no such block, or it has no such state.

        Example:
            >>> len(world.ids("log")), [str(world.block_states[each]) for each in world.ids("log[old_log_type=oak]")][0]
            (12, 'minecraft:log[old_log_type=oak,pillar_axis=y]')
        """
        table = self.session.dimension.store.table
        return np.concatenate([table.ids_named(name) for name in names]) if names else np.empty(0, np.uint16)

    @property
    def block_names(self) -> npt.NDArray[np.str_]:
        """The name of each id: ``world.block_names[world.blocks(box)]``. It grows when a server sends unknown ids."""
        return self.session.dimension.store.table.names

    @property
    def block_states(self) -> Sequence[BlockState]:
        """The block state of each id: its ``name``, and its ``states`` as pairs of property and value."""
        return self.session.dimension.store.table.states

    @property
    def unknown_id(self) -> int:
        """The id of unknown blocks in ``blocks``: not requested, refused, undecodable or evicted."""
        return self.session.dimension.store.table.placeholder

    def ids_in(self, other: "Connection") -> BlockIds:
        """For each id of this world, the id of the same block state in another: uint16[65536]; 65535 if it has none.

        The same block can have different ids in two worlds, so translate ids before you compare them.

        Example:
            >>> box = (0, -64, 0, 32, -60, 32)
            >>> with chunkscope.connect("embedded:flat", radius=1) as other:
            ...     settled = other.request(box)
            ...     same = world.ids_in(other)[world.blocks(box)] == other.blocks(box)
            >>> same.all(axis=(0, 1)).tolist()  # layers from below; axes x, z, y
            [True, False, False, False]
        """
        return self.session.dimension.store.table.ids_in(other.session.dimension.store.table)

    # ------------------------------------------------------------ actions of the player

    def look(self, view: View) -> None:
        """Moves the camera. The player follows as fast as the game allows; in a recording it does not."""
        self._assert_owner()
        if self.replay:
            self.replay.watch(view)
            return
        if self._live.session_recorder:
            self._live.session_recorder.looked(view)
        self._session.set_view(view)

    def command(self, text: str) -> None:
        """Sends a chat message or a command to the server, for example ``/dimension nether 10 70 10``.

        Raises:
            UsageError: this is a recording.
        """
        self._assert_owner()
        if self.replay:
            raise UsageError(f"{text!r} cannot be sent: a recording has no server.")
        self._session.commands.give(text)

    def break_block(self, position: tuple[int, int, int]) -> None:
        """Breaks a block, if the server allows it; then ``block`` shows the change as soon as the server sends it.

        Raises:
            UsageError: this is a recording.
        """
        self._builder().break_block(BlockPos(*position))

    def build(self, against: tuple[int, int, int], name: str, face: int = 1) -> None:
        """Places a block at a face of another, if the server allows it: 0 down, 1 up, 2 -z, 3 +z, 4 -x, 5 +x.

        ``name``: written as in ``find``; if it has several states, the first one is placed.

        Raises:
            UsageError: this is a recording, or no block has that name.
        """
        self._builder().build(BlockPos(*against), face, int(self.ids(name)[0]))

    def _builder(self) -> Session:
        self._assert_owner()
        if self.replay:
            raise UsageError("Nothing can be built in a recording.")
        return self._session

    @property
    def pins(self) -> dict[str, AnchorClaim]:
        """The pinned places, by name."""
        return {name: pin for name, pin in self.session.anchors.pins.items() if name != PLAYER_ANCHOR}

    def pin(self, name: str, look_out: PinnedAnchor) -> None:
        """Keeps a place loaded until ``unpin``, wherever the player goes. A pinned place of that name is moved there.

        Raises:
            UsageError: the name is invalid, too many places are pinned, or this is a recording.
        """
        self._assert_owner()
        if self.replay or name == PLAYER_ANCHOR:
            reason = "a recording sends no requests" if self.replay else "that name belongs to the player's own anchor"
            raise UsageError(f"{name!r} cannot be pinned: {reason}.")
        expect_name(name, name in self.pins, len(self.pins))
        self.session.pin(name, look_out.anchor, eye_of(look_out, self.session.dimension.store))

    def unpin(self, name: str) -> None:
        """Releases a pinned place.

        Raises:
            UsageError: nothing of that name is pinned, or this is a recording.
        """
        self._assert_owner()
        if self.replay:
            raise UsageError(f"{name!r} cannot be released: the anchors of a recording do not change.")
        if name not in self.pins:
            there = ", ".join(sorted(self.pins)) or "nothing"
            raise UsageError(f"No anchor {name!r} is pinned; pinned: {there}.")
        self.session.unpin(name)

    def record(self, path: Path) -> None:
        """Writes the session to a recording until it is closed, on another thread.

        A recording begins with its session: call it before the first ``pump``, or give ``Options.record``.

        Raises:
            UsageError: the session has begun, or is recorded or replayed already.
            OSError: the file cannot be written.
        """
        self._assert_owner()
        if self.replay or self._live.session_recorder or self._pumped:
            already = "is already being recorded" if self._live.session_recorder else "has already started"
            already = "is a recording" if self.replay else already
            raise UsageError(f"{self.source} {already}; a recording must start with the session.")
        header = header_of(str(self.source), self.session, self._transport.codec)
        self._live.session_recorder = SessionRecorder(
            self.session, Recorder(path, header, self._transport.codec.encode)
        )

    def remember(self, options: PastOptions) -> None:
        """Keeps the session's last minutes in memory, for ``past``; call it before the first ``pump``.

        Raises:
            UsageError: the session has begun, or is a recording.
        """
        self._assert_owner()
        if self.replay or self.past or self._pumped:
            raise UsageError(
                f"{self.source} has already started, or is a recording; rewinding must be enabled when the "
                "session starts."
            )
        self.past = SessionHistory(self.session, str(self.source), self._transport.codec, options)
        self._live.session_recorder = SessionRecorder(self.session, self.recorder, self.past.buffer)

    @property
    def recorder(self) -> Recorder | None:
        """The writer of the recording, or None: its ``failure`` and ``written_bytes``."""
        return self._live.session_recorder.recorder if self._live.session_recorder else None

    @property
    def protocol(self) -> int:
        """The protocol number of the session."""
        return self._transport.codec.protocol

    def peer_stats(self) -> PeerStats:
        """The counts of the transport alone."""
        return self._transport.stats()

    def statistics(self) -> Statistics:
        """All counts at this moment."""
        self._assert_owner()
        now, peer = self._clock(), self._transport.stats()
        session = self.session.stats(self.now)  # of a recording, the steps of its join at that moment
        told = (*((self.remark,) if self.remark else ()), *(self._server.lost if self._server else ()))
        if told:
            session = replace(session, warnings=(*told, *session.warnings))
        return Statistics(
            source=str(self.source),
            seconds=round(now - self._started, 3),
            settled=self.unsettled(now) is None,
            session=session,
            peer=peer,
            light_columns=self._keeper.pending,
            light=self.session.dimension.light.stats(),
            pools=self.session.dimension.store.pools.stats(),
            memory=memory(self.session, peer, self._live.pending, self.past.buffer.size_bytes if self.past else None),
        )

    # ------------------------------------------------------------ end

    def rest(self) -> None:
        """Waits a moment for packets."""
        self._rest(IDLE_S)

    def adopt(self) -> None:
        """Makes the calling thread the owner. Another thread must not use the connection any more."""
        self._owner = threading.get_ident()

    def leave(self) -> None:
        """Leaves the server. Nothing arrives any more, but everything can still be read until ``close``.

        The process of an embedded world begins to end. A recording has no server to leave.
        """
        self._assert_owner()
        if self._left or self._recorded:
            return
        self._left = True
        if self._live.session_recorder:
            self._live.session_recorder.close(self._clock())
        self._transport.close("the client left")
        if self._server:
            self._server.dismiss()

    def close(self) -> None:
        """Leaves the server and frees everything."""
        if self._closed:
            return
        self.leave()
        self._closed = True
        if self._recorded:
            self._transport.close("the client left")
        if self._server:
            self._server.close()

    def _place_camera(self) -> None:
        """The options' view replaces the server's, once the server has given one."""
        early = self.session.spawn.phase is SpawnPhase.JOINING
        chosen = self.options.still is not None or (self._recorded and self.options.at)
        if self._placed or (early and not chosen):
            return
        self._placed = True
        view, options = self.session.movement.view, self.options
        if self.replay and not (options.at or options.look_deg):
            return  # the camera stays as recorded
        yaw_deg, pitch_deg = options.look_deg or (view.yaw_deg, view.pitch_deg)
        self.look(View(options.at or view.eye, yaw_deg, pitch_deg, view.fov_deg))
        for number, look_out in enumerate(options.pins, 1):
            self.pin(f"--pin {number}", look_out)

    def _raise_if_over(self, session: Session) -> None:
        reason = session.spawn.closed_reason
        if reason is None:
            return
        failure = self._server.failure_of(reason) if self._server else None
        raise SourceError(failure or source_sentence(self.source, reason))

    def _assert_owner(self) -> None:
        if threading.get_ident() != self._owner:
            raise AssertionError("a connection belongs to the thread that made or adopted it")
