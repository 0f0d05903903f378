"""Text: what stands in the players' chat, or over their hot bar (minecraft-data and gophertunnel, which agree).

From protocol 898 on a category says which fields follow, before the kind that says so again; 898 alone has the names of
all kinds of that category between the two.
"""

from typing import Final

from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import BOOL, STRING, U8, UV32, Field, Kind, Values, by_dialect, listed
from net.wire.profile import Dialect
from net.wire.reader import Reader
from net.wire.writer import Writer

KINDS: Final = (
    "raw",
    "chat",
    "translation",
    "popup",
    "jukebox_popup",
    "tip",
    "system",
    "whisper",
    "announcement",
    "json_whisper",
    "json",
    "json_announcement",
)
"""By their numbers; the last from 554 on."""
AUTHORED: Final = ("chat", "whisper", "announcement")
"""These name who says it."""
WITH_PARAMETERS: Final = ("translation", "popup", "jukebox_popup")
CATEGORIES_SINCE: Final = 898
NAMES_UNTIL: Final = 924
NAMES: Final = (
    ("raw", "tip", "systemMessage", "textObjectWhisper", "textObjectAnnouncement", "textObject"),
    AUTHORED,
    ("translate", "popup", "jukeboxPopup"),
)
"""What 898 calls the kinds of each category; read over, whatever they are."""


@frozen
class Text:
    """What somebody says, mostly the server.

    Attributes:
        kind: one of ``KINDS``.
        message: the text, or its key; JSON where the kind says so.
        parameters: of such a key.
        source: who says it, of authored kinds alone.
        needs_translation: whether ``%key`` in the text stands for words of the games' language files.
        xuid: of the player who says it.
        platform_chat_id: of no use to a viewer.
        filtered: the text without bad words; from protocol 685, mostly empty.
    """

    kind: str
    message: str
    parameters: tuple[str, ...] = ()
    source: str = ""
    needs_translation: bool = False
    xuid: str = ""
    platform_chat_id: str = ""
    filtered: str = ""


def _category(kind: str) -> int:
    return 1 if kind in AUTHORED else 2 if kind in WITH_PARAMETERS else 0


def _read_kind(reader: Reader) -> str:
    start = reader.offset
    number = reader.u8()
    if number >= len(KINDS):
        raise reader.fault(f"is {number}, none of 0..{len(KINDS) - 1}", start)
    return KINDS[number]


def _write_kind(writer: Writer, kind: str) -> None:
    if kind not in KINDS:
        raise writer.fault(f"is {kind!r}, none of {', '.join(KINDS)}")
    writer.u8(KINDS.index(kind))


NUMBERED: Final = Kind(_read_kind, _write_kind)


def _categorised(dialect: Dialect) -> Kind[str]:
    """A kind behind its category, of which the kind alone is believed."""
    named = dialect.protocol < NAMES_UNTIL

    def read(reader: Reader) -> str:
        start = reader.offset
        category = U8.read(reader)
        if category >= len(NAMES):
            raise reader.fault(f"has category {category}, none of 0..{len(NAMES) - 1}", start)
        for _ in NAMES[category] if named else ():
            STRING.read(reader)
        return _read_kind(reader)

    def write(writer: Writer, kind: str) -> None:
        U8.write(writer, _category(kind))
        for name in NAMES[_category(kind)] if named else ():
            STRING.write(writer, name)
        _write_kind(writer, kind)

    return Kind(read, write, 2)


CATEGORISED: Final = by_dialect(_categorised)


def _read_unless_empty(reader: Reader) -> str:
    return reader.string() if reader.boolean() else ""


def _write_unless_empty(writer: Writer, text: str) -> None:
    writer.boolean(bool(text))
    if text:
        writer.string(text)


UNLESS_EMPTY: Final = Kind(_read_unless_empty, _write_unless_empty)
PARAMETERS: Final = listed(STRING, UV32)


def _is_authored(values: Values) -> bool:
    return values["kind"] in AUTHORED


def _has_parameters(values: Values) -> bool:
    return values["kind"] in WITH_PARAMETERS


PACKET = Packet(
    9,
    Text,
    (
        Field("kind", NUMBERED, until=CATEGORIES_SINCE),
        Field("needs_translation", BOOL),
        Field("kind", CATEGORISED, since=CATEGORIES_SINCE),
        Field("source", STRING, when=_is_authored),
        Field("message", STRING),
        Field("parameters", PARAMETERS, when=_has_parameters),
        Field("xuid", STRING),
        Field("platform_chat_id", STRING),
        Field("filtered", STRING, since=685, until=CATEGORIES_SINCE),
        Field("filtered", UNLESS_EMPTY, since=CATEGORIES_SINCE),
    ),
)
