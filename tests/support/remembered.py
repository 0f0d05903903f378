"""A live session in virtual time that remembers its last minutes, for tests of looking back."""

from client.connection.connection import Connection
from client.options import Options, PastOptions
from client.player import Eye, View
from client.session.spawn import SpawnPhase
from client.source import Embedded
from tests.support.virtual_session import FRAME_S, VirtualSession, VirtualTransport


def remembering(
    virtual: VirtualSession, past: PastOptions | None = None, options: Options | None = None, frame_s: float = FRAME_S
) -> Connection:
    """A joined connection with a past, whose turns take so long."""
    connection = Connection(
        Embedded(),
        options or Options(radius=2, light=False),
        virtual.session,
        VirtualTransport(virtual.link, frame_s),
        clock=lambda: virtual.link.now,
        rest=lambda _seconds: None,
    )
    connection.remember(past or PastOptions())
    while virtual.session.spawn.phase is not SpawnPhase.PLAYING:
        connection.pump()
    return connection


def fly(connection: Connection, frames: int, blocks: float = 4.0) -> None:
    """So many frames, each so many blocks on."""
    for _ in range(frames):
        view = connection.session.movement.view
        connection.look(View(Eye(view.eye.x + blocks, view.eye.y, view.eye.z), 90.0, 10.0))
        connection.pump()


def arrive(connection: Connection) -> None:
    """Pumps until the way back is made."""
    for _ in range(10_000):
        connection.pump(budget_s=0.01)
        if connection.replay is None or connection.replay.on_the_way is None:
            break
    connection.pump()
