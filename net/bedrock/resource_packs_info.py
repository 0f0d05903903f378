"""ResourcePacksInfo: the packs a server has (wire.md 2.9). A viewer needs only its arrival."""

from dataclasses import dataclass

from net.bedrock.packet import Packet
from net.wire.fields import BOOL, STRING, U16LE, U64LE, Field, Record, listed


@dataclass(frozen=True, slots=True)
class PackInfo:
    """One pack on offer.

    Attributes:
        uuid: of the pack.
        version: for example ``1.0.0``.
        size_bytes: of its archive.
        content_key: decrypts it, mostly empty.
        sub_pack: chosen variant, mostly empty.
        content_identity: of the vendor's shop, mostly empty.
        scripts: whether it holds scripts.
        rtx: whether it needs ray tracing; texture packs only.
    """

    uuid: str
    version: str
    size_bytes: int
    content_key: str = ""
    sub_pack: str = ""
    content_identity: str = ""
    scripts: bool = False
    rtx: bool = False


@dataclass(frozen=True, slots=True)
class ResourcePacksInfo:
    """Sent after the login; answered with ResourcePackClientResponse.

    Attributes:
        must_accept: whether a client without the packs is refused.
        scripts: whether any of them holds scripts.
        force_server_packs: whether they override the client's.
        behaviour_packs: those that change rules.
        texture_packs: those that change looks.
    """

    must_accept: bool = False
    scripts: bool = False
    force_server_packs: bool = False
    behaviour_packs: tuple[PackInfo, ...] = ()
    texture_packs: tuple[PackInfo, ...] = ()


BEHAVIOUR_PACK = (
    Field("uuid", STRING),
    Field("version", STRING),
    Field("size_bytes", U64LE),
    Field("content_key", STRING),
    Field("sub_pack", STRING),
    Field("content_identity", STRING),
    Field("scripts", BOOL),
)
TEXTURE_PACK = (*BEHAVIOUR_PACK, Field("rtx", BOOL))

PACKET = Packet(
    6,
    ResourcePacksInfo,
    (
        Field("must_accept", BOOL),
        Field("scripts", BOOL),
        Field("force_server_packs", BOOL),
        Field("behaviour_packs", listed(Record(PackInfo, BEHAVIOUR_PACK).kind, U16LE)),
        Field("texture_packs", listed(Record(PackInfo, TEXTURE_PACK).kind, U16LE)),
    ),
)
