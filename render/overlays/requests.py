"""The overlays ``age``, ``priority`` and ``waves``: the requests of each sub-chunk and their results.

``age``: time from the last request to the answer; waiting sub-chunks have a heavy outline; repeated requests have their
number. If the picture's own time advances, the label adds the time until it was drawn. Air that was answered quickly
has no box, since there is much of it.

``priority``: the priority in the last plan (``visibility``), as heat: roughly its distance in sub-chunks, plus
penalties to the side of the view, below the ground or in the sky. In a replay there are no plans.

``waves``: a box fades for ``PULSE_S`` after request and answer; requested and unanswered sub-chunks keep a thin one. A
batch is the sub-chunks of one request step (``RequestLog.waves``); a line leads from the player to its middle, with its
number and its answered share.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.session.request_log import RequestLog
from client.world.lifecycle import SubChunkState
from render.overlays.facts import OverlayFacts
from render.overlays.overlay import LABELS_HIDDEN, OverlayMarks, counted, heat_styles, overlay, rising, step_of
from render.passes.overlay.boxes import SUBCHUNK_BLOCKS, Boxes, Hatch, Outline, Style
from render.passes.overlay.labels import Labels, Texts
from render.passes.overlay.lines import Lines

BOUNDS_S: Final = (0.1, 0.25, 0.5, 1.0, 2.0)
ANSWERED_BY_AGE: Final = heat_styles(
    ["answered in " + words for words in rising(BOUNDS_S, "{:g} s".format)], Outline.THIN
)
WAITING_BY_AGE: Final = heat_styles(["waiting " + words for words in rising(BOUNDS_S, "{:g} s".format)], Outline.HEAVY)
AGE_STYLES: Final = (*ANSWERED_BY_AGE, *WAITING_BY_AGE)
LEAST: Final = len("0.00 s"), 1
"""Characters and rows of a label."""
SLOW_S: Final = 1.0
"""Slower air has a box, too."""


@overlay("age", letter="A", title="time until each sub-chunk was answered and drawn", place=5, layer=8, lasts_s=0.25)
def age_marks(facts: OverlayFacts) -> OverlayMarks:
    trail = facts.trail
    if trail is None:
        return OverlayMarks()
    waits = trail.awaited
    with np.errstate(invalid="ignore"):
        took_s = np.where(waits, trail.now_s, trail.answered_s) - trail.asked_s
        known = took_s >= 0
        some = known & (waits | (facts.states != SubChunkState.ALL_AIR) | (took_s >= SLOW_S))
    chosen = step_of(took_s[some], BOUNDS_S) + np.where(waits[some], len(ANSWERED_BY_AGE), 0).astype(np.uint8)
    corners = facts.positions[some] * SUBCHUNK_BLOCKS
    took_s, asked, drawn_s = took_s[some], trail.asked[some], (facts.drawn_s - trail.asked_s)[some]

    def say(number: int) -> str:
        return format_timing(float(took_s[number]), int(asked[number]), float(drawn_s[number]))

    return OverlayMarks(
        boxes=Boxes.of(corners, chosen, AGE_STYLES),
        labels=Labels.of(corners + SUBCHUNK_BLOCKS / 2, Texts(len(corners), say), least=LEAST),
        legend=counted(AGE_STYLES, chosen),
        hidden=LABELS_HIDDEN,
        moves=bool(waits[some].any()),
    )


def format_timing(took_s: float, asked: int, drawn_s: float) -> str:
    """The label: seconds since the last request, number of requests, and time of drawing, if known."""
    again = f" x{asked}" if asked > 1 else ""
    return f"{took_s:.2f} s{again}" + (f"\ndrawn {drawn_s:.2f} s" if drawn_s >= 0 else "")


# ---------------------------------------------------------------- priority

BOUNDS: Final = (-48.0, -24.0, -12.0, -6.0, -3.0)
"""Bounds of negated needs, so that urgent ones are hot."""
PRIORITY_STYLES: Final = heat_styles(("over 48: last", "24 to 48", "12 to 24", "6 to 12", "3 to 6", "under 3: first"))
LABELLED: Final = 200
"""Number of most urgent sub-chunks that have labels."""


@overlay("priority", letter="U", title="request priority of each sub-chunk", place=6, layer=7, lasts_s=0.5)
def priority_marks(facts: OverlayFacts) -> OverlayMarks:
    trail = facts.trail
    if trail is None:
        return OverlayMarks()
    planned = ~np.isnan(trail.needs) & (facts.states != SubChunkState.ALL_AIR)
    needs = trail.needs[planned]
    chosen = step_of(-needs, BOUNDS)
    corners = facts.positions[planned] * SUBCHUNK_BLOCKS
    first = most_urgent(needs)
    texts = [f"{need:.1f}" for need in needs[first].tolist()]
    return OverlayMarks(
        boxes=Boxes.of(corners, chosen, PRIORITY_STYLES),
        labels=Labels.of(corners[first] + SUBCHUNK_BLOCKS / 2, texts),
        legend=counted(PRIORITY_STYLES, chosen)[::-1],
        hidden=LABELS_HIDDEN,
        moves=False,
    )


def most_urgent(needs: npt.NDArray[np.float32]) -> npt.NDArray[np.int64]:
    """Indices of the ``LABELLED`` lowest needs, lowest first; equal ones keep their order."""
    if len(needs) <= LABELLED:
        return np.argsort(needs, kind="stable")
    some = np.flatnonzero(needs <= np.partition(needs, LABELLED - 1)[LABELLED - 1])
    first: npt.NDArray[np.int64] = some[np.argsort(needs[some], kind="stable")][:LABELLED]
    return first


# ---------------------------------------------------------------- waves

PULSE_S: Final = 1.5
MOST_BATCHES: Final = 12
"""Batches with a line, the latest ones."""
BELOW_EYE_BLOCKS: Final = 1.5
"""Lines start below the player's eye: from the eye itself they would be points."""
ASKED, ANSWERED_NOW, STILL_WAITING = range(3)
WAVES_STYLES: Final = (
    Style("requested just now", (1.00, 0.72, 0.10), Outline.THIN, Hatch.DIAGONAL, 0.85, 0.12),
    Style("answered just now", (0.34, 0.80, 1.00), Outline.THIN, Hatch.DOTS, 0.8, 0.12),
    Style("requested, no answer yet", (0.90, 0.62, 0.00), Outline.DOTTED, Hatch.NONE, 0.0),
)
LINE_TONE: Final = (255, 200, 60, 220)
LABEL_TONE: Final = (255, 214, 110)


@overlay(
    "waves",
    letter="W",
    title="requests and answers of the last moments, batch by batch",
    place=4,
    layer=10,
    lasts_s=0.05,
)
def waves_marks(facts: OverlayFacts) -> OverlayMarks:
    trail = facts.trail
    if trail is None:
        return OverlayMarks()
    chosen, shares = pulses(trail)
    some = shares > 0
    boxes = Boxes.of(facts.positions[some] * SUBCHUNK_BLOCKS, chosen[some], WAVES_STYLES, shares=shares[some])
    middles, texts = batches(facts, trail, some & (chosen != STILL_WAITING))
    begins = np.broadcast_to(np.array(trail.player) - (0.0, BELOW_EYE_BLOCKS, 0.0), middles.shape)
    return OverlayMarks(
        boxes=boxes,
        lines=Lines.of(begins, middles, LINE_TONE),
        labels=Labels.of(middles, texts, LABEL_TONE),
        legend=counted(WAVES_STYLES, chosen[some]),
        hidden=0.5,
        moves=bool((chosen[some] != STILL_WAITING).any()),
    )


def pulses(trail: RequestLog) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.float32]]:
    """Style of each sub-chunk, and its opacity; the later event flashes, 0: none."""
    asked = _fresh(trail.now_s - trail.asked_s)
    answered = _fresh(trail.now_s - trail.answered_s)
    chosen = np.where(answered > asked, ANSWERED_NOW, ASKED).astype(np.uint8)
    shares = np.maximum(asked, answered)
    waits = trail.awaited & (shares <= 0)
    chosen[waits] = STILL_WAITING
    shares[waits] = 1.0
    return chosen, shares.astype(np.float32)


def _fresh(age_s: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """1 at the event .. 0 after a pulse, and 0 without an event."""
    return np.fmin(np.fmax(1.0 - age_s / PULSE_S, 0.0), 1.0)  # fmax ignores NaN


def batches(
    facts: OverlayFacts, trail: RequestLog, flashing: npt.NDArray[np.bool_]
) -> tuple[npt.NDArray[np.float64], tuple[str, ...]]:
    """Middles float64[m, 3] of the latest flashing batches, in blocks, and the texts of their labels."""
    numbers = np.unique(trail.waves[flashing & (trail.waves > 0)])[-MOST_BATCHES:]
    members = np.flatnonzero(np.isin(trail.waves, numbers))
    of = np.searchsorted(numbers, trail.waves[members])
    many = np.bincount(of, minlength=len(numbers))
    settled = np.bincount(of[~trail.awaited[members]], minlength=len(numbers))
    sums = [np.bincount(of, axis, len(numbers)) for axis in facts.positions[members].T]
    middles = np.stack(sums, axis=1) / many[:, None] * SUBCHUNK_BLOCKS + SUBCHUNK_BLOCKS / 2
    rows = zip(numbers.tolist(), settled.tolist(), many.tolist(), strict=True)
    return middles, tuple(f"batch {number}\n{done} of {all_} answered" for number, done, all_ in rows)
