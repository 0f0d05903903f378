"""Resource packs (wire.md 2.9). A viewer needs only the arrival of the first two packets.

ResourcePacksInfo: the server's packs.
ResourcePackStack: the order in which packs apply.
ResourcePackClientResponse: the client's progress. From protocol 2168 the wire's number is one lower, the status is also
sent as a word, and packs are only listed where some are requested.
"""

from enum import IntEnum
from typing import Annotated, Final

import msgspec

from net.bedrock.packets.packet import Message, Sender, packet
from net.wire.cursor import Reader, Writer
from net.wire.fields import (
    BOOL,
    NO_UUID,
    STRING,
    U8,
    U16LE,
    U32LE,
    U64LE,
    UUID,
    UV32,
    Field,
    Kind,
    Record,
    listed,
    record,
    wire,
)

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

    pack: Annotated[str, STRING]  # ``uuid_version``
    url: Annotated[str, STRING]  # of its archive


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
LINKS = listed(record(PackLink), UV32)


@packet(6, Sender.SERVER)
class ResourcePacksInfo(Message, frozen=True):
    """Sent after the login; answered with ResourcePackClientResponse."""

    must_accept: Annotated[bool, BOOL] = False  # whether a client without the packs is refused
    addons: Annotated[bool, wire(BOOL, since=662)] = False  # whether any is an add-on
    scripts: Annotated[bool, BOOL] = False  # whether any of them holds scripts
    plain_visuals: Annotated[bool, wire(BOOL, since=818)] = False  # whether enhanced visuals are forbidden
    force_server_packs: Annotated[bool, wire(BOOL, until=729)] = False  # whether they override the client's
    # packs that change rules
    behaviour_packs: Annotated[tuple[PackInfo, ...], wire(BEHAVIOUR_PACKS, until=729)] = ()
    template_id: Annotated[str, wire(UUID, since=766)] = NO_UUID  # of the world's template
    template_version: Annotated[str, wire(STRING, since=766)] = ""  # of the template
    # packs that change the appearance
    texture_packs: Annotated[
        tuple[PackInfo, ...], wire(TEXTURE_PACKS, until=2168), wire(MANY_TEXTURE_PACKS, since=2168)
    ] = ()
    links: Annotated[tuple[PackLink, ...], wire(LINKS, since=618, until=748)] = ()


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


COUNTED_LOWER: Final = Kind(_read_counted_lower, _write_counted_lower, 2)


@packet(8, Sender.CLIENT)
class ResourcePackClientResponse(Message, frozen=True):
    """Answers ResourcePacksInfo and ResourcePackStack."""

    status: Annotated[int, wire(U8, until=2168), wire(COUNTED_LOWER, since=2168)]  # a PackStatus
    # ``uuid_version`` of the requested packs
    packs: Annotated[
        tuple[str, ...],
        wire(listed(STRING, U16LE), until=2168),
        wire(listed(STRING, UV32), since=2168, when=lambda values: values["status"] == PackStatus.SEND_PACKS),
    ] = ()


class Experiment(msgspec.Struct, frozen=True):
    """One experimental switch."""

    name: Annotated[str, STRING]  # as the game calls it
    enabled: Annotated[bool, BOOL]  # whether it is on


EXPERIMENTS = listed(record(Experiment), U32LE)


class StackedPack(msgspec.Struct, frozen=True):
    """One pack in the stack."""

    uuid: Annotated[str, STRING]  # of the pack
    version: Annotated[str, STRING]  # for example ``1.0.0``
    sub_pack: Annotated[str, STRING] = ""  # chosen variant, mostly empty


STACKED_PACKS = listed(record(StackedPack), UV32)


@packet(7, Sender.SERVER)
class ResourcePackStack(Message, frozen=True):
    """Sent when the client has all packs; answered with ResourcePackClientResponse 4."""

    must_accept: Annotated[bool, BOOL] = False  # whether a client without the packs is refused
    # top first; before protocol 898
    behaviour_packs: Annotated[tuple[StackedPack, ...], wire(STACKED_PACKS, until=898)] = ()
    texture_packs: Annotated[tuple[StackedPack, ...], STACKED_PACKS] = ()  # top first
    game_version: Annotated[str, STRING] = "*"  # of the game that the packs are for, or ``*``
    experiments: Annotated[tuple[Experiment, ...], EXPERIMENTS] = ()  # switches of the world
    experiments_used: Annotated[bool, BOOL] = False  # whether any was ever on
    editor_packs: Annotated[bool, wire(BOOL, since=671)] = False  # whether any is of the editor
