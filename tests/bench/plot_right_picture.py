"""Plots the time to the right picture into docs/pictures: ``python -m tests.bench.plot_right_picture``.

Virtual time, so the same on every machine: the bench world, radius 12, a round trip of 216 ms. Drawn from the ground;
printed also from above.
"""

import math
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from matplotlib import rcParams
from matplotlib.pyplot import subplots

from client.session import requests
from net.server.worlds.bench import BenchWorld
from render.bench import streaming
from render.bench.streaming import Leg
from tests.support.session.virtual import StreamedWorld

OUT: Final = Path(__file__).parents[2] / "docs" / "pictures" / "right-picture.svg"
RADIUS: Final = 12
ROUND_TRIP_S: Final = 0.216
ABOVE_BLOCKS: Final = 40
PER_CENT: Final = (*range(2, 100, 2), 99, 100)
CURVES: Final = (
    ("every sub-chunk below the limit", "#888888", True, False),
    ("what is visible, as on a fast line", "#d08000", False, False),
    ("what is visible, as on a slow line (default)", "#2060c0", False, True),
)
"""What is requested, its colour, whether that is everything, and whether the rules for slow lines hold."""
MODES: Final = {"limited": "columns with a limit", "limitless": "columns without a limit"}


@contextmanager
def changed(slow: bool) -> Iterator[None]:
    """Measures every share, with the rules for slow lines or without."""
    before = streaming.SHARES, requests.SLOW_LINE_S
    streaming.SHARES = PER_CENT  # type: ignore[misc]
    requests.SLOW_LINE_S = before[1] if slow else math.inf  # type: ignore[misc]
    try:
        yield
    finally:
        streaming.SHARES, requests.SLOW_LINE_S = before  # type: ignore[misc]


def seconds(
    world: BenchWorld, mode: str, name: str, everything: bool, slow: bool, above_blocks: float = 0.0
) -> dict[int, float]:
    """When so many per cent of the picture's terrain were right, from the first request on; prints them as well."""
    with changed(slow):
        streamed = StreamedWorld(world, RADIUS, mode, ROUND_TRIP_S, everything)
        leg = streamed.meter.run((Leg("spawn", streamed.above(above_blocks)),), 120.0).legs[0]
    points, asked = dict(leg.right_s), 100 * leg.answered / leg.places
    print(
        f"{mode}, {above_blocks:.0f} blocks above the ground, {name}: 90 % after {points[90]:.3f} s, "
        f"99 % {points[99]:.3f}, 100 % {points[100]:.3f}; requested of all: {asked:.1f} %",
        flush=True,
    )
    return points


def main() -> None:
    """Measures, prints and writes."""
    world = BenchWorld(1, 2 * RADIUS + 5)
    rcParams.update({"svg.hashsalt": "the same bytes each time", "svg.fonttype": "none"})
    figure, plots = subplots(1, len(MODES), figsize=(9, 3.2), layout="constrained")
    for plot, (mode, title) in zip(plots, MODES.items(), strict=True):
        for name, colour, everything, slow in CURVES:
            seconds(world, mode, name, everything, slow, ABOVE_BLOCKS)
            points = seconds(world, mode, name, everything, slow)
            plot.plot(points.values(), points.keys(), colour, label=name)
        plot.set(title=title, xlabel="seconds after the first request", ylim=(70, 100.5), xlim=(0, None))
        plot.grid(alpha=0.4)
    plots[0].set_ylabel("per cent of the picture that are final")
    plots[0].legend(loc="lower right", fontsize="small")
    figure.savefig(OUT, metadata={"Date": None})
    print(OUT)


if __name__ == "__main__":
    main()
