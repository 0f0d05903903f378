"""The way into a dimension by joining the same world there: where no server listens, or one was lost.

Rules:
1. A recording is joined at the first moment that shows it, a world that our own server brings in that dimension; the
   world beneath stays until the new one's terrain is there, as on every crossing.
2. Another server decides itself where its players begin: that is said. While it lives it is asked (``following``).
3. Who joins a lost world again comes to the dimension in which it was lost, not to the one it began in.
"""

from dataclasses import replace

from client.connection.connection import Connection
from client.embedded_server import is_served
from client.errors import UsageError
from client.options import Options
from client.player import View
from client.source import Embedded, Source, WorldFile, is_saved_world
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
    if isinstance(source, Embedded) and dimension in VANILLA:
        return source  # its server says so where it is a world of one dimension
    raise UsageError(f"{words}: {source} alone decides who goes there.")


def options_towards(options: Options, dimension: int, line: ViewLine | None, now: View) -> Options:
    """How to join for a view, or a dimension alone, where one joined before with ``options`` and looks as ``now``."""
    view = line.view(now) if line else None
    return replace(
        again(options),
        dimension=dimension,
        at=view.eye if view else None,
        look_deg=(view.yaw_deg, view.pitch_deg) if view else None,
        start=None,
        still=None,
    )


def options_back(connection: Connection) -> Options:
    """How to join a lost world again so that one is where one was, as far as that is ours to say."""
    options = again(connection.options)
    if connection.past is None and connection.replay is not None:
        return options
    served = is_served(connection.source)
    return replace(options, dimension=connection.session.store.dimension.number if served else None)
