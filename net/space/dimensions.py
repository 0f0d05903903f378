"""Dimensions: their numbers, names and vertical ranges (wire.md 2.5)."""

from typing import Final

import msgspec


class Dimension(msgspec.Struct, frozen=True):
    """One dimension's vertical range and sky."""

    number: int  # the wire's id: 0, 1, 2 or a custom one
    name: str  # as users type it
    floor_section: int  # absolute y of the lowest sub-chunk, for example -4
    sections: int  # how many sub-chunks stand on each other, 3..256
    has_sky: bool  # whether daylight enters from above

    @property
    def roof_section(self) -> int:
        """One above the highest sub-chunk."""
        return self.floor_section + self.sections

    @property
    def floor_y_blocks(self) -> int:
        """Lowest block."""
        return self.floor_section * 16

    @property
    def roof_y_blocks(self) -> int:
        """One above the highest block."""
        return self.roof_section * 16

    def holds_section(self, section: int) -> bool:
        """Whether an absolute sub-chunk y lies inside."""
        return self.floor_section <= section < self.roof_section


OVERWORLD: Final = Dimension(0, "overworld", -4, 24, True)
NETHER: Final = Dimension(1, "nether", 0, 8, False)
END: Final = Dimension(2, "end", 0, 16, False)

IDENTIFIERS: Final = {0: "minecraft:overworld", 1: "minecraft:nether", 2: "minecraft:the_end"}
"""What DimensionData calls them."""
VANILLA: Final = {d.number: d for d in (OVERWORLD, NETHER, END)}


def by_number(number: int) -> Dimension:
    """The dimension of a wire number; an unknown one is taken to be as tall as the overworld."""
    return VANILLA.get(number) or Dimension(number, str(number), OVERWORLD.floor_section, OVERWORLD.sections, True)
