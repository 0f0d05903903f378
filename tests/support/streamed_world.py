"""Streaming measured in virtual time: our own server, an ideal line with a delay, and the standard path."""

from client.connection.connection import Connection
from client.options import Options
from client.player import Eye, View
from client.session.config import SessionConfig
from client.session.spawn import SpawnPhase
from client.source import Embedded
from net.peer import Event
from net.server.options import ColumnMode, HostOptions
from net.server.worlds import ServerWorld
from net.transport.faulty import Delayed
from net.visibility import PriorityWeights
from render.bench.streaming import StreamMeter
from tests.support.virtual_session import SWIFT, VirtualSession, VirtualTransport

FRAME_S = 0.005


class _FineTransport(VirtualTransport):
    """Frames of 5 ms, so that a tenth of a round trip can be told."""

    def events(self) -> list[Event]:
        self.link.step(self.link.now)
        self.link.now += FRAME_S
        return self.link.events()


class StreamedWorld:
    """One client that has just joined ``world``; ``meter`` measures it, ``view`` is where it spawned."""

    def __init__(
        self,
        world: ServerWorld,
        radius: int,
        mode: str = "limited",
        round_trip_s: float = 0.2,
        everything: bool = False,
        weights: PriorityWeights | None = None,
    ) -> None:
        options = HostOptions(mode=ColumnMode(mode), radius_max=radius + 1, warm_radius=radius + 1)
        virtual = VirtualSession(
            world, options, SessionConfig(radius=radius, player=SWIFT, weights=weights or PriorityWeights())
        )
        self._link = virtual.link
        self.connection = Connection(
            Embedded(),
            Options(radius=radius, light=False),
            virtual.session,
            Delayed(_FineTransport(virtual.link), round_trip_s, self.clock),
            clock=self.clock,
            rest=lambda _seconds: None,
        )
        while self.connection.session.spawn.phase is not SpawnPhase.PLAYING:
            self.connection.pump()
        self.view: View = self.connection.session.movement.view
        self.meter = StreamMeter(self.connection, self.clock, lambda _seconds: None, everything)

    def clock(self) -> float:
        """Virtual seconds."""
        return self._link.now

    def above(self, blocks: float) -> View:
        """A level look from above the spawn."""
        eye = self.view.eye
        return View(Eye(eye.x, eye.y + blocks, eye.z))
