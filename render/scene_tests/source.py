"""Opens the source of a scene and brings its session to the scene's moment.

Rules:
1. A world of our own server, embedded or saved, is joined in virtual time (``client.connection.virtual_time``), and a
   recording is played. So a scene has the same world data in each run, however busy the machine is.
2. Of another server all sub-chunks within the radius are requested, seen or not: which hidden ones a client asks for on
   its way to a picture depends on the order of arrival, and the digests would differ from run to run.
3. If a scene cannot reach its moment, ``SceneFailed`` says in one sentence what is missing.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec
from msgspec.structs import replace

from client.connection.connection import Connection
from client.connection.opening import open_connection
from client.connection.stats import PendingWork, Settled
from client.connection.virtual_time import VirtualServer, VirtualTransport, open_virtual
from client.embedded_server import is_served
from client.errors import INCOMPLETE, UNREADABLE_FILE, ConnectError
from client.options import Options, PinnedAnchor
from client.player import Eye, View
from client.source import WorldFile
from client.streaming.limits import RequestLimits
from net.space import coordinates
from render.capture.picture import Follow, PictureWatch, watch_again
from render.scene_tests.scene import SceneFile, SceneView

QUIET_S = 0.5
"""How long nothing but held sub-chunks must be missing."""
LISTED_MISSING = 5

GoTo = Callable[[SceneView], View]
"""Goes where a view is, waits until its moment is there, and says what the eye sees from."""


class SceneFailed(Exception):
    """A scene that did not come to its moment: one sentence, with an exit code of ``client.errors``."""

    def __init__(self, words: str, exit_code: int) -> None:
        super().__init__(words)
        self.exit_code = exit_code


@contextmanager
def at_moment(
    scene: SceneFile, server: VirtualServer, follow: Follow | None = None
) -> Iterator[tuple[Connection, GoTo]]:
    """A joined connection, and what brings it to each view. Raises SourceFailed: it cannot be joined."""
    try:
        connection, settle = _open(scene, server, follow)
    except ConnectError as error:
        raise SceneFailed(str(error), error.exit_code) from None

    replay, watched = connection.replay, False

    def go_to(view: SceneView) -> View:
        nonlocal watched
        connection.look(_view(connection, view))
        try:
            settled = settle()
            if replay is not None and follow is not None and not watched:  # what led to the first view
                watched = True
                watch_again(connection, replay, follow)
        except ConnectError as error:
            raise SceneFailed(str(error), error.exit_code) from None
        if replay is not None and replay.lost:  # before what is missing: it is why
            damage = replay.lost[0]
            raise SceneFailed(f"{scene.source} is damaged before this moment: {damage}.", UNREADABLE_FILE)
        if settled is not None and not settled:
            raise SceneFailed(_not_settled(scene, connection, settled), INCOMPLETE)
        return _view(connection, view)

    with connection:
        yield connection, go_to


def _open(
    scene: SceneFile, server: VirtualServer, follow: Follow | None
) -> tuple[Connection, Callable[[], Settled | None]]:
    options = _options(scene)
    if is_served(scene.source):
        edits = [msgspec.to_builtins(edit) for edit in scene.edits]
        connection, transport = open_virtual(server, scene.source, options, edits, scene.tampering)
        waiting = SceneWaits(scene, connection, transport, None if follow is None else PictureWatch(connection, follow))
        return connection, lambda: connection.wait_for(waiting.missing, scene.timeout_s)
    connection = open_connection(scene.source, options)
    if connection.replay is None:
        return connection, lambda: _settle_whole(connection, scene.radius)
    return connection, (lambda: None) if scene.moment is not None else connection.wait_settled


def _settle_whole(connection: Connection, radius: int) -> Settled:
    """Waits until all sub-chunks around the eye have an answer."""
    eye = connection.session.movement.view.eye
    connection.pin("scene", PinnedAnchor(eye.x, eye.z, radius, eye.y, everything=True))
    return connection.wait_settled()


def _options(scene: SceneFile) -> Options:
    limits = RequestLimits() if scene.outstanding is None else RequestLimits(outstanding=scene.outstanding)
    first = scene.views[0]
    return Options(
        at=None if first.at is None else Eye(*first.at),
        look_deg=first.look_deg,
        radius=scene.radius,
        timeout_s=scene.timeout_s,
        dimension=scene.dimension,
        time=scene.time,
        mode=scene.mode,
        protocol="auto" if scene.protocol is None else scene.protocol,
        light=False,  # the picture's own workers make it
        limits=limits,
        still=scene.moment,
        cache=False if not isinstance(scene.source, WorldFile) else None,
    )


def _view(connection: Connection, view: SceneView) -> View:
    own = connection.session.movement.view
    eye = own.eye if view.at is None else Eye(*view.at)
    yaw_deg, pitch_deg = view.look_deg or (own.yaw_deg, own.pitch_deg)
    return replace(
        own, eye=eye, yaw_deg=yaw_deg, pitch_deg=pitch_deg, fov_deg=view.fov_deg, ortho_blocks=view.ortho_blocks
    )


class SceneWaits:
    """What a session in virtual time still waits for, but for what the scene keeps from arriving."""

    def __init__(
        self, scene: SceneFile, connection: Connection, transport: VirtualTransport, watch: PictureWatch | None
    ) -> None:
        self._watch = watch
        self._held = scene.tampering.ignored
        self._connection = connection
        self._transport = transport
        self._quiet_since: float | None = None

    def missing(self, now: float) -> str | None:
        """In words; None where the moment is there."""
        words = self._words(now)
        if self._watch is not None:
            (self._watch.now if words is None else self._watch.turn)()
        return words

    def _words(self, now: float) -> str | None:
        if self._transport.tamperer.over:
            return None
        words = self._connection.unsettled(now)
        if words is None or not self._held or not self._only_held():
            self._quiet_since = None
            return words
        if self._quiet_since is None:
            self._quiet_since = now
        return None if now - self._quiet_since >= QUIET_S else words

    def _only_held(self) -> bool:
        places = [place.at for pending in self._connection.missing() for place in pending.places]
        return bool(places) and all(at in self._held for at in places)


def _not_settled(scene: SceneFile, connection: Connection, settled: Settled) -> str:
    found = settled.missing or connection.missing()
    named = "; ".join(f"{pending.kind}: {_first(pending)}" for pending in found if pending.places)
    at_end = connection.replay is not None
    how = "is not complete at its end" if at_end else f"did not settle within {scene.timeout_s:g} s"
    hint = "set 'at_time' to accept it anyway" if at_end else f"chunkscope health {scene.source} names each problem"
    return f"{scene.source} {how}: {settled.waiting_for}{f' ({named})' if named else ''}; {hint}."


def _first(pending: PendingWork) -> str:
    listed = ", ".join(coordinates(place.at) for place in pending.places[:LISTED_MISSING])
    more = len(pending.places) - LISTED_MISSING
    return f"{listed} and {more} more" if more > 0 else listed
