"""Game rules, as StartGame tells them (wire.md 2.8).

An integer rule is an unsigned varint: minecraft-data says zigzag before 844, two others unsigned; the length is the
same. From 2168 it is four bytes.
"""

from typing import Final

from net.frozen import frozen
from net.wire.fields import I32LE, UV32, Kind, by_dialect, listed
from net.wire.profile import Dialect
from net.wire.reader import Reader
from net.wire.writer import Writer


@frozen
class GameRule:
    """One rule of the world.

    Attributes:
        name: as commands spell it, in lower case.
        editable: whether players may change it.
        value: on or off, a number of at least 0, or a fraction.
    """

    name: str
    editable: bool
    value: bool | int | float


_RULE_BOOL: Final = 1
_RULE_INT: Final = 2
_RULE_FLOAT: Final = 3


def _rule(dialect: Dialect) -> Kind[GameRule]:
    whole = I32LE if dialect.protocol >= 2168 else UV32

    def read(reader: Reader) -> GameRule:
        name, editable, start, form = reader.string(), reader.boolean(), reader.offset, reader.uv32()
        if form == _RULE_BOOL:
            return GameRule(name, editable, reader.boolean())
        if form == _RULE_INT:
            return GameRule(name, editable, whole.read(reader))
        if form == _RULE_FLOAT:
            return GameRule(name, editable, reader.f32le())
        raise reader.fault(f"knows no game rule of kind {form}", start)

    def write(writer: Writer, rule: GameRule) -> None:
        writer.string(rule.name)
        writer.boolean(rule.editable)
        if isinstance(rule.value, bool):
            writer.uv32(_RULE_BOOL)
            writer.boolean(rule.value)
        elif isinstance(rule.value, int):
            writer.uv32(_RULE_INT)
            whole.write(writer, rule.value)
        else:
            writer.uv32(_RULE_FLOAT)
            writer.f32le(rule.value)

    return Kind(read, write, 4)


GAME_RULES: Final = listed(by_dialect(_rule), UV32)
