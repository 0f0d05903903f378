"""The proof of asking by sight: one path twice, asking for what can be seen and for everything in the radius."""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from client.connection.opening import is_recording, open_connection
from client.errors import CHECK_FAILED, DONE, INCOMPLETE, UsageError
from client.options import Options
from client.source import Source, WorldFile, warning_lines
from net.frozen import frozen
from render.capture.streaming.meter import StreamMeter
from render.capture.streaming.path import standard_path
from render.capture.streaming.report import SHARES, LegReport, StreamReport
from render.capture.streaming.sight import SPHERE_RAYS

Progress = Callable[[float, str], None]

HEAD: Final = (
    *("leg", "50 %", "90 %", "99 %", "100 %", "settled", "holes"),
    *("asked", "received", "in vain", "packets", "kB out", "MB in"),
)
KEY: Final = f"""\
50 % to 100 %   seconds until so many pixels that show a block looked as they do in the end; - where none does
settled         seconds until nothing that is wanted was missing; - where the next leg began before
holes           of {SPHERE_RAYS} rays to all sides at the leg's end, those that meet a sub-chunk of unknown content
asked           sub-chunks asked for, each time one is asked for again included
in vain         sub-chunks that came though no eye on the way could have seen them"""


@frozen
class Proof:
    """Two measurements of one path.

    Attributes:
        by_sight: asking for what can be seen.
        baseline: asking for every sub-chunk in the radius; None where it was not measured.
    """

    by_sight: StreamReport
    baseline: StreamReport | None

    def as_json(self) -> dict[str, Any]:  # Any: what JSON holds
        """All of it."""
        baseline = self.baseline.as_json() if self.baseline else None
        return {"by_sight": self.by_sight.as_json(), "baseline": baseline, "asked_share": self.asked_share}

    @property
    def asked_share(self) -> float | None:
        """Entries asked by sight for each one of the baseline."""
        return self.by_sight.asked / self.baseline.asked if self.baseline and self.baseline.asked else None

    @property
    def exit_code(self) -> int:
        """4 when a rest did not come to its end, 1 when a hole was seen at one, else 0.

        A recording has no rest: whatever had come when it ended is what there is to measure.
        """
        if self.by_sight.recorded:
            return DONE
        if not self.by_sight.settled:
            return INCOMPLETE
        return CHECK_FAILED if self.by_sight.holes else DONE

    def tell(self, as_json: bool = False) -> int:
        """Says it on stdout and returns the exit code."""
        sys.stdout.write((json.dumps(self.as_json(), indent=2) if as_json else self.text()) + "\n")
        return self.exit_code

    def text(self) -> str:
        """Tables, and what came out in one sentence."""
        reports = [self.by_sight, *([self.baseline] if self.baseline else [])]
        return "\n\n".join([*map(_table, reports), KEY, " ".join([self.sentence(), *self._remarks()])])

    def sentence(self) -> str:
        """What came out, in one sentence."""
        first = self.by_sight.legs[0]
        where = "its end" if self.by_sight.recorded else "the spawn"
        how = "had been asked for" if first.asked else "had come, without being asked for"
        spawn = f"At {where} {first.answered} of {first.places} sub-chunks {how}"
        spawn += f", {first.answered / max(first.places_below_limit, 1):.0%} of those that may hold blocks"
        if self.asked_share is None or self.baseline is None:
            return f"{spawn}."
        saved = 1 - self.by_sight.bytes_in / max(self.baseline.bytes_in, 1)
        bytes_told = f"{abs(saved):.0%} {'fewer' if saved >= 0 else 'more'} bytes"
        path = f"the whole path took {self.asked_share:.0%} of the baseline's entries and {bytes_told}"
        return f"{spawn}; {path}."

    def _remarks(self) -> list[str]:
        """What a reader of the table would wonder about, a sentence each."""
        blind = [leg.name for leg in self.by_sight.legs if not leg.terrain_px]
        remarks = [f"No terrain pixel is in view at the end of {', '.join(blind)}: no moments."] if blind else []
        if self.by_sight.recorded and not self.by_sight.settled:
            remarks.append("The recording ends before all that was wanted had come.")
        return remarks


def prove(source: Source, options: Options, baseline: bool = True, progress: Progress | None = None) -> Proof:
    """Joins the source and goes the standard path; then once more for the baseline.

    A recording is measured as it was, and has no baseline.

    Args:
        source: where the world comes from.
        options: how to connect; ``timeout_s`` counts for joining and for each rest. Terrain kept from earlier visits is
            used only where they say so: the second measurement would find what the first one fetched.
        baseline: whether the second measurement is made.
        progress: told (share done 0..1, what is done) now and then.

    Raises:
        SourceError: the source cannot be joined, or ended the session.
        UsageError: a recording shall be slower than it was.
    """
    recorded = isinstance(source, WorldFile) and is_recording(source.path)
    if recorded and options.delay_s:
        raise UsageError(f"{source} is a recording: it has the delays that it was made with, and --delay adds none.")
    by_sight = _measure(source, options, False, progress)
    return Proof(by_sight, _measure(source, options, True, progress) if baseline and not recorded else None)


def _measure(source: Source, options: Options, everything: bool, progress: Progress | None) -> StreamReport:
    with open_connection(source, replace(options, light=False, cache=bool(options.cache)), progress) as connection:
        meter = StreamMeter(connection, time.monotonic, time.sleep, everything)
        if connection.replay:
            return meter.live_through(progress)
        return meter.run(standard_path(connection.session.view), options.timeout_s, progress)


def _table(report: StreamReport) -> str:
    rows = [HEAD, *map(_row, report.legs)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    title = f"{report.source}, radius {report.radius}, asking for {report.wanted}"
    return "\n".join(
        [
            f"{title}; round trip {report.round_trip_s * 1000:.0f} ms",
            *lines,
            *warning_lines(report.warnings),
        ]
    )


def _row(leg: LegReport) -> tuple[str, ...]:
    settled = "never" if not leg.settled else f"{leg.settled_s:.2f}" if leg.settled_s else "-"
    moments = tuple(f"{leg.right_s[share]:.2f}" if share in leg.right_s else "-" for share in SHARES)
    counts = (leg.holes, leg.asked, leg.received, leg.in_vain, leg.packets)
    sizes = f"{leg.bytes_out / 1e3:.1f}", f"{leg.bytes_in / 1e6:.2f}"
    return leg.name, *moments, settled, *map(str, counts), *sizes
