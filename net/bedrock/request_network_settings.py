"""RequestNetworkSettings: the client's first packet from protocol 554 on (wire.md 2.9)."""

from net.bedrock.packet import Packet
from net.bedrock.releases import SETTINGS_FIRST
from net.frozen import frozen
from net.wire.fields import I32BE, Field


@frozen
class RequestNetworkSettings:
    """Answered with NetworkSettings, or with a PlayStatus when the versions do not fit.

    Attributes:
        protocol: the number the client speaks.
    """

    protocol: int


PACKET = Packet(193, RequestNetworkSettings, (Field("protocol", I32BE),), since=SETTINGS_FIRST)
