"""The overlay ``waves``: sub-chunks flash when they are asked and when they are answered, batch by batch.

A box fades for ``PULSE_S`` after each of both; what is asked and not answered keeps a thin one. A batch is what one
step of asking named (``Trail.waves``). From the player, whose questions these are, a line leads to the middle of each
batch that flashes, with its number and how much of it has been answered.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.session.request_log import Trail
from render.overlays.facts import Facts
from render.overlays.marks import Marks, counted
from render.passes.boxes import SUBCHUNK_BLOCKS, Boxes
from render.passes.labels import Labels
from render.passes.lines import Lines
from render.passes.state_styles import Hatch, Line, Style

PULSE_S: Final = 1.5
MOST_BATCHES: Final = 12
"""That have a line, the youngest."""
BELOW_EYE_BLOCKS: Final = 1.5
"""Lines begin below the player's eye: from the eye itself they would be points."""
ASKED, ANSWERED, WAITING = range(3)
STYLES: Final = (
    Style("asked just now", (1.00, 0.72, 0.10), Line.THIN, Hatch.DIAGONAL, 0.85, 0.12),
    Style("answered just now", (0.34, 0.80, 1.00), Line.THIN, Hatch.DOTS, 0.8, 0.12),
    Style("asked, no answer yet", (0.90, 0.62, 0.00), Line.DOTTED, Hatch.NONE, 0.0),
)
LINE_TONE: Final = (255, 200, 60, 220)
LABEL_TONE: Final = (255, 214, 110)


def marks(facts: Facts) -> Marks:
    """Boxes that flash or wait, lines and labels of their batches."""
    trail = facts.trail
    if trail is None:
        return Marks()
    chosen, shares = pulses(trail)
    some = shares > 0
    boxes = Boxes.of(facts.positions[some] * SUBCHUNK_BLOCKS, chosen[some], STYLES, shares=shares[some])
    middles, texts = batches(facts, trail, some & (chosen != WAITING))
    begins = np.broadcast_to(np.array(trail.player) - (0.0, BELOW_EYE_BLOCKS, 0.0), middles.shape)
    return Marks(
        boxes=boxes,
        lines=Lines.of(begins, middles, LINE_TONE),
        labels=Labels.of(middles, texts, LABEL_TONE),
        legend=counted(STYLES, chosen[some]),
        hidden=0.5,
        moves=bool((chosen[some] != WAITING).any()),
    )


def pulses(trail: Trail) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """Which style each sub-chunk has, and how much of it shows, 0: none.

    Of both what is younger flashes; an answer that was there before the question says nothing of it.
    """
    asked = _fresh(trail.now_s - trail.asked_s)
    answered = _fresh(trail.now_s - trail.answered_s)
    chosen = np.where(answered > asked, ANSWERED, ASKED).astype(np.uint8)
    shares = np.maximum(asked, answered)
    waits = trail.awaited & (shares <= 0)
    chosen[waits] = WAITING
    shares[waits] = 1.0
    return chosen, shares.astype(np.float32)


def _fresh(age_s: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """1 at once .. 0 after a pulse, and where it never was."""
    return np.fmin(np.fmax(1.0 - age_s / PULSE_S, 0.0), 1.0)  # of a number and none fmax takes the number


def batches(
    facts: Facts, trail: Trail, flashing: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float64], tuple[str, ...]]:
    """Middles float64[m, 3] of the youngest batches that flash, in blocks, and what their labels say."""
    numbers = np.unique(trail.waves[flashing & (trail.waves > 0)])[-MOST_BATCHES:]
    members = np.flatnonzero(np.isin(trail.waves, numbers))
    of = np.searchsorted(numbers, trail.waves[members])
    many = np.bincount(of, minlength=len(numbers))
    settled = np.bincount(of[~trail.awaited[members]], minlength=len(numbers))
    sums = [np.bincount(of, axis, len(numbers)) for axis in facts.positions[members].T]
    middles = np.stack(sums, axis=1) / many[:, None] * SUBCHUNK_BLOCKS + SUBCHUNK_BLOCKS / 2
    rows = zip(numbers.tolist(), settled.tolist(), many.tolist(), strict=True)
    return middles, tuple(f"batch {number}\n{done} of {all_} answered" for number, done, all_ in rows)
