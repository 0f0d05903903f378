"""Worlds for pictures: a real server and a real session in this process, in virtual time, looked at from a view.

Nothing here depends on a clock, a thread or randomness, so that two runs have the same sub-chunks at the same step.
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager

import msgspec
import numpy as np
from msgspec.structs import replace

from client.light.light_map import LightMap
from client.player import View
from client.session.config import SessionConfig
from client.session.session import Session
from client.streaming.timeouts import RequestLimits
from net.bedrock import SubChunk, SubChunkEntry, SubChunkResult
from net.peer import Event, Received
from net.server.options import HostOptions
from net.space import SubChunkPos
from net.wire.fields import Profile
from render.capture import PictureOptions, Studio
from render.gpu import Gpu
from render.gpu.targets import Pixels
from render.jobs.workers import SyncRunner
from tests.support.session.virtual import SWIFT, VirtualSession

SIZE_PX = (426, 240)
"""gl.md 6: large enough to see a lost light level, small enough for a repository."""


class Shot(msgspec.Struct, frozen=True):
    """What a picture is of."""

    view: View  # where from, and which way
    picture: PictureOptions  # how it is drawn
    radius: int = 5  # visibility radius in columns
    world: str = "hills:1"  # as ``--world`` takes it
    host: HostOptions = msgspec.field(default_factory=HostOptions)  # how the server serves
    profile: Profile = Profile.BEDROCK  # of both ends
    limits: RequestLimits = msgspec.field(default_factory=RequestLimits)  # of requests

    def at_time(self, ticks: int) -> "Shot":
        """The same at another time of day."""
        return replace(self, picture=replace(self.picture, time=ticks))


class SceneWorld(VirtualSession):
    """A session of a shot's world.

    Args:
        shot: what is looked at.
        missing: sub-chunks that the server refuses for good, whatever it holds.
        most_answers: entries that reach the session; the rest of their packet and all packets behind are lost.
    """

    def __init__(self, shot: Shot, missing: Collection[SubChunkPos] = (), most_answers: int | None = None) -> None:
        config = SessionConfig(radius=shot.radius, player=SWIFT, limits=shot.limits)
        super().__init__(shot.world, shot.host, config, shot.profile)
        self._view = shot.view
        self._missing = frozenset(missing)
        self._most = most_answers
        self.answers = 0
        self.refused = 0

    def load(self) -> "SceneWorld":
        """Joins, goes to the view, and runs until nothing is missing, or no more answers are let through."""
        assert self.run(lambda: self.session.spawn.phase.value == "playing"), "not joined"
        self.session.set_view(self._view)
        assert self.run(lambda: self.answers == self._most or self.session.unsettled(self.now) is None), "not settled"
        return self

    def receive(self, event: Event, now: float) -> None:
        """See ``VirtualSession``: loses and refuses what is to be missing."""
        if isinstance(event, Received) and isinstance(event.message, SubChunk):
            event = replace(event, message=self._spoilt(event.message))
        super().receive(event, now)

    def _spoilt(self, message: SubChunk) -> SubChunk:
        kept = message.entries if self._most is None else message.entries[: self._most - self.answers]
        self.answers += len(kept)
        entries = tuple(self._refused(entry) if self._is_missing(message, entry) else entry for entry in kept)
        return replace(message, entries=entries)

    def _is_missing(self, message: SubChunk, entry: SubChunkEntry) -> bool:
        x, y, z = message.centre
        return SubChunkPos(x + entry.dx, y + entry.dy, z + entry.dz) in self._missing

    def _refused(self, entry: SubChunkEntry) -> SubChunkEntry:
        self.refused += 1
        return entry._replace(result=SubChunkResult.Y_OUT_OF_BOUNDS, payload=b"", heights=None)


class Darkroom:
    """Pictures of sessions; one studio for each way to draw. Owner: a fixture, which releases it."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._runner = SyncRunner()
        self._studios: dict[tuple[int, bool], Studio] = {}

    def picture(self, session: Session, shot: Shot) -> Pixels:
        """What the session knows, with light of its own: sessions may be pictured several times, with other lamps."""
        key = (shot.radius, shot.picture.flat_light)
        if key not in self._studios:
            self._studios[key] = Studio(self._gpu, session.dimension.table, self._runner, *key)
        session.set_view(shot.view)
        return self._studios[key].picture(session, shot.picture, LightMap(session.dimension.store, 1 << 14))

    def of(self, shot: Shot) -> Pixels:
        """The shot's world, settled."""
        return self.picture(SceneWorld(shot).load().session, shot)

    def release(self) -> None:
        """Frees every studio."""
        for studio in self._studios.values():
            studio.release()


@contextmanager
def one_level_lower(session: Session, name: str) -> Iterator[None]:
    """All lamps of a name shine one level less in each channel; the light made meanwhile is wrong by that."""
    table = session.dimension.table
    lamps = [dense for dense, state in enumerate(table.states) if state.name == name and table.emission[dense]]
    assert lamps, f"{name} does not shine"
    before = table.emission[lamps].copy()
    for shift in (0, 4, 8):
        shines = (table.emission[lamps] >> shift & 15) != 0
        table.emission[lamps] -= (shines.astype(np.uint16) << shift).astype(np.uint16)
    try:
        yield
    finally:
        table.emission[lamps] = before
