"""What a packet's file says: number, message, fields.

Rules:
1. One packet a file. The message is a frozen dataclass, its attributes named as its fields.
2. Where the wire's fields are not the message's attributes, ``build`` and ``split`` turn one into the other, next to
   both.
3. A description holds for every dialect; the codec selects the fields of its own.
"""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from net.frozen import frozen
from net.wire.dialect import Dialect
from net.wire.fields import Field, Values

Spoken = TypeVar("Spoken")


@frozen
class Packet(Generic[Spoken]):
    """One kind of packet.

    Attributes:
        number: its id on the wire.
        message: the class it decodes to.
        fields: in wire order, of all dialects.
        build: makes a message of decoded values; None = their names are the attributes.
        split: gives the values of a message; None = its attributes are they.
        required: a decode that fails behind the field of this name keeps what it has and notes the fault in the
            message's ``tail_fault``; empty = every field is required.
        since: the first protocol that has it.
    """

    number: int
    message: type[Spoken]
    fields: tuple[Field, ...] = ()
    build: Callable[[Values, Dialect], Spoken] | None = None
    split: Callable[[Spoken, Dialect], dict[str, Any]] | None = None
    required: str = ""
    since: int = 0
