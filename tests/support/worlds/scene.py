"""Worlds for pictures: a real server and a real session in one process and in virtual time.

Nothing depends on a clock, a thread or randomness: in each run the same sub-chunks come at the same step.
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
from client.streaming.limits import RequestLimits
from net.arrays import Places
from net.bedrock import SubChunk, SubChunkEntry, SubChunkResult
from net.peer import Event, Received
from net.server.host_options import HostOptions
from net.space import SubChunkPos
from net.wire.fields import Profile
from render.capture import PictureOptions, Studio
from render.capture.channels import COLOUR
from render.gpu import Gpu
from render.gpu.targets import Pixels
from render.jobs.workers import SyncRunner
from render.scene.world_view import WorldView
from tests.support.session.virtual import SWIFT, VirtualSession

SIZE_PX = (426, 240)
"""Large enough for a lost light level to be visible, small enough for the repository."""


def show_written_light(attached: WorldView, places: Places) -> None:
    """Ends the rest of a scene and uploads the light of places again, after a test wrote to it."""
    attached._idle_steps = 0
    attached.state.mirror.want_light(attached.state.alive(places, attached.state.residency.lit))


class Shot(msgspec.Struct, frozen=True):
    """A picture's world, view and options."""

    view: View
    picture: PictureOptions
    radius: int = 5  # visibility radius in columns
    world: str = "hills:1"  # name as ``--world`` takes it
    host: HostOptions = msgspec.field(default_factory=HostOptions)
    profile: Profile = Profile.BEDROCK  # wire profile of both ends
    limits: RequestLimits = msgspec.field(default_factory=RequestLimits)

    def at_time(self, ticks: int) -> "Shot":
        """The same picture at another time of day."""
        return replace(self, picture=replace(self.picture, time=ticks))


class SceneWorld(VirtualSession):
    """A session of a shot's world.

    Args:
        shot: the picture.
        missing: sub-chunks that the server refuses.
        most_answers: entries that reach the session; all later ones are lost.
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
        """Joins, moves to the view, and runs until the session has settled or ``most_answers`` have come."""
        assert self.run(lambda: self.session.spawn.phase.value == "playing"), "not joined"
        self.session.set_view(self._view)
        assert self.run(lambda: self.answers == self._most or self.session.unsettled(self.now) is None), "not settled"
        return self

    def receive(self, event: Event, now: float) -> None:
        """Drops or refuses the sub-chunks that shall be missing."""
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
    """Takes pictures of sessions with one studio for each radius and kind of light. A fixture owns and releases it."""

    def __init__(self, gpu: Gpu) -> None:
        self._gpu = gpu
        self._runner = SyncRunner()
        self._studios: dict[tuple[int, bool], Studio] = {}

    def picture(self, session: Session, shot: Shot) -> Pixels:
        """A picture of a session, with new light: a test may change lamps between two pictures of a session."""
        key = (shot.radius, shot.picture.flat_light)
        if key not in self._studios:
            self._studios[key] = Studio(self._gpu, session.dimension.table, self._runner, *key)
        session.set_view(shot.view)
        light = LightMap(session.dimension.store, 1 << 14)
        return self._studios[key].shoot(session, shot.picture.seen(shot.view), (COLOUR,), shot.picture, light).colour

    def of(self, shot: Shot) -> Pixels:
        """A picture of the shot's settled world."""
        return self.picture(SceneWorld(shot).load().session, shot)

    def release(self) -> None:
        """Releases all studios."""
        for studio in self._studios.values():
            studio.release()


@contextmanager
def one_level_lower(session: Session, name: str) -> Iterator[None]:
    """Within this context all lamps of a name shine one level less in each channel."""
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
