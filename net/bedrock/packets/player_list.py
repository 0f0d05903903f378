"""PlayerList: the players on the server, near or far; PlayerSkin: a player's skin changes.

A list adds or removes players. Up to protocol 1001 all entries of a packet do the same, from 2168 on each entry says
which.

Skins are images of 16 to 256 KB that this program does not draw. They are read because fields follow them, and written
because real clients show only players that have one. An image beyond ``IMAGE_BYTES`` is a fault of its packet.

Sources: npm minecraft-data 3.117.0, gophertunnel.
"""

from typing import Annotated, Final

import msgspec
from msgspec.structs import replace

from net.bedrock.packets.entity_values import NEW_FORMS
from net.bedrock.packets.packet import Blocks, Message, Passing, Sender, packet
from net.wire.cursor import Reader, Writer, check_limit
from net.wire.fields import (
    BOOL,
    F32LE,
    I32LE,
    STRING,
    U8,
    UUID,
    UV32,
    ZZ64,
    Dialect,
    Kind,
    by_dialect,
    listed,
    record,
    wire,
)

__all__ = [
    "ListedPlayer",
    "PlayerList",
    "PlayerListEntry",
    "PlayerSkin",
    "Skin",
    "SkinAnimation",
    "SkinImage",
    "SkinPiece",
    "SkinTint",
]

IMAGE_BYTES: Final = 4 << 20
"""The largest skins of the games have 256 KB, with animations slightly more."""

# ---------------------------------------------------------------- skins


class SkinImage(msgspec.Struct, frozen=True):
    """An image, four bytes a pixel."""

    width: int = 0
    height: int = 0
    pixels: bytes = b""


def _read_image(reader: Reader) -> SkinImage:
    width, height, size = reader.i32le(), reader.i32le(), reader.uv32()
    check_limit("bytes of a skin's image", size, IMAGE_BYTES)
    return SkinImage(width, height, reader.take(size))


def _write_image(writer: Writer, image: SkinImage) -> None:
    writer.i32le(image.width)
    writer.i32le(image.height)
    writer.byte_string(image.pixels)


IMAGE: Final = Kind(_read_image, _write_image, 9)


def _number_in_text(kind: Kind[int], words: tuple[str, ...] = ()) -> Kind[str]:
    """A number as a word, or in digits if it has none."""

    def read(reader: Reader) -> str:
        number = kind.read(reader)
        return words[number] if 0 <= number < len(words) else str(number)

    def write(writer: Writer, text: str) -> None:
        try:
            number = words.index(text) if text in words else int(text)
        except ValueError:
            raise writer.fault(f"cannot encode {text!r} as a number") from None
        kind.write(writer, number)

    return Kind(read, write, kind.least_bytes)


def _read_colour(reader: Reader) -> str:
    return f"#{reader.i32be() & 0xFFFFFFFF:x}"


def _write_colour(writer: Writer, text: str) -> None:
    try:
        number = int(text.removeprefix("#") or "0", 16) & 0xFFFFFFFF
    except ValueError:
        raise writer.fault(f"cannot encode {text!r} as a colour") from None
    writer.i32be(number - (1 << 32) if number >> 31 else number)


COLOUR: Final = Kind(_read_colour, _write_colour, 4)
COLOURS: Final = 4


def _read_colours(reader: Reader) -> tuple[str, ...]:
    return tuple(_read_colour(reader) for _ in range(COLOURS))


def _write_colours(writer: Writer, colours: tuple[str, ...]) -> None:
    if len(colours) != COLOURS:
        raise writer.fault(f"cannot encode {len(colours)} colours, only {COLOURS}")
    for colour in colours:
        _write_colour(writer, colour)


class SkinAnimation(msgspec.Struct, frozen=True):
    """An animated part of a skin."""

    image: Annotated[SkinImage, IMAGE]  # its frames below each other
    # part: 1 the head, 2 the body, small or large
    kind: Annotated[int, wire(I32LE, until=NEW_FORMS), wire(UV32, since=NEW_FORMS)] = 0
    frames: Annotated[float, F32LE] = 0.0  # number of frames
    # 0 continuous, 1 blinking
    expression: Annotated[int, wire(F32LE, until=NEW_FORMS), wire(UV32, since=NEW_FORMS)] = 0


ANIMATION: Final = record(SkinAnimation)


class SkinPiece(msgspec.Struct, frozen=True):
    """A part of a composed skin."""

    piece_id: Annotated[str, STRING]
    # its name, or its number as text
    kind: Annotated[str, wire(STRING, until=NEW_FORMS), wire(_number_in_text(I32LE), since=NEW_FORMS)]
    pack_id: Annotated[str, wire(STRING, until=NEW_FORMS), wire(UUID, since=NEW_FORMS)]
    is_default: Annotated[bool, BOOL]
    product_id: Annotated[str, STRING]


PIECE: Final = record(SkinPiece)


class SkinTint(msgspec.Struct, frozen=True):
    """Colours of one kind of parts."""

    kind: Annotated[str, STRING]
    # ``#`` and hexadecimal digits
    colours: Annotated[
        tuple[str, ...],
        wire(listed(STRING, I32LE), until=NEW_FORMS),
        wire(Kind(_read_colours, _write_colours, 4 * COLOURS), since=NEW_FORMS),
    ]


TINT: Final = record(SkinTint)
PLAIN_PIXELS: Final = b"\xff" * (64 * 64 * 4)
GEOMETRY: Final = '{"geometry":{"default":"geometry.humanoid.custom"}}'
ARMS: Final = ("slim", "wide")


class Skin(msgspec.Struct, frozen=True):
    """A player's skin; the default is plain white."""

    skin_id: Annotated[str, STRING] = "chunkscope.plain"
    play_fab_id: Annotated[str, STRING] = ""
    resource_patch: Annotated[str, STRING] = GEOMETRY
    image: Annotated[SkinImage, IMAGE] = SkinImage(64, 64, PLAIN_PIXELS)
    animations: Annotated[
        tuple[SkinAnimation, ...],
        wire(listed(ANIMATION, I32LE), until=NEW_FORMS),
        wire(listed(ANIMATION, UV32), since=NEW_FORMS),
    ] = ()
    cape: Annotated[SkinImage, IMAGE] = SkinImage()
    geometry: Annotated[str, STRING] = ""  # as JSON
    geometry_version: Annotated[str, STRING] = ""
    animation_data: Annotated[str, STRING] = ""
    cape_id: Annotated[str, STRING] = ""
    full_id: Annotated[str, STRING] = "chunkscope.plain"
    arm_size: Annotated[str, wire(STRING, until=NEW_FORMS), wire(_number_in_text(U8, ARMS), since=NEW_FORMS)] = ARMS[1]
    # ``#`` and hexadecimal digits
    colour: Annotated[str, wire(STRING, until=NEW_FORMS), wire(COLOUR, since=NEW_FORMS)] = "#0"
    pieces: Annotated[
        tuple[SkinPiece, ...], wire(listed(PIECE, I32LE), until=NEW_FORMS), wire(listed(PIECE, UV32), since=NEW_FORMS)
    ] = ()
    tints: Annotated[
        tuple[SkinTint, ...], wire(listed(TINT, I32LE), until=NEW_FORMS), wire(listed(TINT, UV32), since=NEW_FORMS)
    ] = ()
    premium: Annotated[bool, BOOL] = False
    persona: Annotated[bool, BOOL] = False
    cape_on_classic: Annotated[bool, BOOL] = False
    primary_user: Annotated[bool, BOOL] = True
    overrides: Annotated[bool, wire(BOOL, since=567)] = True  # whether it replaces a skin of the server
    trusted: Annotated[str, wire(STRING, since=NEW_FORMS)] = ""
    profile_hash: Annotated[str, wire(STRING, since=NEW_FORMS)] = ""


SKIN: Final = record(Skin)

# ---------------------------------------------------------------- players


class ListedPlayer(msgspec.Struct, frozen=True):
    """A player in the list."""

    unique_id: Annotated[int, ZZ64]  # in this session
    name: Annotated[str, STRING]  # shown name
    xuid: Annotated[str, STRING] = ""  # of its Xbox account
    chat_id: Annotated[str, STRING] = ""  # of its platform
    platform: Annotated[int, I32LE] = 0  # number of its operating system
    skin: Annotated[Skin, SKIN] = Skin()
    teacher: Annotated[bool, BOOL] = False  # in the education edition
    host: Annotated[bool, BOOL] = False  # whether it hosts the server
    sub_client: Annotated[bool, wire(BOOL, since=649)] = False  # whether it shares a screen
    colour: Annotated[int, wire(I32LE, since=800)] = 0  # 0xAARRGGBB as a signed 32-bit number
    verified: bool = True  # whether its skin may be shown; before protocol 2168


class PlayerListEntry(msgspec.Struct, frozen=True):
    """One entry of the list."""

    uuid: str  # of the account
    player: ListedPlayer | None = None  # None: the player left


LISTED: Final = record(ListedPlayer)
OLD_ADD, OLD_REMOVE = 0, 1
REMOVED, ADDED = 0, 1
LEAST_ENTRY: Final = 16


def _entries(dialect: Dialect) -> Kind[tuple[PlayerListEntry, ...]]:
    listed_player = LISTED.of(dialect)

    def read_added(reader: Reader) -> PlayerListEntry:
        return PlayerListEntry(reader.uuid(), listed_player.read(reader))

    def read_removed(reader: Reader) -> PlayerListEntry:
        return PlayerListEntry(reader.uuid())

    def write_one(writer: Writer, one: PlayerListEntry) -> None:
        writer.uuid(one.uuid)
        if one.player is not None:
            listed_player.write(writer, one.player)

    added = listed(Kind(read_added, write_one, LEAST_ENTRY), UV32)
    removed = listed(Kind(read_removed, write_one, LEAST_ENTRY), UV32)

    def read_old(reader: Reader) -> tuple[PlayerListEntry, ...]:
        start, action = reader.offset, reader.u8()
        if action not in (OLD_ADD, OLD_REMOVE):
            raise reader.fault(f"is the unknown action {action}", start)
        if action == OLD_REMOVE:
            return removed.read(reader)
        return tuple(replace(one, player=_verified(one.player, reader.boolean())) for one in added.read(reader))

    def write_old(writer: Writer, entries: tuple[PlayerListEntry, ...]) -> None:
        joined = [one.player for one in entries if one.player is not None]
        if joined and len(joined) < len(entries):
            raise writer.fault(f"cannot both add and remove players in protocol {dialect.protocol}")
        writer.u8(OLD_ADD if joined or not entries else OLD_REMOVE)
        added.write(writer, entries)
        for player in joined:
            writer.boolean(player.verified)

    def read_new(reader: Reader) -> PlayerListEntry:
        kind = reader.uv32()
        if kind not in (REMOVED, ADDED):
            raise reader.fault(f"is of the unknown kind {kind}")
        reader.u8()
        return read_added(reader) if kind == ADDED else read_removed(reader)

    def write_new(writer: Writer, one: PlayerListEntry) -> None:
        writer.uv32(REMOVED if one.player is None else ADDED)
        writer.u8(OLD_REMOVE if one.player is None else OLD_ADD)
        write_one(writer, one)

    if dialect.protocol < NEW_FORMS:
        return Kind(read_old, write_old, 2)
    return listed(Kind(read_new, write_new, LEAST_ENTRY + 2), UV32)


def _verified(player: ListedPlayer | None, verified: bool) -> ListedPlayer | None:
    return None if player is None else replace(player, verified=verified)


ENTRIES: Final = by_dialect(_entries)


@packet(63, Sender.SERVER, blocks=Blocks.NONE)
class PlayerList(Message, frozen=True):
    """Players that joined or left the server."""

    # in order; before protocol 2168 all of them joined, or all left
    entries: Annotated[tuple[PlayerListEntry, ...], ENTRIES]


@packet(93, Sender.EITHER, blocks=Blocks.NONE)
class PlayerSkin(Passing, frozen=True):
    """A player's skin changes; skins are not drawn."""

    uuid: Annotated[str, UUID]  # of the account
    skin: Annotated[Skin, SKIN]  # the new skin
    new_name: Annotated[str, STRING] = ""  # of the new skin
    old_name: Annotated[str, STRING] = ""  # of the previous one
    verified: Annotated[bool, wire(BOOL, until=NEW_FORMS)] = True  # whether it may be shown
