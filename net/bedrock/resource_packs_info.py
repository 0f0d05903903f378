"""ResourcePacksInfo: the packs a server has (wire.md 2.9). A viewer needs only its arrival."""

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import BOOL, STRING, U16LE, U64LE, UUID, UV32, Field, Record, listed

NO_TEMPLATE = "00000000-0000-0000-0000-000000000000"


@frozen
class PackInfo:
    """One pack on offer.

    Attributes:
        uuid: of the pack; any text before protocol 766.
        version: for example ``1.0.0``.
        size_bytes: of its archive.
        content_key: decrypts it, mostly empty.
        sub_pack: chosen variant, mostly empty.
        content_identity: of the vendor's shop, mostly empty.
        scripts: whether it holds scripts.
        rtx: whether it needs ray tracing; texture packs only.
        addon: whether it is an add-on; from protocol 712.
        url: where else it can be had; from protocol 748.
    """

    uuid: str
    version: str
    size_bytes: int
    content_key: str = ""
    sub_pack: str = ""
    content_identity: str = ""
    scripts: bool = False
    rtx: bool = False
    addon: bool = False
    url: str = ""


@frozen
class PackLink:
    """Where else a pack can be had; protocols 618 to 747.

    Attributes:
        pack: ``uuid_version``.
        url: of its archive.
    """

    pack: str
    url: str


@frozen
class ResourcePacksInfo:
    """Sent after the login; answered with ResourcePackClientResponse.

    Attributes:
        must_accept: whether a client without the packs is refused.
        scripts: whether any of them holds scripts.
        force_server_packs: whether they override the client's; before protocol 729.
        behaviour_packs: those that change rules; before protocol 729.
        texture_packs: those that change looks.
        addons: whether any is an add-on; from protocol 662.
        plain_visuals: whether the client must not make it prettier; from protocol 818.
        template_id: of the world's template; from protocol 766, and its version too.
        template_version: of the template.
        links: protocols 618 to 747.
    """

    must_accept: bool = False
    scripts: bool = False
    force_server_packs: bool = False
    behaviour_packs: tuple[PackInfo, ...] = ()
    texture_packs: tuple[PackInfo, ...] = ()
    addons: bool = False
    plain_visuals: bool = False
    template_id: str = NO_TEMPLATE
    template_version: str = ""
    links: tuple[PackLink, ...] = ()


BEHAVIOUR_PACK = (
    Field("uuid", STRING, until=766),
    Field("uuid", UUID, since=766),
    Field("version", STRING),
    Field("size_bytes", U64LE),
    Field("content_key", STRING),
    Field("sub_pack", STRING),
    Field("content_identity", STRING),
    Field("scripts", BOOL),
    Field("addon", BOOL, since=712),
)
TEXTURE_PACK = (*BEHAVIOUR_PACK, Field("rtx", BOOL), Field("url", STRING, since=748))
BEHAVIOUR_PACKS = listed(Record(PackInfo, BEHAVIOUR_PACK).kind, U16LE)
TEXTURE_PACKS = listed(Record(PackInfo, TEXTURE_PACK).kind, U16LE)
MANY_TEXTURE_PACKS = listed(Record(PackInfo, TEXTURE_PACK).kind, UV32)
LINKS = listed(Record(PackLink, (Field("pack", STRING), Field("url", STRING))).kind, UV32)

PACKET = Packet(
    6,
    ResourcePacksInfo,
    (
        Field("must_accept", BOOL),
        Field("addons", BOOL, since=662),
        Field("scripts", BOOL),
        Field("plain_visuals", BOOL, since=818),
        Field("force_server_packs", BOOL, until=729),
        Field("behaviour_packs", BEHAVIOUR_PACKS, until=729),
        Field("template_id", UUID, since=766),
        Field("template_version", STRING, since=766),
        Field("texture_packs", TEXTURE_PACKS, until=2168),
        Field("texture_packs", MANY_TEXTURE_PACKS, since=2168),
        Field("links", LINKS, since=618, until=748),
    ),
)
