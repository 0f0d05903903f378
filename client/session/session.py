"""One session with one server: a deterministic machine.

In: events of a peer, ticks, views, pinned anchors. Out: changes of the store, and messages to be sent.

Rules:
1. Nothing here reads a clock, starts a thread or does I/O; the same inputs give the same store and the same messages.
2. ``handle`` applies one event; ``tick`` ends a drain (masks, connectivity and revisions of what changed, in one
   batch), moves the player, and asks for more. Call ``tick`` after the events of each frame.
3. Only the server and the transport end a session; then ``closed_reason`` says why.

The rooms: ``dispatch`` hands each message on, ``spawn`` knows where the session stands, ``realm`` holds what is
known and wanted, ``movement`` the player and the camera, ``post`` what is said. This module only calls them in turn.
Light is not made here: ``light`` is the map, reset with the dimension; a ``LightKeeper`` or a scene drives it.
Owned by the thread that made it.

Entropy: Chance for a session: a machine whose replay must be what it was, so its chance comes from what is recorded.
"""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256

import numpy as np
import numpy.typing as npt

from client.light.light_map import LightMap
from client.player import Eye, View
from client.session.chat import Chat, Commands
from client.session.config import SessionConfig
from client.session.dimension_state import Realm
from client.session.dispatch import Reception
from client.session.event_log import EventLog
from client.session.movement import Motion
from client.session.outbox import Post
from client.session.publisher_area import Publisher, Unsent
from client.session.request_log import Trail, trail_of
from client.session.requests import PLAYER_ANCHOR, Retraced
from client.session.spawn import Entering, Phase
from client.session.stats import SessionStats, Waiting, states_of, warnings_of
from client.session.weather import Weather
from client.streaming.anchors import Anchor, Anchors
from client.streaming.ledger import Ledger
from client.world.block_table import BlockTable
from client.world.store import Store
from net.bedrock import Message
from net.palette import Palette
from net.peer import Event
from net.space.layout import ColumnPositions, Places
from net.space.positions import ColumnPos

# ---------------------------------------------------------------- entropy


def entropy_of(started_at: float) -> Callable[[int], bytes]:
    """Gives up to 32 bytes that differ between clients, and not between a session and its replay.

    Args:
        started_at: when the session was made, monotonic seconds; a recording holds it.
    """
    return lambda size: sha256(repr(started_at).encode()).digest()[:size]


# ---------------------------------------------------------------- session


class Session:
    """What the server says, applied; what we want of it, said.

    Attributes:
        config: as it was made with.
        started_at: when it was made, monotonic seconds.
    """

    def __init__(self, config: SessionConfig, palette: Palette, now: float) -> None:
        """A session that has not joined yet.

        Args:
            config: frozen.
            palette: block states of the protocol spoken; custom blocks of StartGame are added.
            now: monotonic seconds.
        """
        self.config = config
        self.started_at = now
        self._now = now
        self._post = Post()
        self._ledger = Ledger(config.limits, entropy=entropy_of(now))
        self._motion = Motion(config.player, config.tick_s, now)
        self._entering = Entering(config, palette, self._post, self._ledger, self._motion, now)
        self._unsent = Unsent()
        self._reception = Reception(self._entering, self._motion, self._post, config)

    # ------------------------------------------------------------ in

    def handle(self, event: Event, now: float) -> None:
        """Applies one event of the peer."""
        self._now = now
        self._reception.hear(event, now)

    def look(self, view: View) -> None:
        """The camera is there; the player follows it."""
        self._motion.look(view)

    def watch(self, view: View) -> None:
        """The camera is there, and the player stays where it is."""
        self._motion.watch(view)

    def pin(self, name: str, anchor: Anchor, eye: Eye | None = None) -> None:
        """Keeps columns until ``unpin``, wants what ``eye`` sees of them, or all; ValueError as ``Anchors.pin``."""
        self.anchors.pin(name, anchor, eye)
        self.realm.requests.invalidate()

    def unpin(self, name: str) -> None:
        """Ends ``pin``."""
        self.anchors.release(name)
        self.realm.requests.invalidate()

    def tick(self, now: float, round_trip_s: float = 0.0, under_way: bool = False) -> None:
        """Ends a drain, moves the player, asks for more.

        Args:
            now: monotonic seconds.
            round_trip_s: the peer's estimate, for time-outs of requests.
            under_way: whether something said or answered is known to be on its way (``PeerStats.under_way``).
        """
        self.end_drain()
        self._note_time(now, under_way)
        self.realm.let_go(now)
        if self.phase not in (Phase.SPAWNING, Phase.PLAYING):
            return
        self._post.say(*self._motion.tick(now))
        requests, granted = self.realm.requests, self._reception.granted
        self._post.say(*requests.step(self.player, self.view.forward, granted, now, round_trip_s))

    def end_drain(self) -> None:
        """Shows what was applied: masks, connectivity and revisions, in one batch. A tick begins with it."""
        self.realm.end_drain()

    def retrace(
        self, now: float, round_trip_s: float, under_way: bool, requests: Retraced, sent: Sequence[Message]
    ) -> None:
        """As ``tick`` in a replay, with what was planned and sent then in place of what would be now.

        Args:
            now: as it was then; likewise the next two.
            round_trip_s: of the peer then.
            under_way: whether something was on its way.
            requests: what was wanted and asked.
            sent: all messages that went out in this turn.
        """
        self.end_drain()
        self._note_time(now, under_way)
        self.realm.let_go(now)
        if self.phase in (Phase.SPAWNING, Phase.PLAYING):
            self._motion.tick(now)  # what it would say is among what was said
            self.realm.requests.retrace(self.player, requests, now, round_trip_s)
        self._post.retrace(sent)

    def _note_time(self, now: float, under_way: bool) -> None:
        self._now = now
        if under_way:
            self._ledger.busy(now)

    def take_outgoing(self) -> list[Message]:
        """Messages to be sent, in order; each once."""
        return self._post.take()

    @property
    def phase(self) -> Phase:
        """Where the session stands."""
        return self._entering.phase

    @property
    def closed_reason(self) -> str | None:
        """Why it is over, in one sentence; None while it is not."""
        return self._entering.closed_reason

    @property
    def world_name(self) -> str:
        """As the server calls it; empty before it said."""
        return self._entering.world_name

    # ------------------------------------------------------------ what is known

    @property
    def realm(self) -> Realm:
        """The rooms of what is known and wanted; StartGame may replace it, and so all that it holds."""
        return self._entering.realm

    @property
    def table(self) -> BlockTable:
        """What blocks are."""
        return self.realm.table

    @property
    def store(self) -> Store:
        """What is known."""
        return self.realm.store

    @property
    def light(self) -> LightMap:
        """The map of the store's light."""
        return self.realm.light

    @property
    def events(self) -> EventLog:
        """What happened to blocks, as events and sounds tell."""
        return self.realm.events

    @property
    def publisher(self) -> Publisher | None:
        """The circle whose columns the server keeps up to date; None while it named none."""
        return self.realm.terrain.publisher

    @property
    def stale(self) -> npt.NDArray[np.bool_]:
        """bool[rows] by the store's rows: columns that the server does not keep up to date; not to be written."""
        return self.realm.terrain.stale

    def in_circle(self, column: ColumnPos) -> bool | None:
        """Whether the publisher's circle holds a column, announced or not; None while the server named none."""
        return self.realm.terrain.in_circle(column)

    @property
    def unsent(self) -> ColumnPositions:
        """int32[n, 2] columns that the server left out amid those that it announced (``publisher_area``)."""
        granted, announcements = self._reception.granted, self.realm.terrain.announcements
        return self._unsent.columns(self.store, self.publisher, self.player.column, granted, announcements)

    @property
    def time_of_day(self) -> int:
        """Ticks since sunrise, 0..23999, as the server last said.

        Not counted on between: whether the server's clock runs at all is a game rule, and one told time is one picture.
        """
        return self._reception.time_of_day

    @property
    def world_time(self) -> int:
        """Ticks since the world's first sunrise, as the server last said: whole days are the moon's."""
        return self._reception.world_time

    @property
    def weather(self) -> Weather:
        """How much it rains and thunders, as the server last said."""
        return self._reception.weather

    @property
    def now(self) -> float:
        """When something was last heard or done, monotonic seconds."""
        return self._now

    @property
    def cracks(self) -> npt.NDArray[np.int32]:
        """Blocks that somebody broke when something was last heard or done: ``Store.cracks``."""
        return self.store.cracks(self._now)

    @property
    def biome_names(self) -> Mapping[int, str]:
        """What the server calls biomes that it numbered itself, by number; ``name_of`` knows the usual ones."""
        return self._reception.biomes.named

    @property
    def commands(self) -> Commands:
        """What the server is told in words, and what came of it."""
        return self._reception.commands

    @property
    def chat(self) -> Chat:
        """What is said to the player."""
        return self._reception.chat

    # ------------------------------------------------------------ who looks

    @property
    def player(self) -> Eye:
        """The player's eye, in blocks."""
        return self._motion.player.position

    @property
    def held_at(self) -> Eye | None:
        """Where the server holds the player, or None while it lets it move."""
        return self._motion.player.held_at

    @property
    def view(self) -> View:
        """The camera's last view; the server's at first."""
        return self._motion.view

    @property
    def movement_ticks(self) -> int:
        """Ticks of the player's movement so far."""
        return self._motion.ticks

    @property
    def radius(self) -> int:
        """Visibility radius in columns, as far as the server granted it."""
        return self._reception.granted - 1

    # ------------------------------------------------------------ what is wanted

    @property
    def anchors(self) -> Anchors:
        """What is pinned, the player's own anchor included; changed by ``pin`` alone."""
        return self.realm.requests.anchors

    @property
    def ledger(self) -> Ledger:
        """What is outstanding."""
        return self._ledger

    @property
    def plans(self) -> int:
        """Plans made so far; ``wanted_places`` is the last one's."""
        return self.realm.requests.plans

    @property
    def wanted_places(self) -> Places:
        """Places wanted and not asked, in the plan's order; not to be written."""
        return self.realm.requests.wanted_places

    def trail(self, places: Places) -> Trail:
        """What was asked of places, what was answered and when; a snapshot."""
        return trail_of(
            self.store, self._ledger, self.realm.requests.needs, places, self._now, self.started_at, self.player
        )

    @property
    def first_asked_at(self) -> float | None:
        """When the first request went out, monotonic seconds; None while none did."""
        return self.realm.requests.first_asked_at

    @property
    def evicted(self) -> int:
        """Sub-chunks given back so far because no anchor held them."""
        return self.realm.release.evicted

    def unsettled(self, now: float) -> str | None:
        """What knowledge still waits for, in words; None when nothing is wanted or outstanding (``stats``)."""
        return self._not_playing() or self._waiting().for_all(self._reception.granted, now)

    def unsettled_within(self, columns: Anchor, now: float) -> str | None:
        """As ``unsettled``, for pinned columns alone: these must be announced, and one around them if they come.

        Args:
            columns: what must be known.
            now: monotonic seconds.
        """
        return self._not_playing() or self._waiting().within(columns, now)

    def _not_playing(self) -> str | None:
        return None if self.phase is Phase.PLAYING else "the server has not let the player in yet"

    def _waiting(self) -> Waiting:
        realm = self.realm
        return Waiting(realm.store, self._motion, realm.requests, self._ledger, realm.terrain, self.config.quiet_s)

    # ------------------------------------------------------------ counts

    def states(self) -> dict[str, int]:
        """How many sub-chunks of announced columns are in each state, by its name."""
        return states_of(self.store)

    def stats(self, now: float) -> SessionStats:
        """A frozen snapshot."""
        post, realm = self._post, self.realm
        terrain, ledger = realm.terrain.stats(), self._ledger.stats()
        return SessionStats(
            phase=self.phase.value,
            dimension=realm.store.dimension.number,
            world_name=self._entering.world_name,
            player=self.player,
            held_at=self.held_at,
            time=self.time_of_day,
            radius=self.radius,
            columns=len(realm.store.announced_rows),
            states=self.states(),
            messages=post.heard,
            faulty_packets=post.faulty,
            last_fault=post.last_fault,
            messages_out=post.said,
            terrain=terrain,
            requests=realm.requests.stats(),
            ledger=ledger,
            connectivity=realm.derived,
            pins=sum(name != PLAYER_ANCHOR for name in self.anchors.pins),
            warnings=warnings_of(terrain, ledger, post.faulty, post.last_fault),
        )
