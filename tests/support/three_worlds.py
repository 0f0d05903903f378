"""A flat world of each of the three dimensions, so that what differs is the dimension alone."""

from net.bedrock.releases import ProtocolRange
from net.server.host import Host
from net.server.options import HostOptions
from net.server.worlds.flat import FlatWorld
from net.space.dimensions import END, NETHER, OVERWORLD
from tests.support.server_talk import UNIX_TIME, entropy


def three_worlds() -> tuple[FlatWorld, ...]:
    """Overworld, Nether and End."""
    return tuple(FlatWorld(dimension=dimension) for dimension in (OVERWORLD, NETHER, END))


def three_dimensions(options: HostOptions | None = None, protocol: int | None = 486) -> Host:
    """A host of them at the time 0, of one protocol or of all."""
    first, *others = three_worlds()
    spoken = ProtocolRange() if protocol is None else ProtocolRange.only(protocol)
    return Host(first, options or HostOptions(), spoken, 0.0, UNIX_TIME, entropy("server"), beside=others)
