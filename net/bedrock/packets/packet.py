"""What every packet is: a message that knows its number, its fields and what it is about. The one list of them.

Rules:
1. A packet is one class, and the class is all there is to write: its attributes are what the packet says, ``FIELDS`` is
   how the wire says it, ``packet`` puts it onto the list.
2. Its attributes are named as its fields. Where the wire says it otherwise, ``from_values`` and ``to_values`` turn one
   into the other.
3. It holds for every dialect; the codec selects the fields of its own.

    @packet(10, Sender.SERVER, blocks=Blocks.NONE)
    class SetTime(Message, frozen=True):
        time: int

        FIELDS = (Field("time", ZZ32),)
"""

from collections.abc import Callable
from enum import Enum, Flag
from typing import ClassVar, Final, Self, TypeVar

import msgspec

from net.space import ColumnPos
from net.wire.fields import Dialect, Field, Values

__all__ = ["Blocks", "Message", "Sender", "Unknown", "packets"]


class Sender(Flag):
    """Who sends a packet."""

    CLIENT = 1
    SERVER = 2
    EITHER = CLIENT | SERVER


class Blocks(Enum):
    """What a message has to do with blocks."""

    NONE = 0  # nothing: what was said of blocks before may be applied after it
    ANY = 1  # it may speak of them: what was said before is applied first
    ENTITIES = 2  # it changes block entities, in the columns that it is about
    CHANGED = 3  # it changes single blocks, in the columns that it is about; those of one moment are applied together


class Message(msgspec.Struct, frozen=True):
    """What one packet says. Subclasses are frozen, and ``packet`` sets what is written in capitals, but for FIELDS."""

    ID: ClassVar[int]  # its number on the wire
    SENDER: ClassVar[Sender]
    SINCE: ClassVar[int]  # the first protocol that has it
    UNTIL: ClassVar[int]  # the first protocol that has it no more; 0: still there
    REQUIRED: ClassVar[str]
    """A decode that fails behind the field of this name keeps what it has, and notes the fault in the message's
    ``tail_fault``; empty: every field is required."""
    BLOCKS: ClassVar[Blocks] = Blocks.ANY
    FIELDS: ClassVar[tuple[Field, ...]] = ()  # in wire order, of all dialects

    def columns(self) -> tuple[ColumnPos, ...] | None:
        """The columns that it is about, and nothing else in the world; None: it may be about anything.

        A recording that forgets what is far away keeps messages of None, and forgets others with their columns.
        """
        return None

    @classmethod
    def from_values(cls, values: Values, dialect: Dialect) -> Self:
        """The message of decoded fields; those that the dialect or ``when`` leave out are missing."""
        return cls(**values)

    def to_values(self, dialect: Dialect) -> Values:
        """What is to be encoded, by field; more than the dialect has does no harm."""
        return {field.name: getattr(self, field.name) for field in self.FIELDS}


class Unknown(Message, frozen=True):
    """A packet whose number is not on the list; skipping it is all that can be done."""

    packet_id: int  # its number
    size_bytes: int  # with its header

    def columns(self) -> tuple[ColumnPos, ...]:
        """No column: nobody keeps anything of it."""
        return ()


Spoken = TypeVar("Spoken", bound=Message)

_PACKETS: Final[dict[int, tuple[type[Message], ...]]] = {}
"""By number; of one number the packets of different times. ``packet`` fills it, nobody else."""


def packet(
    number: int,
    sender: Sender,
    *,
    since: int = 0,
    until: int = 0,
    required: str = "",
    blocks: Blocks = Blocks.ANY,
) -> Callable[[type[Spoken]], type[Spoken]]:
    """Makes a message known as a packet: see the attributes of ``Message``.

    Raises ValueError: another packet has this number at the same time.
    """

    def known(kind: type[Spoken]) -> type[Spoken]:
        others = _PACKETS.get(number, ())
        for other in others:
            if (not other.UNTIL or since < other.UNTIL) and (not until or until > other.SINCE):
                raise ValueError(f"packet {number} is both {other.__name__} and {kind.__name__}")
        kind.ID, kind.SENDER, kind.SINCE, kind.UNTIL = number, sender, since, until
        kind.REQUIRED, kind.BLOCKS = required, blocks
        _PACKETS[number] = (*others, kind)
        return kind

    return known


def packets(protocol: int | None = None) -> tuple[type[Message], ...]:
    """All packets, or those of one protocol, in the order of their numbers."""
    found = [kind for number in sorted(_PACKETS) for kind in _PACKETS[number]]
    if protocol is None:
        return tuple(found)
    return tuple(kind for kind in found if protocol >= kind.SINCE and not 0 < kind.UNTIL <= protocol)
