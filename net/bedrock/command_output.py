"""CommandOutput: what came of a command."""

from typing import Final

from net.bedrock.command_origin import ORIGIN, WORDS_SINCE, CommandOrigin, numbered
from net.bedrock.packet import Packet
from net.frozen import frozen
from net.wire.fields import BOOL, I8, STRING, U32LE, UV32, Field, Record, listed, optional

KINDS: Final = ("none", "lastoutput", "silent", "alloutput", "dataset")
KIND_NUMBER: Final = numbered(KINDS, I8)
DATASET: Final = optional(STRING)


@frozen
class CommandMessage:
    """One line of it.

    Attributes:
        success: whether it says that something was done.
        text: a sentence, or the key of one in the games' language files.
        parameters: of such a key.
    """

    success: bool
    text: str
    parameters: tuple[str, ...] = ()


@frozen
class CommandOutput:
    """What came of a command.

    Attributes:
        origin: as the request gave it.
        messages: its lines.
        kind: one of ``KINDS``.
        successes: how much was done.
        dataset: JSON, of that kind alone; None for none.
    """

    origin: CommandOrigin
    messages: tuple[CommandMessage, ...]
    kind: str = "alloutput"
    successes: int = 0
    dataset: str | None = None


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

PACKET = Packet(
    79,
    CommandOutput,
    (
        Field("origin", ORIGIN),
        Field("kind", KIND_NUMBER, until=WORDS_SINCE),
        Field("kind", STRING, since=WORDS_SINCE),
        Field("successes", UV32, until=WORDS_SINCE),
        Field("successes", U32LE, since=WORDS_SINCE),
        Field("messages", MESSAGES),
        Field("dataset", STRING, until=WORDS_SINCE, when=lambda values: values["kind"] == "dataset"),
        Field("dataset", DATASET, since=WORDS_SINCE),
    ),
)
