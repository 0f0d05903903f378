"""The base class of packets (``Message``), and the list of all defined packets.

Rules:
1. A packet is one class, and nothing else has to be written: its attributes are the packet's content, their annotations
   its wire form (``net.wire.fields``), and ``packet`` adds it to the list.
2. Attributes and wire fields have the same names. Where the order of the wire differs, ``order`` gives it. Where an
   attribute has several places on the wire, the class lists ``FIELDS``; where the content differs, ``from_values`` and
   ``to_values`` convert.
3. A class covers all dialects; the codec selects the fields of its own.

    @packet(10, Sender.SERVER, blocks=Blocks.NONE)
    class SetTime(Message, frozen=True):
        time: Annotated[int, ZZ32]
"""

from collections.abc import Callable
from enum import Enum, Flag
from typing import ClassVar, Final, Self, TypeVar

import msgspec

from net.space import ColumnPos
from net.wire.fields import Dialect, Field, Values, fields_of

__all__ = ["Blocks", "Message", "Sender", "Unknown", "packets"]


class Sender(Flag):
    """The side that sends a packet."""

    CLIENT = 1
    SERVER = 2
    EITHER = CLIENT | SERVER


class Blocks(Enum):
    """How a message relates to blocks."""

    NONE = 0  # not at all: earlier block changes may be applied after it
    ANY = 1  # it may depend on blocks: earlier changes are applied first
    ENTITIES = 2  # it changes block entities, in the columns of ``columns``
    CHANGED = 3  # it changes single blocks, in the columns of ``columns``; changes of one moment are applied together


class Message(msgspec.Struct, frozen=True):
    """The content of one packet. Subclasses are frozen; ``packet`` sets what is in capitals and not listed."""

    ID: ClassVar[int]  # its number on the wire
    SENDER: ClassVar[Sender]
    SINCE: ClassVar[int]  # the first protocol that has it
    REQUIRED: ClassVar[str]
    """If decoding fails after the field of this name, the message keeps the fields before and has the fault in
    ``tail_fault``; empty: every field is required."""
    BLOCKS: ClassVar[Blocks] = Blocks.ANY
    FIELDS: ClassVar[tuple[Field, ...]] = ()  # in wire order, of all dialects

    def columns(self) -> tuple[ColumnPos, ...] | None:
        """The columns that it is about, if it is about nothing else; None: it may be about anything.

        A recording that drops distant data keeps messages with None, and drops others with their columns.
        """
        return None

    @classmethod
    def from_values(cls, values: Values, dialect: Dialect) -> Self:
        """The message of decoded fields; fields that the dialect or ``when`` leave out are missing."""
        return cls(**values)

    def to_values(self, dialect: Dialect) -> Values:
        """The values to encode, by field; values of fields that the dialect lacks are ignored."""
        return {field.name: getattr(self, field.name) for field in self.FIELDS}


class Passing(Message, frozen=True):
    """A packet that is not kept in a recording without distant data: later ones supersede it, or it has no effect."""

    def columns(self) -> tuple[ColumnPos, ...]:
        """None of its own."""
        return ()


class Unknown(Passing, frozen=True):
    """A packet whose number is not in the list; it can only be skipped."""

    packet_id: int  # its number
    size_bytes: int  # with its header


Spoken = TypeVar("Spoken", bound=Message)

_PACKETS: Final[dict[int, type[Message]]] = {}
"""Packets by number. Only ``packet`` writes it."""


def packet(
    number: int,
    sender: Sender,
    *,
    since: int = 0,
    required: str = "",
    blocks: Blocks = Blocks.ANY,
    order: tuple[str, ...] = (),
    moved: tuple[Field, ...] = (),
) -> Callable[[type[Spoken]], type[Spoken]]:
    """Registers a message as a packet; the arguments are attributes of ``Message``.

    ``order``: of the wire, as for ``fields_of``. ``moved``: fields at the end of the wire, of attributes that also have
    another place there in other protocols.

    Raises ValueError: another packet has this number.
    """

    def known(kind: type[Spoken]) -> type[Spoken]:
        if number in _PACKETS:
            raise ValueError(f"packet {number} is both {_PACKETS[number].__name__} and {kind.__name__}")
        kind.ID, kind.SENDER, kind.SINCE, kind.REQUIRED, kind.BLOCKS = number, sender, since, required, blocks
        kind.FIELDS = kind.FIELDS or fields_of(kind, order) + moved
        _PACKETS[number] = kind
        return kind

    return known


def packets(protocol: int | None = None) -> tuple[type[Message], ...]:
    """All packets, or those of one protocol, ordered by number."""
    found = (_PACKETS[number] for number in sorted(_PACKETS))
    return tuple(kind for kind in found if protocol is None or protocol >= kind.SINCE)
