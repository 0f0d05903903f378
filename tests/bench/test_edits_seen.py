"""How long an edit by one client takes to the pixels of another's window, over sockets of one machine.

Target (issue 21): 100 ms. The server, the window and the client that builds have a process each; the window is on a
virtual screen, whose memory is read. They share the processors, which also draw the picture, so how long it takes says
how busy the machine is: what gates is its ratio to the time until the client that builds is told, in the same run.
"""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import chunkscope
from client.connection.connection import Connection
from tests.support.bench.gates import gate, gated
from tests.support.servers.process import served
from tests.support.window.process import viewer
from tests.support.window.screen import Screen, screen

pytestmark = [pytest.mark.bench, pytest.mark.gpu]

MOST_TIMES_TOLD = 6.0
"""Times as long as until the client that builds is told, at p50: 2.1 to 3.7 measured, where neighbours delay each frame
(64 ms at load 10 on two cores, 142 ms at load 17)."""
EDITS = 100
GROUND = (3, -61, 3)
BUILT = (3, -60, 3)
VIEW = ("--at", "3.5,-57,9.5", "--look", "180,20", "--size", "320x200", "--radius", "3")
GOLD_PIXELS = 100
"""Of the block, which has 300; fragments of a broken one have fewer."""
LONGEST_S = 20.0
POLL_S = 0.001


@pytest.fixture
def display() -> Iterator[Screen]:
    with screen() as shown:
        yield shown


@gated
def test_an_edit_is_in_the_window_of_another(display: Screen, tmp_path: Path) -> None:
    settings = tmp_path / "config.toml"  # of no first start: its card would hide the block, as the HUD would
    settings.write_text("[window]\nhud = false\n")
    with served("flat") as server:
        source, environment = f"127.0.0.1:{server.port}", {"CHUNKSCOPE_CONFIG": str(settings)}
        with (
            viewer(display, tmp_path, source, *VIEW, **environment) as running,
            chunkscope.connect(source, radius=2) as builder,
        ):
            running.wait("settled")
            builder.wait_settled()
            told_ms, seen_ms = Edits(display, builder).measured(EDITS)
    told_p50, seen_p50 = (float(np.median(each)) for each in (told_ms, seen_ms))
    for what, each in (("told to the client that builds", told_ms), ("in the window of the other", seen_ms)):
        p10, p50, p99 = np.percentile(each, (10, 50, 99)).tolist()
        print(f"\n{EDITS} edits, {what}: p10 {p10:.0f} ms, p50 {p50:.0f} ms, p99 {p99:.0f} ms", end="")
    print()
    gate("an edit in the window of another, times as long as told, p50", seen_p50 / told_p50, MOST_TIMES_TOLD)


class Edits:
    """A block of gold that one client builds and breaks in another's window."""

    def __init__(self, display: Screen, builder: Connection) -> None:
        self._display, self._builder, self._built = display, builder, False

    def measured(self, count: int) -> tuple[list[float], list[float]]:
        """Milliseconds until the builder is told of each edit, and until it is in the window."""
        ways: tuple[tuple[Callable[[], bool], list[float]], ...] = ((self._told, []), (self._seen, []))
        for _ in range(count):
            start, left = time.monotonic(), list(ways)
            self._edit()
            while left:
                assert time.monotonic() < start + LONGEST_S, f"told: {self._told()}, in the window: {self._seen()}"
                self._builder.pump()
                for way in [way for way in left if way[0]()]:
                    way[1].append(1e3 * (time.monotonic() - start))
                    left.remove(way)
                threading.Event().wait(POLL_S)
        return ways[0][1], ways[1][1]

    def _edit(self) -> None:
        if self._built:
            self._builder.break_block(BUILT)
        else:
            self._builder.build(GROUND, "gold_block")
        self._built = not self._built

    def _told(self) -> bool:
        return (self._builder.block(BUILT).name == "minecraft:gold_block") is self._built

    def _seen(self) -> bool:
        red, green, blue = self._display.picture()[:200, :320].astype(np.int16).transpose(2, 0, 1)
        gold = (red > green) & (green > 2 * blue) & (red > 100)
        return bool(gold.sum() > GOLD_PIXELS) is self._built
