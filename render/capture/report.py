"""What came of a picture: where it is, and what is missing in it."""

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from client.connect.errors import DONE, INCOMPLETE
from client.connect.reports import Statistics
from client.connect.wording import warning_lines
from net.space.positions import SubChunkPos

LISTED_MISSING: Final = 20


@dataclass(frozen=True, slots=True)
class PictureReport:
    """What a picture holds.

    Attributes:
        path: the file that was written.
        complete: whether nothing was missing when it was drawn.
        waiting_for: what was waited for when the time ran out; empty when complete.
        missing: wanted sub-chunks without an answer, with their state's name.
        seconds: from joining to the picture.
        statistics: what the connection had counted by then; to people only what the server does that is not right.
        also: further files, where each channel has its own.
    """

    path: Path
    complete: bool
    waiting_for: str
    missing: tuple[tuple[SubChunkPos, str], ...]
    seconds: float
    statistics: Statistics | None = None
    also: tuple[Path, ...] = ()

    @property
    def exit_code(self) -> int:
        """0, or 4 when something is missing."""
        return DONE if self.complete else INCOMPLETE

    def tell(self, as_json: bool = False) -> int:
        """Says it on stdout and returns the exit code."""
        said = json.dumps(asdict(self), default=str) if as_json else self.text()
        sys.stdout.write(said + "\n")
        return self.exit_code

    def text(self) -> str:
        """A few lines for a person."""
        lines = [f"{self.path} ({self.seconds:.1f} s)", *map(str, self.also)]
        if not self.complete:
            lines.append(f"incomplete: {self.waiting_for}; {len(self.missing)} sub-chunks are missing:")
            lines += [f"  {at.x} {at.y} {at.z} {state}" for at, state in self.missing[:LISTED_MISSING]]
            more = len(self.missing) - LISTED_MISSING
            lines += [f"  and {more} more"] if more > 0 else []
        warnings = self.statistics.session.warnings if self.statistics else ()
        return "\n".join([*lines, *warning_lines(warnings)])
