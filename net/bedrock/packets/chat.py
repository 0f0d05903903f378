"""Chat messages and commands (minecraft-data and gophertunnel, which agree).

Text: a line in the players' chat, or over their hot bar. From protocol 898 on a category comes before the kind and says
which fields follow; 898 also has the names of all kinds of that category between the two.

CommandRequest: a command as the player typed it.
CommandOutput: the result of a command.

Command origin: the sender of a command, the same in CommandRequest and in its CommandOutput. Before protocol 898 the
origin's kind is a number, from there on a word (minecraft-data; the words: ViaBedrock).
"""

from typing import Annotated, Final

import msgspec

from net.bedrock.packets.packet import Blocks, Message, Passing, Sender, packet
from net.wire.cursor import Reader, Writer
from net.wire.fields import (
    BOOL,
    I8,
    I64LE,
    NO_UUID,
    STRING,
    U8,
    U32LE,
    UUID,
    UV32,
    ZZ32,
    ZZ64,
    Dialect,
    Field,
    Kind,
    Record,
    Values,
    by_dialect,
    listed,
    optional,
    record,
    wire,
)

__all__ = ["CommandMessage", "CommandOrigin", "CommandOutput", "CommandRequest", "Text"]

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
"""By their numbers; the last one from protocol 554 on."""
AUTHORED: Final = ("chat", "whisper", "announcement")
"""The kinds that name their author."""
WITH_PARAMETERS: Final = ("translation", "popup", "jukebox_popup")
CATEGORIES_SINCE: Final = 898
NAMES_UNTIL: Final = 924
NAMES: Final = (
    ("raw", "tip", "systemMessage", "textObjectWhisper", "textObjectAnnouncement", "textObject"),
    AUTHORED,
    ("translate", "popup", "jukeboxPopup"),
)
"""Names of the kinds of each category in protocol 898; the reader skips them unchecked."""


def _category(kind: str) -> int:
    return 1 if kind in AUTHORED else 2 if kind in WITH_PARAMETERS else 0


def numbered(words: tuple[str, ...], number: Kind[int]) -> Kind[str]:
    """A word written as its index in a list."""

    def read(reader: Reader) -> str:
        start = reader.offset
        found = number.read(reader)
        if not 0 <= found < len(words):
            raise reader.fault(f"is {found}, not one of 0..{len(words) - 1}", start)
        return words[found]

    def write(writer: Writer, word: str) -> None:
        if word not in words:
            raise writer.fault(f"is {word!r}, not one of {', '.join(words)}")
        number.write(writer, words.index(word))

    return Kind(read, write)


NUMBERED: Final = numbered(KINDS, U8)


def _categorised(dialect: Dialect) -> Kind[str]:
    """A kind after its category; the reader uses the kind only."""
    named = dialect.protocol < NAMES_UNTIL

    def read(reader: Reader) -> str:
        start = reader.offset
        category = U8.read(reader)
        if category >= len(NAMES):
            raise reader.fault(f"has category {category}, not one of 0..{len(NAMES) - 1}", start)
        for _ in NAMES[category] if named else ():
            STRING.read(reader)
        return NUMBERED.read(reader)

    def write(writer: Writer, kind: str) -> None:
        U8.write(writer, _category(kind))
        for name in NAMES[_category(kind)] if named else ():
            STRING.write(writer, name)
        NUMBERED.write(writer, kind)

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


@packet(9, Sender.EITHER)
class Text(Passing, frozen=True):
    """A chat line, mostly from the server: a session keeps the last ones only, and many may come in a second."""

    kind: str  # one of ``KINDS``
    message: str  # the text, or the key of a translation; JSON for some kinds
    parameters: tuple[str, ...] = ()  # of the translation
    source: str = ""  # the author, for authored kinds only
    needs_translation: bool = False  # whether ``%key`` in the text is to be replaced from the games' language files
    xuid: str = ""  # of the author's account
    platform_chat_id: str = ""  # not needed by a viewer
    filtered: str = ""  # the text without swear words; from protocol 685, mostly empty

    FIELDS = (
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
    )


WORDS_SINCE: Final = 898
WORDS: Final = (
    "player",
    "commandblock",
    "minecartcommandblock",
    "devconsole",
    "test",
    "automationplayer",
    "clientautomation",
    "dedicatedserver",
    "entity",
    "virtual",
    "gameargument",
    "entityserver",
    "precompiled",
    "gamedirectorentityserver",
    "scripting",
    "executecontext",
)
"""By their numbers before protocol 898."""
WITH_PLAYER: Final = ("devconsole", "test")
"""Before the words, only these contain a player id."""


class CommandOrigin(msgspec.Struct, frozen=True):
    """The sender of a command."""

    # one of ``WORDS``
    kind: Annotated[str, wire(numbered(WORDS, UV32), until=WORDS_SINCE), wire(STRING, since=WORDS_SINCE)] = "player"
    uuid: Annotated[str, UUID] = NO_UUID  # of the player or of the command
    request_id: Annotated[str, STRING] = ""  # which the reply repeats
    # unique id of an entity
    player_id: Annotated[
        int,
        wire(ZZ64, until=WORDS_SINCE, when=lambda values: values["kind"] in WITH_PLAYER),
        wire(I64LE, since=WORDS_SINCE),
    ] = 0


ORIGIN: Final = record(CommandOrigin)


@packet(77, Sender.CLIENT)
class CommandRequest(Message, frozen=True):
    """A command."""

    command: Annotated[str, STRING]  # with its slash
    origin: Annotated[CommandOrigin, ORIGIN] = CommandOrigin()  # the sender
    internal: Annotated[bool, BOOL] = False  # whether the game itself sends it
    # version of the command, from protocol 567 until it becomes a word
    number: Annotated[int, wire(ZZ32, since=567, until=WORDS_SINCE)] = 1
    # the same as a word, from protocol 898 on; unused
    version: Annotated[str, wire(STRING, since=WORDS_SINCE)] = "latest"


COMMAND_OUTPUT_KINDS: Final = ("none", "lastoutput", "silent", "alloutput", "dataset")
KIND_NUMBER: Final = numbered(COMMAND_OUTPUT_KINDS, I8)
DATASET: Final = optional(STRING)


class CommandMessage(msgspec.Struct, frozen=True):
    """One line of a command's output."""

    success: bool  # whether it reports success
    text: str  # a sentence, or the key of a translation
    parameters: tuple[str, ...] = ()  # of the translation


MESSAGES = listed(
    Record(
        CommandMessage,
        (
            Field("success", BOOL, until=WORDS_SINCE),
            Field("text", STRING),
            Field("success", BOOL, since=WORDS_SINCE),
            Field("parameters", listed(STRING, UV32)),
        ),
    ).kind,
    UV32,
)


@packet(79, Sender.SERVER, blocks=Blocks.NONE, order=("origin", "kind", "successes", "messages", "dataset"))
class CommandOutput(Message, frozen=True):
    """The result of a command."""

    origin: Annotated[CommandOrigin, ORIGIN]  # as the request gave it
    messages: Annotated[tuple[CommandMessage, ...], MESSAGES]  # lines of output
    # one of ``COMMAND_OUTPUT_KINDS``
    kind: Annotated[str, wire(KIND_NUMBER, until=WORDS_SINCE), wire(STRING, since=WORDS_SINCE)] = "alloutput"
    successes: Annotated[int, wire(UV32, until=WORDS_SINCE), wire(U32LE, since=WORDS_SINCE)] = 0
    # JSON, for one kind only; None for none
    dataset: Annotated[
        str | None,
        wire(STRING, until=WORDS_SINCE, when=lambda values: values["kind"] == "dataset"),
        wire(DATASET, since=WORDS_SINCE),
    ] = None
