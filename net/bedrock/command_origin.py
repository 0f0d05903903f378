"""Who gives a command: the same in CommandRequest and in the CommandOutput that answers it.

Before protocol 898 the origin's kind is a number, from there on a word (minecraft-data; the words: ViaBedrock).
"""

from typing import Final

from net.frozen import frozen
from net.wire.fields import I64LE, STRING, UUID, UV32, ZZ64, Field, Kind, Record
from net.wire.reader import Reader
from net.wire.writer import Writer

NO_UUID: Final = "00000000-0000-0000-0000-000000000000"
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
"""By their numbers of before."""
WITH_PLAYER: Final = ("devconsole", "test")
"""Before the words these alone name a player."""


@frozen
class CommandOrigin:
    """Who gives a command.

    Attributes:
        kind: one of ``WORDS``.
        uuid: of the player or of the command.
        request_id: by which the asker knows the answer.
        player_id: unique id of an entity.
    """

    kind: str = "player"
    uuid: str = NO_UUID
    request_id: str = ""
    player_id: int = 0


def numbered(words: tuple[str, ...], number: Kind[int]) -> Kind[str]:
    """A word that stands there as its number in a list."""

    def read(reader: Reader) -> str:
        start = reader.offset
        found = number.read(reader)
        if not 0 <= found < len(words):
            raise reader.fault(f"is {found}, none of 0..{len(words) - 1}", start)
        return words[found]

    def write(writer: Writer, word: str) -> None:
        if word not in words:
            raise writer.fault(f"is {word!r}, none of {', '.join(words)}")
        number.write(writer, words.index(word))

    return Kind(read, write)


ORIGIN: Final = Record(
    CommandOrigin,
    (
        Field("kind", numbered(WORDS, UV32), until=WORDS_SINCE),
        Field("kind", STRING, since=WORDS_SINCE),
        Field("uuid", UUID),
        Field("request_id", STRING),
        Field("player_id", ZZ64, until=WORDS_SINCE, when=lambda values: values["kind"] in WITH_PLAYER),
        Field("player_id", I64LE, since=WORDS_SINCE),
    ),
).kind
