"""What frames cost, as frozen figures and as a table.

Time is split three ways: *ours* is the owner thread's processor time outside of GL calls (a driver like llvmpipe takes
the processor away at will), *gl* what passes inside of them (``gpu.gl_clock``), *gpu* what the GPU's timers say.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from net.frozen import frozen

HEAD: Final = f"{'':16}{'ours: min':>10}{'median':>9}{'p99':>9}{'GL calls':>10}{'p99':>9}{'GPU':>9}{'p99':>9}  ms"
ROWS_A_HEAD: Final = 40
"""Of a table: after so many its next leg has the head again, which a terminal no longer shows."""


@frozen
class Spread:
    """Of one figure over the frames of a leg, in milliseconds: least, median, 99th percentile."""

    least_ms: float
    median_ms: float
    p99_ms: float

    @classmethod
    def of(cls, seconds: Sequence[float]) -> "Spread":
        """Of at least one figure."""
        least, median, p99 = np.percentile(np.array(seconds) * 1e3, [0, 50, 99])
        return cls(float(least), float(median), float(p99))


@frozen
class PassReport:
    """One pass of one leg: our code, GL calls, the GPU."""

    ours: Spread
    gl: Spread
    gpu: Spread | None


@frozen
class LegReport:
    """One leg.

    Attributes:
        name: of its path, with the overlay that was on.
        frames: measured.
        cells_drawn: in its last frame.
        quads_drawn: likewise.
        quad_bytes: sent to the quad arena meanwhile.
        passes: by name; the whole frame, step and draw, first, then the step alone.
    """

    name: str
    frames: int
    cells_drawn: int
    quads_drawn: int
    quad_bytes: int
    passes: Mapping[str, PassReport]


@frozen
class FrameReport:
    """One radius.

    Attributes:
        source: where the world comes from.
        radius: visibility radius in columns.
        size_px: of the picture.
        renderer: who drew.
        draws: "indirect" or "plain".
        columns: that were there when it was measured.
        lacks: what was still waited for then, in words; empty where the world was whole.
        cells: render cells with quads.
        legs: in order.
    """

    source: str
    radius: int
    size_px: tuple[int, int]
    renderer: str
    draws: str
    columns: int
    lacks: str
    cells: int
    legs: tuple[LegReport, ...]

    def as_json(self) -> dict[str, Any]:  # Any: what JSON holds
        """All of it, keys as named above."""
        return asdict(self)

    def lines(self) -> Iterator[str]:
        """A table."""
        size = f"{self.size_px[0]} x {self.size_px[1]}"
        world = f"{self.source}, radius {self.radius}, {self.columns} columns"
        yield f"{world}, {size}, {self.draws} draws, {self.renderer}"
        if self.lacks:
            yield f"not whole when it was measured: {self.lacks}; a longer --timeout waits for more"
        yield HEAD
        rows = 0
        for leg in self.legs:
            if rows >= ROWS_A_HEAD:
                yield HEAD
                rows = 0
            for line in self._leg_lines(leg):
                yield line
                rows += 1

    def _leg_lines(self, leg: LegReport) -> Iterator[str]:
        """A line of its own, and one a pass."""
        drawn = f"{leg.cells_drawn} of {self.cells} cells, {leg.quads_drawn} quads"
        yield f"{leg.name}: {leg.frames} frames, {drawn}; {leg.quad_bytes} bytes of quads sent"
        for name, one in leg.passes.items():
            gpu = f"{one.gpu.median_ms:9.2f}{one.gpu.p99_ms:9.2f}" if one.gpu else ""
            ours = f"{one.ours.least_ms:10.3f}{one.ours.median_ms:9.3f}{one.ours.p99_ms:9.3f}"
            yield f"  {name:14}{ours}{one.gl.median_ms:10.2f}{one.gl.p99_ms:9.2f}{gpu}"
