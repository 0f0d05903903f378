"""RequestNetworkSettings: the client's first packet from protocol 554 on (wire.md 2.9)."""

from dataclasses import dataclass

from net.bedrock.packet import Packet
from net.bedrock.releases import SETTINGS_FIRST
from net.wire.fields import I32BE, Field


@dataclass(frozen=True, slots=True)
class RequestNetworkSettings:
    """Answered with NetworkSettings, or with a PlayStatus when the versions do not fit.

    Attributes:
        protocol: the number the client speaks.
    """

    protocol: int


PACKET = Packet(193, RequestNetworkSettings, (Field("protocol", I32BE),), since=SETTINGS_FIRST)
