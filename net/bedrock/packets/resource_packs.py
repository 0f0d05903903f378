"""Resource packs (wire.md 2.9). A viewer needs only the arrival of the first two packets.

ResourcePacksInfo: the server's packs.
ResourcePackStack: the order in which packs apply.
ResourcePackClientResponse: the client's progress. From protocol 2168 the wire's number is one lower, the status is also
sent as a word, and packs are only listed where some are requested.
"""

from enum import IntEnum
from typing import Final

import msgspec

from net.bedrock.packets.packet import Message, Sender, packet
from net.wire.cursor import Reader, Writer
from net.wire.fields import BOOL, STRING, U8, U16LE, U32LE, U64LE, UUID, UV32, Field, Kind, Record, Values, listed

__all__ = [
    "Experiment",
    "PackInfo",
    "PackLink",
    "PackStatus",
    "ResourcePackClientResponse",
    "ResourcePackStack",
    "ResourcePacksInfo",
    "StackedPack",
]

NO_TEMPLATE = "00000000-0000-0000-0000-000000000000"


class PackInfo(msgspec.Struct, frozen=True):
    """One offered pack."""

    uuid: str  # of the pack; any text before protocol 766
    version: str  # for example ``1.0.0``
    size_bytes: int  # of its archive
    content_key: str = ""  # decrypts it, mostly empty
    sub_pack: str = ""  # chosen variant, mostly empty
    content_identity: str = ""  # of the vendor's shop, mostly empty
    scripts: bool = False  # whether it holds scripts
    rtx: bool = False  # whether it needs ray tracing; texture packs only
    addon: bool = False  # whether it is an add-on; from protocol 712
    url: str = ""  # other source of the pack; from protocol 748


class PackLink(msgspec.Struct, frozen=True):
    """Another source of a pack; protocols 618 to 747."""

    pack: str  # ``uuid_version``
    url: str  # of its archive


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


@packet(6, Sender.SERVER)
class ResourcePacksInfo(Message, frozen=True):
    """Sent after the login; answered with ResourcePackClientResponse."""

    must_accept: bool = False  # whether a client without the packs is refused
    scripts: bool = False  # whether any of them holds scripts
    force_server_packs: bool = False  # whether they override the client's; before protocol 729
    behaviour_packs: tuple[PackInfo, ...] = ()  # packs that change rules; before protocol 729
    texture_packs: tuple[PackInfo, ...] = ()  # packs that change the appearance
    addons: bool = False  # whether any is an add-on; from protocol 662
    plain_visuals: bool = False  # whether enhanced visuals are forbidden; from protocol 818
    template_id: str = NO_TEMPLATE  # of the world's template; from protocol 766, and its version too
    template_version: str = ""  # of the template
    links: tuple[PackLink, ...] = ()  # protocols 618 to 747

    FIELDS = (
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
    )


class PackStatus(IntEnum):
    """Numbers as before protocol 2168."""

    NONE = 0
    REFUSED = 1
    SEND_PACKS = 2
    ALL_HERE = 3
    COMPLETED = 4


STATUS_WORDS: Final[dict[int, str]] = {
    PackStatus.REFUSED: "cancel",
    PackStatus.SEND_PACKS: "downloading",
    PackStatus.ALL_HERE: "downloadingfinished",
    PackStatus.COMPLETED: "resourcepackstackfinished",
}
"""The last two as a real client sends them, the first two by analogy."""


def _read_counted_lower(reader: Reader) -> int:
    status = reader.uv32() + 1
    reader.string()  # the same as a word
    return status


def _write_counted_lower(writer: Writer, status: int) -> None:
    writer.uv32(status - 1)
    writer.string(STATUS_WORDS.get(status, ""))


def _wants_packs(values: Values) -> bool:
    return bool(values["status"] == PackStatus.SEND_PACKS)


@packet(8, Sender.CLIENT)
class ResourcePackClientResponse(Message, frozen=True):
    """Answers ResourcePacksInfo and ResourcePackStack."""

    status: int  # a PackStatus
    packs: tuple[str, ...] = ()  # ``uuid_version`` of the requested packs

    FIELDS = (
        Field("status", U8, until=2168),
        Field("packs", listed(STRING, U16LE), until=2168),
        Field("status", Kind(_read_counted_lower, _write_counted_lower, 2), since=2168),
        Field("packs", listed(STRING, UV32), since=2168, when=_wants_packs),
    )


class Experiment(msgspec.Struct, frozen=True):
    """One experimental switch."""

    name: str  # as the game calls it
    enabled: bool  # whether it is on


EXPERIMENTS = listed(Record(Experiment, (Field("name", STRING), Field("enabled", BOOL))).kind, U32LE)


class StackedPack(msgspec.Struct, frozen=True):
    """One pack in the stack."""

    uuid: str  # of the pack
    version: str  # for example ``1.0.0``
    sub_pack: str = ""  # chosen variant, mostly empty


STACKED_PACKS = listed(
    Record(StackedPack, (Field("uuid", STRING), Field("version", STRING), Field("sub_pack", STRING))).kind, UV32
)


@packet(7, Sender.SERVER)
class ResourcePackStack(Message, frozen=True):
    """Sent when the client has all packs; answered with ResourcePackClientResponse 4."""

    must_accept: bool = False  # whether a client without the packs is refused
    behaviour_packs: tuple[StackedPack, ...] = ()  # top first; before protocol 898
    texture_packs: tuple[StackedPack, ...] = ()  # top first
    game_version: str = "*"  # of the game that the packs are for, or ``*``
    experiments: tuple[Experiment, ...] = ()  # switches of the world
    experiments_used: bool = False  # whether any was ever on
    editor_packs: bool = False  # whether any is of the editor; from protocol 671

    FIELDS = (
        Field("must_accept", BOOL),
        Field("behaviour_packs", STACKED_PACKS, until=898),
        Field("texture_packs", STACKED_PACKS),
        Field("game_version", STRING),
        Field("experiments", EXPERIMENTS),
        Field("experiments_used", BOOL),
        Field("editor_packs", BOOL, since=671),
    )
