"""Makes the recording of ``scenes/stale_columns.toml``: a look-out that the server's circle has left.

``python -m tests.golden.stale_recording FILE.cscope``; virtual time, so the same file every time.
"""

import sys
from pathlib import Path

from client.options import Options, PinnedAnchor
from client.player import Eye, View
from client.session.config import SessionConfig
from tests.support.session.virtual import SWIFT, VirtualSession

RADIUS = 2
AWAY_BLOCKS = 16.0 * 7


def make(path: Path) -> None:
    """Settles at the spawn of the hills, pins it, flies on until the circle has left it, settles there."""
    virtual = VirtualSession("hills:1", config=SessionConfig(radius=RADIUS, player=SWIFT))
    with virtual.connection(Options(radius=RADIUS, light=False, record=path)) as connection:
        connection.wait_settled()
        eye = connection.session.movement.view.eye
        connection.pin("home", PinnedAnchor(eye.x, eye.z, RADIUS, y=eye.y + 30.0))
        connection.wait_settled()
        connection.look(View(Eye(eye.x + AWAY_BLOCKS, eye.y, eye.z)))
        connection.wait_settled()
        for _ in range(50):
            connection.pump()
        assert connection.session.dimension.terrain.staleness.rows.sum() > (2 * RADIUS + 1) ** 2


if __name__ == "__main__":
    make(Path(sys.argv[1]))
