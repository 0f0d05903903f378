"""CommandRequest: the player gives a command, as it was typed."""

from net.bedrock.command_origin import ORIGIN, WORDS_SINCE, CommandOrigin
from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import BOOL, STRING, ZZ32, Field


@frozen
class CommandRequest:
    """A command.

    Attributes:
        command: with its slash.
        origin: who gives it.
        internal: whether the game itself does.
        number: of the command's version, from protocol 567 until the word.
        version: the same as a word, from protocol 898 on. Of no use to anybody.
    """

    command: str
    origin: CommandOrigin = CommandOrigin()
    internal: bool = False
    number: int = 1
    version: str = "latest"


PACKET = Packet(
    77,
    CommandRequest,
    (
        Field("command", STRING),
        Field("origin", ORIGIN),
        Field("internal", BOOL),
        Field("number", ZZ32, since=567, until=WORDS_SINCE),
        Field("version", STRING, since=WORDS_SINCE),
    ),
)
