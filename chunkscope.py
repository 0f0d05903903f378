"""chunkscope in Python: join a server, open a saved world or a recording, and read what it sent as NumPy arrays.

A complete example; `world` is a `Connection`:

    >>> import numpy as np
    >>> import chunkscope
    >>> with chunkscope.connect("embedded:hills", radius=2) as world:
    ...     settled = world.wait_settled()
    ...     box = (0, 0, 0, 32, 80, 32)  # X0, Y0, Z0, X1, Y1, Z1; the second corner does not belong to it
    ...     blocks = world.blocks(box)  # ids; axes x, z, y
    ...     ores = np.isin(blocks, world.ids("diamond_ore", "deepslate_diamond_ore"))
    ...     unknown = blocks == world.unknown_id  # hidden blocks are not requested; world.request(box) requests all
    ...     light = world.light((0, 90, 0))
    >>> ores.sum().item(), unknown.sum().item(), light.daylight
    (140, 0, 15)

Importing it loads little; a name is loaded when it is first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from client.connection import connect

if TYPE_CHECKING:
    from client.connection.connection import Connection
    from client.connection.stats import BoxLight, LightView, Settled
    from client.entities.table import EntityRow
    from client.errors import ConnectError, SourceError, UnreadableFile, UsageError
    from client.options import Box, Options, PinnedAnchor
    from client.player import Eye, View
    from client.report.entities import EntityFinding, EntityReport
    from client.report.why import WhyReport
    from client.world.lifecycle import SubChunkState
    from client.world.reports import BlockView
    from net.palette import BlockState
    from render.capture.api import shoot
    from render.capture.channels import Shot
    from render.capture.studio import PictureOptions

__all__ = [
    "BlockState",
    "BlockView",
    "Box",
    "BoxLight",
    "ConnectError",
    "Connection",
    "EntityFinding",
    "EntityReport",
    "EntityRow",
    "Eye",
    "LightView",
    "Options",
    "PictureOptions",
    "PinnedAnchor",
    "Settled",
    "Shot",
    "SourceError",
    "SubChunkState",
    "UnreadableFile",
    "UsageError",
    "View",
    "WhyReport",
    "connect",
    "entities",
    "shoot",
    "why",
]

_HOME: Final = {
    "BlockState": "net.palette",
    "BlockView": "client.world.reports",
    "Box": "client.options",
    "BoxLight": "client.connection.stats",
    "ConnectError": "client.errors",
    "Connection": "client.connection.connection",
    "EntityFinding": "client.report.entities",
    "EntityReport": "client.report.entities",
    "EntityRow": "client.entities.table",
    "Eye": "client.player",
    "LightView": "client.connection.stats",
    "Options": "client.options",
    "PictureOptions": "render.capture.studio",
    "PinnedAnchor": "client.options",
    "Settled": "client.connection.stats",
    "Shot": "render.capture.channels",
    "SourceError": "client.errors",
    "SubChunkState": "client.world.lifecycle",
    "UnreadableFile": "client.errors",
    "UsageError": "client.errors",
    "View": "client.player",
    "WhyReport": "client.report.why",
    "shoot": "render.capture.api",
}
"""The module of each name that is loaded on first use."""


def __getattr__(name: str) -> Any:  # Any: the protocol of module attributes
    """Loads a name of ``_HOME``."""
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'chunkscope' has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, loaded or not."""
    return sorted({*globals(), *__all__})


def why(world: "Connection", position: tuple[int, int, int], timeout_s: float | None = None) -> "WhyReport":
    """Explains the state of a block: one sentence, then all facts and the history of its sub-chunk.

    It requests nothing. It waits until the sub-chunk has arrived, at most ``timeout_s`` (the connection's own timeout
    unless given).

    Raises:
        UsageError: the block lies above or below the world.

    Example:
        >>> report = chunkscope.why(world, (0, 200, 0))
        >>> print(report.sentence)
        Known air: ...
        >>> report.facts.state
        'known_air'
    """
    from client.report.why import why as explain  # noqa: PLC0415 - loads the kernels
    from net.space import BlockPos  # noqa: PLC0415 - as above

    return explain(world, BlockPos(*position), timeout_s)


def entities(world: "Connection", most: int = 256) -> "EntityReport":
    """Lists players, animals and items, and mistakes of the server about them.

    It sends nothing to the server. At most ``most`` entities are listed.

    Example:
        >>> report = chunkscope.entities(world)
        >>> report.findings
        ()
    """
    from client.report.entities import entity_report  # noqa: PLC0415 - loads the session

    return entity_report(world.session, world.now, most)
