"""The overlay ``age``: how long each sub-chunk took from its last question to the answer, or waits for one.

Waiting ones have a heavy outline; what was asked more than once says how often. Where the picture's own time moves
(a window, a capture that is watched), the label adds how long it took from the question until it was drawn. Air that
was answered in time has no box: there is much of it.
"""

from typing import Final

import numpy as np

from client.world.lifecycle import Knowledge
from render.overlays.facts import Facts
from render.overlays.heat import heat_styles, rising, step_of
from render.overlays.marks import LABELS_HIDDEN, Marks, counted
from render.passes.boxes import SUBCHUNK_BLOCKS, Boxes
from render.passes.labels import Labels, Texts
from render.passes.state_styles import Line

BOUNDS_S: Final = (0.1, 0.25, 0.5, 1.0, 2.0)
ANSWERED: Final = heat_styles(["answered in " + words for words in rising(BOUNDS_S, "{:g} s".format)], Line.THIN)
WAITING: Final = heat_styles(["waiting " + words for words in rising(BOUNDS_S, "{:g} s".format)], Line.HEAVY)
STYLES: Final = (*ANSWERED, *WAITING)
LEAST: Final = len("0.00 s"), 1
"""Characters and rows of a label."""
SLOW_S: Final = 1.0
"""Air that took longer has a box all the same."""


def marks(facts: Facts) -> Marks:
    """A box for each that waits, holds blocks or was slow."""
    trail = facts.trail
    if trail is None:
        return Marks()
    waits = trail.awaited
    with np.errstate(invalid="ignore"):
        took_s = np.where(waits, trail.now_s, trail.answered_s) - trail.asked_s
        known = took_s >= 0
        some = known & (waits | (facts.states != Knowledge.ALL_AIR) | (took_s >= SLOW_S))
    chosen = step_of(took_s[some], BOUNDS_S) + np.where(waits[some], len(ANSWERED), 0).astype(np.uint8)
    corners = facts.positions[some] * SUBCHUNK_BLOCKS
    took_s, asked, drawn_s = took_s[some], trail.asked[some], (facts.drawn_s - trail.asked_s)[some]

    def say(number: int) -> str:
        return told(float(took_s[number]), int(asked[number]), float(drawn_s[number]))

    return Marks(
        boxes=Boxes.of(corners, chosen, STYLES),
        labels=Labels.of(corners + SUBCHUNK_BLOCKS / 2, Texts(len(corners), say), least=LEAST),
        legend=counted(STYLES, chosen),
        hidden=LABELS_HIDDEN,
        moves=bool(waits[some].any()),
    )


def told(took_s: float, asked: int, drawn_s: float) -> str:
    """The label of one: seconds since it was asked last, how often it was, and when it was drawn, where known."""
    again = f" x{asked}" if asked > 1 else ""
    return f"{took_s:.2f} s{again}" + (f"\ndrawn {drawn_s:.2f} s" if drawn_s >= 0 else "")
