"""What was measured on a path, frozen; as JSON and as a table."""

from collections.abc import Mapping
from typing import Any, Final

import msgspec

SHARES: Final = (50, 90, 99, 100)
"""Per cent of the terrain pixels whose moments are told."""
RECORDED: Final = "the recording"
"""The one leg of a recording."""


class StreamLegReport(msgspec.Struct, frozen=True):
    """One leg."""

    name: str  # of the leg
    terrain_px: int  # pixels of its pictures that show a block
    # seconds from its end (of the spawn: from the first request) until so many per cent were right;
    # empty where no pixel shows a block
    right_s: Mapping[int, float]
    settled_s: float  # seconds from its end until nothing was missing; 0 where it does not rest
    settled: bool  # whether that came about in time
    holes: int  # of SPHERE_RAYS rays at rest, those that end in a placeholder
    asked: int  # entries asked, repetitions included
    received: int  # answers with blocks or air that were used
    in_vain: int  # answered places that no eye of the way can see and that lie outside the ticking area
    packets: int  # requests sent
    bytes_in: int  # received on the wire; of a recording, in its packets, inflated
    bytes_out: int  # sent, likewise
    places: int  # sub-chunks of the announced columns, at its end
    places_below_limit: int  # those of them at or below their column's limit; all of them where none was told
    answered: int  # of the places, those that were answered


class StreamReport(msgspec.Struct, frozen=True):
    """One path."""

    source: str  # where the world comes from
    wanted: str  # "visible sub-chunks", "every sub-chunk in radius", or, of a recording, "as recorded"
    radius: int  # visibility radius in columns
    round_trip_s: float  # as the transport estimates it at the end
    legs: tuple[StreamLegReport, ...]  # one each, in order
    warnings: tuple[str, ...] = ()  # what the server did that is not right, one line a kind

    @property
    def asked(self) -> int:
        """Entries asked on the whole path."""
        return sum(leg.asked for leg in self.legs)

    @property
    def bytes_in(self) -> int:
        """Bytes received on the whole path."""
        return sum(leg.bytes_in for leg in self.legs)

    @property
    def holes(self) -> int:
        """Holes at rest on the whole path."""
        return sum(leg.holes for leg in self.legs)

    @property
    def recorded(self) -> bool:
        """Whether this is a recording, measured as it was: nothing waited for it."""
        return any(leg.name == RECORDED for leg in self.legs)

    @property
    def settled(self) -> bool:
        """Whether every rest came to its end; of a recording, whether nothing was missing when it ended."""
        return all(leg.settled for leg in self.legs)

    def as_json(self) -> dict[str, Any]:  # Any: what JSON holds
        """All of it, keys as named above."""
        plain: dict[str, Any] = msgspec.to_builtins(self)
        return plain
