"""The dimensions as this server means them: the usual vertical ranges, and those that DimensionData gave (wire.md 2.5).

Rules:
1. A definition belongs to the number that its name has, ``minecraft:nether`` for example, else to the number it says
   (from protocol 975 on). One without either can be in no ChangeDimension; it is a fault.
2. A range that does not end between two sub-chunks is widened to where one does.
3. A range that no store can hold, or no sub-chunk of could say its index in a signed byte (wire.md 3.1), is a fault,
   and what was known before holds.
4. A usual dimension keeps its sky, or its lack of one; another has none where its generator is that of such a one.
"""

from typing import Final

from net.bedrock import DimensionData, DimensionDefinition
from net.space.dimensions import IDENTIFIERS, VANILLA, Dimension, by_number

NUMBER_OF: Final = {identifier: number for number, identifier in IDENTIFIERS.items()}
LOWEST_SECTION, ROOF_SECTION = -128, 128
"""What a signed byte can number: 4096 blocks in all."""
LEAST_SECTIONS: Final = 3
"""Fewer cannot be held (client.world.places)."""
SKYLESS_GENERATORS: Final = (3, 4)
"""Nether and end."""


class Dimensions:
    """What was announced so far, over what is usual."""

    def __init__(self) -> None:
        self._announced: dict[int, Dimension] = {}

    def of(self, number: int) -> Dimension:
        """The dimension of a wire number."""
        return self._announced.get(number) or by_number(number)

    def hear(self, message: DimensionData) -> list[str]:
        """Takes what is announced; gives what is wrong with it, a sentence each."""
        faults = []
        for index, definition in enumerate(message.definitions):
            number = _number(definition)
            fault = "has no number of its own" if number is None else _fault(definition)
            if number is None or fault is not None:
                faults.append(f"DimensionData.definitions[{index}]: {definition.identifier!r} {fault}")
            else:
                self._announced[number] = _dimension(number, definition)
        return faults


def _number(definition: DimensionDefinition) -> int | None:
    number = NUMBER_OF.get(definition.identifier)
    if number is None and definition.kind not in VANILLA:
        return definition.kind
    return number


def _sections(definition: DimensionDefinition) -> tuple[int, int]:
    """The lowest section, and the one above the highest."""
    return definition.low >> 4, -(-definition.high >> 4)


def _fault(definition: DimensionDefinition) -> str | None:
    floor, roof = _sections(definition)
    blocks = f"reaches from {definition.low} to {definition.high}"
    if definition.high <= definition.low:
        return f"{blocks}, which is nothing"
    if floor < LOWEST_SECTION or roof > ROOF_SECTION:
        return f"{blocks}, beyond what sub-chunks can be numbered for, {LOWEST_SECTION * 16} to {ROOF_SECTION * 16}"
    if roof - floor < LEAST_SECTIONS:
        return f"{blocks}, fewer than {LEAST_SECTIONS} sub-chunks"
    return None


def _dimension(number: int, definition: DimensionDefinition) -> Dimension:
    floor, roof = _sections(definition)
    usual = VANILLA.get(number)
    name = usual.name if usual else definition.identifier
    has_sky = usual.has_sky if usual else definition.generator not in SKYLESS_GENERATORS
    return Dimension(number, name, floor, roof - floor, has_sky)
