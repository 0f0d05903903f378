"""PlayerList: the players on the server, near or far; PlayerSkin: a player's skin changes.

A list adds or removes players. Up to protocol 1001 all entries of a packet do the same, from 2168 on each entry says
which.

Skins are images of 16 to 256 KB that this program does not draw. They are read because fields follow them, and written
because real clients show only players that have one. An image beyond ``IMAGE_BYTES`` is a fault of its packet.

Sources: npm minecraft-data 3.117.0, gophertunnel.
"""

from typing import Any, Final

import msgspec
from msgspec.structs import replace

from net.bedrock.packets.entity_values import NEW_FORMS
from net.bedrock.packets.packet import Blocks, Message, Sender, packet
from net.space import ColumnPos
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
    Field,
    Kind,
    Record,
    by_dialect,
    listed,
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


class SkinAnimation(msgspec.Struct, frozen=True):
    """An animated part of a skin."""

    image: SkinImage  # its frames below each other
    kind: int = 0  # part: 1 the head, 2 the body, small or large
    frames: float = 0.0  # number of frames
    expression: int = 0  # 0 continuous, 1 blinking


class SkinPiece(msgspec.Struct, frozen=True):
    """A part of a composed skin."""

    piece_id: str
    kind: str  # its name; from protocol 2168 on its number as text
    pack_id: str
    is_default: bool
    product_id: str


class SkinTint(msgspec.Struct, frozen=True):
    """Colours of one kind of parts."""

    kind: str
    colours: tuple[str, ...]  # ``#`` and hexadecimal digits; always four from protocol 2168 on


PLAIN_PIXELS: Final = b"\xff" * (64 * 64 * 4)
ARMS: Final = ("slim", "wide")
GEOMETRY: Final = '{"geometry":{"default":"geometry.humanoid.custom"}}'


class Skin(msgspec.Struct, frozen=True):
    """A player's skin; the default is plain white."""

    skin_id: str = "chunkscope.plain"
    play_fab_id: str = ""
    resource_patch: str = GEOMETRY
    image: SkinImage = SkinImage(64, 64, PLAIN_PIXELS)
    animations: tuple[SkinAnimation, ...] = ()
    cape: SkinImage = SkinImage()
    geometry: str = ""  # as JSON
    geometry_version: str = ""
    animation_data: str = ""
    cape_id: str = ""
    full_id: str = "chunkscope.plain"
    arm_size: str = ARMS[1]
    colour: str = "#0"  # ``#`` and hexadecimal digits
    pieces: tuple[SkinPiece, ...] = ()
    tints: tuple[SkinTint, ...] = ()
    premium: bool = False
    persona: bool = False
    cape_on_classic: bool = False
    primary_user: bool = True
    overrides: bool = True  # whether it replaces a skin of the server; from protocol 567 on
    trusted: str = ""  # from protocol 2168
    profile_hash: str = ""  # from protocol 2168


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


def _before(name: str, kind: Kind[Any]) -> Field:
    return Field(name, kind, until=NEW_FORMS)


def _from(name: str, kind: Kind[Any]) -> Field:
    return Field(name, kind, since=NEW_FORMS)


ANIMATION: Final = Record(
    SkinAnimation,
    (
        Field("image", IMAGE),
        _before("kind", I32LE),
        _from("kind", UV32),
        Field("frames", F32LE),
        _before("expression", F32LE),
        _from("expression", UV32),
    ),
).kind
PIECE: Final = Record(
    SkinPiece,
    (
        Field("piece_id", STRING),
        _before("kind", STRING),
        _from("kind", _number_in_text(I32LE)),
        _before("pack_id", STRING),
        _from("pack_id", UUID),
        Field("is_default", BOOL),
        Field("product_id", STRING),
    ),
).kind
TINT: Final = Record(
    SkinTint,
    (
        Field("kind", STRING),
        _before("colours", listed(STRING, I32LE)),
        _from("colours", Kind(_read_colours, _write_colours, 4 * COLOURS)),
    ),
).kind
SKIN: Final = Record(
    Skin,
    (
        Field("skin_id", STRING),
        Field("play_fab_id", STRING),
        Field("resource_patch", STRING),
        Field("image", IMAGE),
        _before("animations", listed(ANIMATION, I32LE)),
        _from("animations", listed(ANIMATION, UV32)),
        Field("cape", IMAGE),
        Field("geometry", STRING),
        Field("geometry_version", STRING),
        Field("animation_data", STRING),
        Field("cape_id", STRING),
        Field("full_id", STRING),
        _before("arm_size", STRING),
        _from("arm_size", _number_in_text(U8, ARMS)),
        _before("colour", STRING),
        _from("colour", COLOUR),
        _before("pieces", listed(PIECE, I32LE)),
        _from("pieces", listed(PIECE, UV32)),
        _before("tints", listed(TINT, I32LE)),
        _from("tints", listed(TINT, UV32)),
        Field("premium", BOOL),
        Field("persona", BOOL),
        Field("cape_on_classic", BOOL),
        Field("primary_user", BOOL),
        Field("overrides", BOOL, since=567),
        _from("trusted", STRING),
        _from("profile_hash", STRING),
    ),
).kind

# ---------------------------------------------------------------- players


class ListedPlayer(msgspec.Struct, frozen=True):
    """A player in the list."""

    unique_id: int  # in this session
    name: str  # shown name
    xuid: str = ""  # of its Xbox account
    chat_id: str = ""  # of its platform
    platform: int = 0  # number of its operating system
    skin: Skin = Skin()
    teacher: bool = False  # in the education edition
    host: bool = False  # whether it hosts the server
    sub_client: bool = False  # whether it shares a screen; from protocol 649
    colour: int = 0  # 0xAARRGGBB as a signed 32-bit number; from protocol 800
    verified: bool = True  # whether its skin may be shown; before protocol 2168


class PlayerListEntry(msgspec.Struct, frozen=True):
    """One entry of the list."""

    uuid: str  # of the account
    player: ListedPlayer | None = None  # None: the player left


LISTED: Final = Record(
    ListedPlayer,
    (
        Field("unique_id", ZZ64),
        Field("name", STRING),
        Field("xuid", STRING),
        Field("chat_id", STRING),
        Field("platform", I32LE),
        Field("skin", SKIN),
        Field("teacher", BOOL),
        Field("host", BOOL),
        Field("sub_client", BOOL, since=649),
        Field("colour", I32LE, since=800),
    ),
).kind
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

    entries: tuple[PlayerListEntry, ...]  # in order; before protocol 2168 all of them joined, or all left

    FIELDS = (Field("entries", ENTRIES),)


@packet(93, Sender.EITHER, blocks=Blocks.NONE)
class PlayerSkin(Message, frozen=True):
    """A player's skin changes."""

    uuid: str  # of the account
    skin: Skin  # the new skin
    new_name: str = ""  # of the new skin
    old_name: str = ""  # of the previous one
    verified: bool = True  # whether it may be shown; before protocol 2168

    FIELDS = (
        Field("uuid", UUID),
        Field("skin", SKIN),
        Field("new_name", STRING),
        Field("old_name", STRING),
        Field("verified", BOOL, until=NEW_FORMS),
    )

    def columns(self) -> tuple[ColumnPos, ...]:
        """None: skins are not drawn."""
        return ()
