"""The way to a view of another dimension: the same world, joined there.

Rules:
1. A saved world is joined in that dimension, a recording at the first moment that shows it; the world beneath stays
   until the new one's terrain is there, as on every crossing.
2. A server decides itself where its players are: nothing is asked of it, and that is said.
"""

from dataclasses import replace

from client.connect.connection import Connection
from client.connect.errors import UsageError
from client.connect.options import Options
from client.connect.source import Embedded, Source, WorldFile, is_saved_world
from client.player import View
from net.space.dimensions import VANILLA
from render.view_line import ViewLine, dimension_name
from render.viewer.lobby.attempt import again


def source_with(connection: Connection, dimension: int) -> Source:
    """What to join for another dimension of the world that a connection shows.

    Raises:
        UsageError: it has no such one, or nobody but its server takes one there.
    """
    there, here = dimension_name(dimension), connection.session.store.dimension.name
    words = f"That view is of dimension {there}, and you are in {here}"
    if connection.past is None and connection.replay is not None:
        return WorldFile(connection.replay.path)
    source = connection.source
    if is_saved_world(source):
        if dimension not in VANILLA:
            raise UsageError(f"{words}: a saved world has no such one.")
        return source
    if isinstance(source, Embedded):
        raise UsageError(f"{words}: {source} has no other.")
    raise UsageError(f"{words}: {source} alone decides who goes there.")


def options_towards(options: Options, line: ViewLine, now: View) -> Options:
    """How to join for a view, where one joined before with ``options`` and looks as ``now``."""
    view = line.view(now)
    return replace(
        again(options),
        dimension=line.dimension,
        at=view.eye,
        look_deg=(view.yaw_deg, view.pitch_deg),
        start=None,
        still=None,
    )
