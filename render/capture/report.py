"""What came of a picture: where it is, and what is missing in it."""

import json
import sys
from dataclasses import asdict
from pathlib import Path

from client.connection.stats import Lack, Statistics
from client.errors import DONE, INCOMPLETE
from client.source import warning_lines
from net.frozen import frozen


@frozen
class PictureReport:
    """What a picture holds.

    Attributes:
        path: the file that was written.
        complete: whether nothing was missing that should have been there. What one moment of a recording had not heard
            yet should not.
        waiting_for: what was waited for when the time ran out, or at that moment; empty where nothing was.
        missing: the same by kind and place (``client.connection.stats``); people are told the first of each kind.
        seconds: from joining to the picture.
        statistics: what the connection had counted by then; to people only what the server does that is not right.
        also: further files, where each channel has its own.
        legend: what the marks of overlays mean, of those that are in it: lines, each overlay's behind its title.
        moment: which one of a recording is shown, in words; empty for its end, and for what is no recording.
    """

    path: Path
    complete: bool
    waiting_for: str
    missing: tuple[Lack, ...]
    seconds: float
    statistics: Statistics | None = None
    also: tuple[Path, ...] = ()
    legend: tuple[str, ...] = ()
    moment: str = ""

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
        lines += self.legend
        verdict = [*([f"as of {self.moment}"] if self.moment else []), *([] if self.complete else ["incomplete"])]
        if verdict:
            lines.append(": ".join([*verdict, *([self.waiting_for] if self.waiting_for else [])]))
        for lack in self.missing:
            lines += lack.lines()
        warnings = self.statistics.session.warnings if self.statistics else ()
        return "\n".join([*lines, *warning_lines(warnings)])
