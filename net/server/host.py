"""All clients of one socket, sans I/O: datagrams and time go in, datagrams come out.

Rules:
1. ``datagrams`` does everything that is due: ticks (every 50 ms), sessions, timers. The caller runs it after each
   ``receive`` and at ``next_timer``.
2. One call does bounded work: it generates at most ``generated_a_turn`` columns for all clients together, and sends
   each client at most ``columns_a_turn``. If more can be done at once, ``next_timer`` returns 0.
3. While no client is connected and no datagram came for ``QUIET_S``, columns around the spawn are made ahead
   (``warm_radius``), one step a call.
4. An edit reaches a client after the columns and answers that it was sent before, because all are in one ordered
   stream.
5. Edits are written to the saved world's log before any client gets them. A long command changes ``FILLED_A_TICK``
   blocks a tick, so that ticks are not late.
6. ``tick_number`` is the current tick: edits between two calls of ``tick`` belong to it. After each tick the world is
   consistent and may be saved.
"""

import itertools
import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from typing import Final

from net.bedrock import LevelEvent, Message, SetTime, WeatherEvent
from net.nethernet.discovery import HostedWorld
from net.palette import BlockState, UnknownState
from net.peer import PeerListener
from net.raknet import Address
from net.raknet.ping import Pong, pong_text
from net.releases import ProtocolRange, release_of
from net.server.building import BlockReplacement, Refusal
from net.server.chunk_sender import ChangePackets
from net.server.client_session import ClientSession, JoinPhase
from net.server.column_provider import TooManyChanges, warm_up
from net.server.commands import DAY_TICKS, Fill, SetTimeTo, WorldCommand, read_world_command
from net.server.dimensions import ServerDimension, ServerDimensions
from net.server.entities import MOVES_A_TICK, Animals, Bots, ServerEntity, off_list, on_list
from net.server.falling_blocks import FallingBlocks
from net.server.host_options import HostOptions
from net.server.mods import Mods
from net.server.player import WrongCommand, answer
from net.server.save.edit_log import LoggedEdit
from net.server.save.saving import Saving
from net.server.worlds import SavedWorld, ServerWorld
from net.space import BlockPos, coordinates

MOST_PLAYERS = 64
MOST_REPORTED: Final = 100
"""Sentences on lost parts of saved data: a world of another game would have thousands."""


TICK_S = 0.05
TIME_TICKS = (1 << 31) // (8 * DAY_TICKS) * 8 * DAY_TICKS
"""The clock wraps to 0 here, at the same hour and moon phase: packets have 31 bits for it."""
FILLED_A_TICK = 256
"""Blocks; 15 ms (measured: 50 us each)."""
MOST_FILLS = 8
"""Long commands that may wait."""
CONSOLE_LINES = 64
"""Lines of standard input that may wait."""
TIME_EVERY_TICKS = 256
"""Interval at which a running clock is sent."""
LOOKS_A_TICK = 4
"""Clients whose priorities are recalculated in one tick: 2 ms of a tick's 50 at radius 6 (measured)."""
BYTES_A_TURN = 1 << 16
"""Bytes of chunk data after which no further client is served in a turn, so that ticks are not delayed."""
QUIET_S = 0.1
"""Columns are made ahead only this long after the last datagram, so that a joining client is answered first."""


class Host:
    """A server without a socket; see the module.

    ``world``: the world where players start. ``spoken``: protocols of clients, and their profile. ``unix_time``:
    seconds since 1970 at ``now``. ``entropy``: returns a number of unpredictable bytes. ``beside``: the worlds of other
    dimensions that players may go to. Raises UnknownState: the world has a block that the protocol lacks;
    LocalProtocolError: a protocol cannot express the ids here, or the world's height.
    """

    def __init__(
        self,
        world: ServerWorld,
        options: HostOptions,
        spoken: ProtocolRange,
        now: float,
        unix_time: float,
        entropy: Callable[[int], bytes],
        saving: Saving | None = None,
        beside: Sequence[ServerWorld] = (),
        mods: Mods | None = None,
    ) -> None:
        self.dimensions = ServerDimensions((world, *beside), options, spoken, saving)
        self._mods = mods
        self._mod_edits = False  # whether edits are passed to a mod
        if mods is not None:
            for served in self.dimensions:
                served.provider.let_alter(partial(mods.generated, served))
        self.time = options.time % TIME_TICKS  # of day, in ticks
        self._options = options
        self._saving = saving
        self.tick_number = 1 if saving is None else saving.tick + 1  # rule 6
        self._spoken = spoken
        self.sessions: list[ClientSession] = []
        self._listener = PeerListener(
            spoken,
            self._pong(),
            now,
            unix_time,
            entropy,
            most_peers=MOST_PLAYERS,
            level=options.level,
            transports=options.transports,
        )
        self.lost_report: LostReport | None = None  # reports damaged parts of a saved world or a save
        # console commands, appended by any thread, and the function that gets the answer to each
        self.console: deque[str] = deque(maxlen=CONSOLE_LINES)
        self.answer_console: Callable[[str], None] = lambda _sentence: None
        self._fills: deque[tuple[ServerDimension, Iterator[BlockReplacement]]] = deque()
        self._weather = "clear"
        self._animals = Animals(self.dimensions.start, options.animals)
        self._bots = Bots(self.dimensions.start, options.bots)
        self._falling = FallingBlocks(self._try_edit, self._log)
        self._listed: dict[int, ServerEntity] = {}  # players on every client's player list, by id
        self._next_runtime_id = 1
        self._next_tick = now + TICK_S
        self._busy = False
        self._looked = self._pumped = 0
        self._quiet_from = now
        spawn = BlockPos.containing(*self.dimensions.start.world.spawn.feet)
        self._warm = warm_up(self.dimensions.start.provider, spawn.column, options.warm_radius)
        self._warming = options.warm_radius >= 0
        for edit in () if saving is None else saving.unsaved_edits:
            self._redo(edit)

    # ---------------------------------------------------------------- the contract of a transport

    def receive(self, address: Address, datagram: bytes, now: float) -> None:
        self._quiet_from = now + QUIET_S
        self._listener.receive(address, datagram, now)

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        """Does everything that is due and returns the datagrams to send; see rule 1."""
        while (peer := self._listener.accept()) is not None:
            players = None if self._saving is None else self._saving.players
            self.sessions.append(
                ClientSession(peer, self.dimensions, self._options, self._next_runtime_id, now, players)
            )
            self._next_runtime_id += 1
            self._listener.set_pong(self._pong())
        if now >= self._next_tick:
            self.tick(now)
        for session in self.sessions:
            session.receive(self.time, now)
            self._serve_requests(session, now)
            wanted = session.flow.wanted_columns if session.plays else {}
            session.served.provision.want(session.runtime_id, wanted, session.quota.columns)
        self._busy = self.dimensions.work(self._options.generated_a_turn, now)
        if self._saving is not None:
            self._saving.flush()  # rule 5
        packets: ChangePackets = {}
        for session in self.sessions:
            if session.plays:
                session.flow.send_changes(packets)
        self._pump(now)
        for session in self.sessions:
            if session.phase is JoinPhase.GONE:
                session.served.provision.leave(session.runtime_id)
        if any(session.phase is JoinPhase.GONE for session in self.sessions):
            self.sessions = [session for session in self.sessions if session.phase is not JoinPhase.GONE]
            self._listener.set_pong(self._pong())
        if self._warming and not self.sessions and now >= self._quiet_from:
            self._warming = next(self._warm, False)
        if self.lost_report is not None:
            self.lost_report.update(self.dimensions.unknown_states)
        return self._listener.datagrams(now)

    def answer(self, offer: str, host: str, own: tuple[Address, ...], now: float, *, lan: bool = False) -> str:
        """The answer to an offer of NetherNet, by HTTP or by LAN discovery.

        Raises OfferRefused: the offer is refused.
        """
        assert self._listener.nethernet is not None
        self._quiet_from = now + QUIET_S
        return self._listener.nethernet.answer(offer, host, own, now, lan=lan)

    def hosted_world(self) -> HostedWorld:
        """The answer to LAN discovery; HTTP status requests and pings are answered with the same."""
        protocol = self._spoken.highest
        return HostedWorld(
            name=self._options.name,
            protocol=protocol,
            version=release_of(protocol).name,
            level=self.dimensions.start.world.name,
            players=len(self.sessions),
            max_players=MOST_PLAYERS,
            game_type=1,
        )

    def status(self) -> bytes:
        """The answer to an HTTP status request."""
        world = self.hosted_world()
        return json.dumps(
            {
                "name": world.name,
                "protocol": world.protocol,
                "version": world.version,
                "level": world.level,
                "players": world.players,
                "maxPlayers": world.max_players,
                "gameType": world.game_type,
            }
        ).encode()

    def next_timer(self) -> float | None:
        """When ``datagrams`` must be called again at the latest."""
        if self._busy:
            return 0.0
        timers = [session.delayed_until for session in self.sessions if session.delayed_until is not None]
        if self.sessions or self._saving is not None:
            timers.append(self._next_tick)
        if self._warming and not self.sessions:
            timers.append(self._quiet_from)
        listener = self._listener.next_timer()
        if listener is not None:
            timers.append(listener)
        return min(timers, default=None)

    def tick(self, now: float) -> None:
        """Runs one tick; missed ticks are not made up for."""
        self._next_tick = max(self._next_tick + TICK_S, now)
        self._think(now)
        for session in self.sessions:
            session.refill(now)
            for position in session.apply_faults(now):
                self._toggle(session.served, position)
        while self.console:
            start = self.dimensions.start
            _, sentence = self._run_command(self.console.popleft(), start, start.world.spawn.feet, builder=0)
            self.answer_console(sentence)
        self._fill()
        self._falling.tick()
        self._show_entities()
        for served in self.dimensions:
            if served is not self.dimensions.start:
                served.rest(len(self._in(served)), now)
        if self._options.time_runs:
            self.time = (self.time + 1) % TIME_TICKS
            if self.tick_number % TIME_EVERY_TICKS == 0:
                self.set_time(self.time)
        snapped = self._saving is not None and self._saving.after_tick(self.tick_number, self.time, now)
        self.tick_number += 1
        if snapped:
            self._falling.promise_all()

    # ---------------------------------------------------------------- what an operator may do

    def set_block(
        self, position: BlockPos, state: BlockState, layer: int = 0, dimension: int | None = None, builder: int = 0
    ) -> None:
        """Changes a block and sends the change to every client that has its column.

        ``state``: the new block. ``layer``: 0 or 1. ``dimension``: its number, None for the one where players start.
        ``builder``: entity that makes the change, 0 for none.
        Raises UnknownState: the highest supported protocol lacks the block; ValueError: the position is outside the
        dimension, the dimension is not served, or the layer is neither 0 nor 1; TooManyChanges: too many columns are
        changed and not saved (this is also reported through ``saving``).
        """
        served = self.dimensions.of(dimension)
        try:
            served.set_block(position, layer, state, self.tick_number)
        except TooManyChanges as error:
            if self._saving is not None:
                self._saving.refused(str(error))
            raise
        if self._saving is not None:
            self._saving.terrain.count_change()
            self._saving.log(LoggedEdit(self.tick_number, served.dimension.number, position, layer, state))
        if layer == 0:
            self._falling.edited(served, position)
        for session in self._in(served):
            session.flow.updates.record(position, layer, builder, session.flow.tracking)
        if self._mods is not None and not self._mod_edits:
            self._mod_edits = True
            for wanted in self._mods.edited(served, BlockReplacement(position, layer, state)):
                self._try_edit(served, wanted)
            self._mod_edits = False

    def set_time(self, time: int) -> None:
        self.time = time % TIME_TICKS
        for session in self.sessions:
            session.send(SetTime(self.time))

    def close(self, reason: str, now: float) -> None:
        """Disconnects all clients; the packets leave with the next ``datagrams``. Stops making columns ahead."""
        self._warming = False
        for session in self.sessions:
            session.close(reason, now)

    def finish(self, now: float) -> None:
        """The last call: waits until the world is saved, or saving fails."""
        self._falling.land_all()
        if self._saving is not None:
            self._saving.finish(self.tick_number, self.time, now)

    # ---------------------------------------------------------------- inside

    def _log(self, served: ServerDimension, position: BlockPos, state: BlockState) -> None:
        """Logs an edit that is not made; reopening makes it unless the log has a later edit at the position."""
        if self._saving is not None:
            self._saving.log(LoggedEdit(self.tick_number, served.dimension.number, position, 0, state))

    def _redo(self, edit: LoggedEdit) -> None:
        """Repeats an edit of an earlier run from the log."""
        served = self.dimensions.find(edit.dimension)
        assert self._saving is not None
        if served is None or not served.dimension.holds_section(edit.position.y >> 4) or edit.layer not in {0, 1}:
            self._saving.lost.append(f"An edit at {edit.position} is outside the world.")
            return
        try:
            served.provider.set_block(edit.position, edit.layer, served.states.local_id_of(edit.state), edit.tick)
        except TooManyChanges as error:
            self._saving.refused(str(error))
        self._saving.terrain.count_change()

    def _serve_requests(self, session: ClientSession, now: float) -> None:
        """Makes the builds and runs the commands of one client."""
        for wanted in session.builds:
            for edit in session.edits_of(wanted, now):
                if not self._try_edit(session.served, edit._replace(builder=session.runtime_id)):
                    session.building.refuse(edit.position, Refusal.FULL)
        session.builds.clear()
        for request in session.commands:
            done, sentence, feet = False, "That is too soon after the last command.", session.player.at.feet
            if session.quota.commands.take(1, now):
                done, sentence = self._run_command(request.command, session.served, feet, session.runtime_id)
            session.player.reply(answer(request, sentence, done=done), now)
        session.commands.clear()

    def _try_edit(self, served: ServerDimension, edit: BlockReplacement) -> bool:
        """Makes an edit; returns whether it succeeded."""
        try:
            self.set_block(edit.position, edit.state, edit.layer, served.dimension.number, edit.builder)
        except (TooManyChanges, UnknownState):
            return False
        return True

    def _run_command(
        self, text: str, served: ServerDimension, feet: tuple[float, float, float], builder: int
    ) -> tuple[bool, str]:
        """Runs a command; returns whether it succeeded, and a sentence."""
        try:
            return True, self._command(read_world_command(text, feet), served, builder)
        except (WrongCommand, UnknownState) as error:
            reason = str(error)
            return False, reason[:1].upper() + reason[1:] + ("" if reason.endswith(".") else ".")

    def _command(self, command: WorldCommand, served: ServerDimension, builder: int) -> str:
        if isinstance(command, Fill):
            return self._begin_fill(command, served, builder)
        if isinstance(command, SetTimeTo):
            self.set_time(self.time + command.time if command.relative else command.time)
            return f"The time is {self.time % DAY_TICKS}."
        self._weather = command.weather
        for message in weather_of(command.weather):
            for session in self.sessions:
                session.send(message)
        return f"The weather is {command.weather}."

    def _begin_fill(self, fill: Fill, served: ServerDimension, builder: int) -> str:
        if len(self._fills) >= MOST_FILLS:
            raise WrongCommand("Too many commands are under way; wait for them.")
        for corner in (fill.low, fill.high):
            if not served.dimension.holds_section(corner.y >> 4):
                raise WrongCommand(f"Block {coordinates(corner)} is outside the {served.dimension.name}.")
        state = served.forms.home.named(fill.name, fill.values)
        sides = (range(low, high + 1) for low, high in zip(fill.low, fill.high, strict=True))
        cells = itertools.product(*sides)
        self._fills.append((served, (BlockReplacement(BlockPos(x, y, z), 0, state, builder) for x, y, z in cells)))
        become = "1 block becomes" if fill.blocks == 1 else f"{fill.blocks:,} blocks become"
        return f"{become} {state.name.removeprefix('minecraft:')}."

    def _fill(self) -> None:
        """Continues the first of the long commands."""
        left = FILLED_A_TICK
        while self._fills and left:
            served, edits = self._fills[0]
            for edit in itertools.islice(edits, left):
                left -= 1
                if not self._try_edit(served, edit):
                    left = 0
                    break
            else:
                if not left:
                    return
            self._fills.popleft()

    def _show_entities(self) -> None:
        """Sends clients each other's players, animals and falling blocks."""
        playing = [session for session in self.sessions if session.plays]
        if not playing:
            self._listed.clear()
            return
        for edit in self._bots.edits(self.tick_number):
            self._try_edit(self.dimensions.start, edit)
        players = {session.runtime_id: session.entity() for session in playing}
        players |= {bot.entity_id: bot for bot in self._bots.at(self.tick_number)}
        came = [player for number, player in players.items() if number not in self._listed]
        left = [player for number, player in self._listed.items() if number not in players]
        for session in playing if came or left else ():
            listed = came if session.runtime_id in self._listed else players.values()
            others = [player for player in listed if player.entity_id != session.runtime_id]
            for message in [*([on_list(others)] if others else []), *map(off_list, left)]:
                session.send(message)
        if came and self._weather != "clear":
            for session in playing:
                for sky in weather_of(self._weather) if session.runtime_id not in self._listed else ():
                    session.send(sky)
        self._listed = players
        beside = (*self._animals.at(self.tick_number), *self._falling.entities())
        entities = players | {entity.entity_id: entity for entity in beside}
        for session in playing:
            session.show(entities, max(1, MOVES_A_TICK // len(playing)), self.tick_number, self._falling.news)

    def _pump(self, now: float) -> None:
        """Sends clients their data in turn until the turn's bytes are used; the next call goes on from there."""
        left = BYTES_A_TURN
        for _ in range(len(self.sessions)):
            self._pumped %= len(self.sessions)
            session = self.sessions[self._pumped]
            before = session.flow.budget
            self._busy |= session.pump(now)
            left -= before - session.flow.budget
            self._pumped += 1
            if left <= 0:
                self._busy = True
                return

    def _think(self, now: float) -> None:
        """Recalculates the priorities of some clients each tick, in turn."""
        left = LOOKS_A_TICK
        for _ in range(len(self.sessions)):
            self._looked %= len(self.sessions)
            session = self.sessions[self._looked]
            left -= session.plays and session.flow.think(now)
            self._looked += 1
            if not left:
                return

    def _in(self, served: ServerDimension) -> Sequence[ClientSession]:
        return [session for session in self.sessions if session.served is served]

    def _toggle(self, served: ServerDimension, position: BlockPos) -> None:
        if served.dimension.holds_section(position.y >> 4):
            with suppress(TooManyChanges):
                self.set_block(position, served.toggled(position), dimension=served.dimension.number)

    def _pong(self) -> str:
        """The server's description in the answer to a ping."""
        world = self.hosted_world()
        return pong_text(
            Pong(
                motd=world.name,
                protocol=world.protocol,
                version=world.version,
                players=world.players,
                max_players=world.max_players,
                level_name=world.level,
                game_mode="Creative",
            )
        )


def weather_of(weather: str) -> Sequence[Message]:
    rain = WeatherEvent.STOP_RAIN if weather == "clear" else WeatherEvent.START_RAIN
    thunder = WeatherEvent.START_THUNDER if weather == "thunder" else WeatherEvent.STOP_THUNDER
    full = 65535
    return [LevelEvent(rain, (0.0, 0.0, 0.0), full), LevelEvent(thunder, (0.0, 0.0, 0.0), full)]


class LostReport:
    """Reports damaged parts, or parts unknown to the protocol, of saved data when they are found.

    Each sentence is reported once, an unknown block's name once for all its states, and at most ``MOST_REPORTED``.

    ``sources``: each has a growing list of sentences. ``protocol``: the highest supported one. ``report``: gets each.
    """

    def __init__(self, sources: Sequence[SavedWorld | Saving], protocol: int, report: Callable[[str], None]) -> None:
        self._sources = sources
        self._protocol = protocol
        self._report = report
        self._seen = 0  # sentences and states that were looked at
        self._reported: set[str] = set()

    def update(self, unknown: Sequence[BlockState]) -> None:
        """Reports what was found since the last call. ``unknown``: states that the protocol lacks, so far."""
        seen = sum(len(source.lost) for source in self._sources) + len(unknown)
        if seen == self._seen or len(self._reported) > MOST_REPORTED:
            return
        self._seen = seen
        missing = "it is sent as an unknown block"
        names = [f"Protocol {self._protocol} does not have the block {state.name}: {missing}." for state in unknown]
        for sentence in [*itertools.chain(*(source.lost for source in self._sources)), *names]:
            if sentence in self._reported:
                continue
            full = len(self._reported) == MOST_REPORTED
            self._reported.add(sentence)
            self._report("More warnings of this kind are not shown." if full else sentence)
            if full:
                return
