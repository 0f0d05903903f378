"""The overlays ``states``, ``states=all``, ``errors``, ``palette`` and ``proof``.

``states``: a filled box around every sub-chunk with a problem, or missing in the picture. Received, air and unrequested
sub-chunks have no box. ``states=all`` has a box for every sub-chunk.

1. A received sub-chunk without a mesh, or without light (none was made, or the GPU has no memory for it), or with
   unknown blocks, or whose height map contradicts its blocks, is shown as such instead of "received": a failed mesh
   takes precedence over a missing one, that over light, over unknown blocks, over heights (rules: ``health``).
2. A column that the server omitted among announced ones is one box from floor to roof: its sections are unknown, and
   without a box it would be an unexplained hole.
3. Columns that the server does not update (``client.session.publisher_area``) have a ring on each side of their boxes;
   those of air have none, since they would hide the others.
4. Of the unanswered sub-chunks, only late ones count as a problem (``client.session.request_log.are_late``).

``errors``: a beam where a sub-chunk was refused or its bytes are invalid, with the reason. Beams reach over the roof
and are visible from far away; boxes mark the place itself. Refusals show their code as number and words, undecodable
sub-chunks the error, with packet, field and offset.

``palette``: how the blocks of each sub-chunk were encoded: bits a block as heat; labels say them and how many
block states the palette has; a ring marks a second layer (water in blocks); unknown ids are shown conspicuously, with
their number.

``proof``: why a sub-chunk is taken for air, and whether the server's data about it is consistent. Every sub-chunk of
air has a label, and contradictions a conspicuous one:

    limit 8         above the limit of its column's announcement; only the lowest and the highest of these have it
    code 6          the server's result code, "all air"; 1 where it sent blocks
    no map          its answer had no height map
    map             it had one, 256 values
    map too high    it said: the surface is above all of it
    map too low     it said: the surface is below all of it

A contradiction is a height map that fits the blocks sent with it under no reading
(``net.subchunk.heights.HeightVerdict``): the server is wrong about one of them.
"""

from textwrap import wrap
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from client.report.why_facts import code_name
from client.session.request_log import RequestLog, heights_contradict
from client.world.height_maps import HeightVerdict
from client.world.lifecycle import STATES, SubChunkState
from render.overlays.facts import OverlayFacts
from render.overlays.overlay import LABELS_HIDDEN, LegendRow, OverlayMarks, counted, heat_styles, overlay, step_of
from render.passes.overlay.boxes import (
    CONTRADICTED,
    FAILED,
    STYLES,
    SUBCHUNK_BLOCKS,
    UNKNOWN_BLOCKS,
    UNLIT,
    UNMESHED,
    UNSENT,
    Boxes,
    Hatch,
    Outline,
    Style,
)
from render.passes.overlay.labels import Labels, Texts

# ---------------------------------------------------------------- states

PAINTED: Final = (*STYLES.values(), CONTRADICTED, UNKNOWN_BLOCKS, UNLIT, UNMESHED, FAILED, UNSENT)
NUMBER: Final = {style: number for number, style in enumerate(PAINTED)}
NO_BOX: Final = 255
CHOICE: Final = np.full(STATES, NO_BOX, np.uint8)
"""By state: index into ``PAINTED``."""
CHOICE[[int(state) for state in STYLES]] = np.arange(len(STYLES))
AIRY: Final = (SubChunkState.KNOWN_AIR, SubChunkState.ALL_AIR)


FAULT_FILL: Final = 0.12
FAULTS: Final = (
    *(STYLES[state] for state in (SubChunkState.REQUESTED, SubChunkState.REFUSED, SubChunkState.UNDECODABLE)),
    *(CONTRADICTED, UNKNOWN_BLOCKS, UNLIT, UNMESHED, FAILED, UNSENT),
)
"""Those of ``PAINTED`` that are problems."""
LATE: Final = "late: not answered in time"
FAULT_STYLES: Final = tuple(
    replace(each, fill=FAULT_FILL, label=LATE if each is STYLES[SubChunkState.REQUESTED] else each.label)
    for each in PAINTED
)
"""The styles of ``PAINTED`` in the overlay ``states``."""
IS_FAULT: Final = np.array([each in FAULTS for each in PAINTED])


@overlay(
    "states",
    letter="S",
    title="all problems: refused, late, undecodable, wrong, never sent or not drawn",
    place=1,
    keys=("F6",),
    then="states=all",
    layer=4,
)
def states_marks(facts: OverlayFacts) -> OverlayMarks:
    late = facts.states == SubChunkState.REQUESTED
    if facts.trail is not None:
        late = facts.trail.late
    return _marks(facts, FAULT_STYLES, late)


@overlay("states=all", letter="Z", title="the state of every sub-chunk", place=1, layer=4)
def all_states_marks(facts: OverlayFacts) -> OverlayMarks:
    return _marks(facts, PAINTED, None)


def _marks(facts: OverlayFacts, styles: tuple[Style, ...], late: npt.NDArray[np.bool_] | None) -> OverlayMarks:
    """Boxes in the given styles, ``PAINTED`` or their replacements: all, or only problems if ``late`` is given."""
    chosen = CHOICE[facts.states]
    received = facts.states == SubChunkState.DATA
    unknown = facts.unknown & received
    if facts.trail is not None:
        held = received | np.isin(facts.states, AIRY)
        chosen[heights_contradict(facts.trail.height_verdicts, unknown) & held] = NUMBER[CONTRADICTED]
    chosen[unknown] = NUMBER[UNKNOWN_BLOCKS]
    for which, style in ((facts.unlit, UNLIT), (facts.unmeshed, UNMESHED), (facts.failed, FAILED)):
        chosen[which & received] = NUMBER[style]
    some = chosen != NO_BOX
    if late is not None:
        chosen[late] = NUMBER[STYLES[SubChunkState.REQUESTED]]
        some[some] = IS_FAULT[chosen[some]]
        some &= late | (facts.states != SubChunkState.REQUESTED)
    rings = facts.stale & ~np.isin(facts.states, AIRY)
    unsent = _columns(facts)
    numbers = np.concatenate([chosen[some], np.full(len(unsent), NUMBER[UNSENT], np.uint8)])
    sizes = np.full((len(numbers), 3), SUBCHUNK_BLOCKS, np.int32)
    sizes[len(numbers) - len(unsent) :, 1] = facts.roof_blocks - facts.floor_section * SUBCHUNK_BLOCKS
    boxes = Boxes.of(
        np.concatenate([facts.positions[some] * SUBCHUNK_BLOCKS, unsent]),
        numbers,
        styles,
        sizes,
        rings=np.concatenate([rings[some], np.zeros(len(unsent), np.bool_)]),
    )
    return OverlayMarks(boxes=boxes, legend=counted(styles, numbers))


def _columns(facts: OverlayFacts) -> np.ndarray[tuple[int, int], np.dtype[np.int32]]:
    """int32[m, 3] lowest corners of columns that were never announced, in blocks."""
    x, z = facts.unsent[:, 0], facts.unsent[:, 1]
    return np.stack([x, np.full_like(x, facts.floor_section), z], axis=1).astype(np.int32) * SUBCHUNK_BLOCKS


# ---------------------------------------------------------------- errors

REFUSED: Final = STYLES[SubChunkState.REFUSED]
UNDECODABLE: Final = STYLES[SubChunkState.UNDECODABLE]
ERRORS_STYLES: Final = (
    REFUSED,
    UNDECODABLE,
    Style("beam at a refused sub-chunk", REFUSED.colour, Outline.HEAVY, Hatch.NONE, 0.0, 0.45),
    Style("beam at an undecodable sub-chunk", UNDECODABLE.colour, Outline.HEAVY, Hatch.LEVEL, 0.9, 0.45),
)
BEAM_BLOCKS: Final = 2
ABOVE_ROOF_BLOCKS: Final = 32
LONGEST_LINE: Final = 24
MOST_LINES: Final = 5


@overlay("errors", letter="E", title="beams at refused and undecodable sub-chunks", place=8, layer=12)
def errors_marks(facts: OverlayFacts) -> OverlayMarks:
    failed = np.flatnonzero(np.isin(facts.states, (SubChunkState.REFUSED, SubChunkState.UNDECODABLE)))
    broken = (facts.states[failed] == SubChunkState.UNDECODABLE).astype(np.uint8)
    corners = facts.positions[failed] * SUBCHUNK_BLOCKS
    feet = corners + np.array([SUBCHUNK_BLOCKS // 2 - BEAM_BLOCKS // 2, SUBCHUNK_BLOCKS, SUBCHUNK_BLOCKS // 2 - 1])
    beams = np.full((len(failed), 3), BEAM_BLOCKS, np.int32)
    beams[:, 1] = facts.roof_blocks + ABOVE_ROOF_BLOCKS - feet[:, 1]
    whole = np.full((len(failed), 3), SUBCHUNK_BLOCKS, np.int32)
    boxes = Boxes.of(
        np.concatenate([corners, feet]),
        np.concatenate([broken, broken + 2]).astype(np.uint8),
        ERRORS_STYLES,
        np.concatenate([whole, beams]),
    )
    tones = np.where(broken[:, None] == 1, (255, 130, 150), (255, 190, 120))
    texts = [
        reason(facts.trail, number, bool(bad)) for number, bad in zip(failed.tolist(), broken.tolist(), strict=True)
    ]
    return OverlayMarks(
        boxes=boxes,
        labels=Labels.of(corners + SUBCHUNK_BLOCKS / 2, texts, tones),
        legend=(LegendRow(REFUSED, int((broken == 0).sum())), LegendRow(UNDECODABLE, int(broken.sum()))),
        hidden=0.6,
    )


def reason(trail: RequestLog | None, number: int, broken: bool) -> str:
    """Why a sub-chunk failed, on a few short lines."""
    if trail is None:
        return "undecodable" if broken else "refused"
    if broken:
        text = trail.faults.get(number) or "the text is no longer stored"
        return "\n".join(wrap(f"undecodable: {text}", LONGEST_LINE)[:MOST_LINES])
    code = int(trail.codes[number])
    return "\n".join(wrap(f"code {code}: {code_name(code)}", LONGEST_LINE))


# ---------------------------------------------------------------- palette

BOUNDS: Final = (1, 3, 4, 5, 6)
UNKNOWN: Final = Style("contains ids outside the palette", (1.00, 0.25, 0.85), Outline.HEAVY, Hatch.X, 0.95, 0.20)
SECOND: Final = Style("has a second layer", (1.00, 1.00, 1.00), Outline.NONE, Hatch.NONE, 0.0, ring=True)
WIDTHS: Final = heat_styles(
    ("one block, no bits", "1 or 2 bits a block", "3 bits", "4 bits", "5 bits", "6 bits or more")
)
PALETTE_STYLES: Final = (*WIDTHS, UNKNOWN)

LEAST: Final = len("1 bit a block"), 2
"""Characters and rows of a label."""


@overlay("palette", letter="T", title="bits a block, block states, second layer, unknown ids", place=9, layer=5)
def palette_marks(facts: OverlayFacts) -> OverlayMarks:
    trail = facts.trail
    if trail is None:
        return OverlayMarks()
    some = np.flatnonzero(np.isin(facts.states, (SubChunkState.DATA, SubChunkState.RESET)))
    widths, sizes, unknown = trail.widths[some], trail.palettes[some], facts.unknown_ids[some]
    second = facts.second_layer[some]
    chosen = np.where(unknown > 0, len(WIDTHS), step_of(widths, BOUNDS)).astype(np.uint8)
    corners = facts.positions[some] * SUBCHUNK_BLOCKS

    def say(number: int) -> str:
        return format_palette_width(int(widths[number]), int(sizes[number]), bool(second[number]), int(unknown[number]))

    tones = np.where(unknown[:, None] > 0, (255, 150, 240), (255, 255, 255))
    return OverlayMarks(
        boxes=Boxes.of(corners, chosen, PALETTE_STYLES, rings=second),
        labels=Labels.of(corners + SUBCHUNK_BLOCKS / 2, Texts(len(corners), say), tones, LEAST),
        legend=(*counted(PALETTE_STYLES, chosen), LegendRow(SECOND, int(second.sum()))),
        hidden=LABELS_HIDDEN,
    )


def format_palette_width(width: int, size: int, second: bool, unknown: int) -> str:
    """The label: bits a block, entries, whether it has a second layer, number of unknown ids."""
    bits, states = "bit" if width == 1 else "bits", "state" if size == 1 else "states"
    more = ("\nsecond layer" if second else "") + (f"\n{unknown} unknown" if unknown else "")
    return f"{width} {bits} a block\n{size} {states}{more}"


# ---------------------------------------------------------------- proof

KIND_WORDS: Final = ("no map", "map", "map too high", "map too low")
"""By ``HeightKind``; "too high" and "too low" are the protocol's own words."""
LIMIT, SAID, SAID_WITHOUT, CONTRADICTS = range(4)
PROOF_STYLES: Final = (
    Style("known air: above the column's lowest limit", (0.75, 0.88, 0.97), Outline.CORNERS, Hatch.NONE, 0.0),
    Style("air by answer (code 6) with a height map", (0.34, 0.71, 0.91), Outline.DOTTED, Hatch.NONE, 0.0),
    Style("air by answer without a height map", (0.94, 0.89, 0.26), Outline.THIN, Hatch.DOTS, 0.6),
    Style("!! the height map contradicts the blocks", (0.95, 0.10, 0.25), Outline.HEAVY, Hatch.X, 0.95, 0.15),
)
TONES: Final = np.array([(200, 226, 248), (120, 200, 255), (255, 240, 120), (255, 120, 130)], np.uint8)
NONE: Final = 255


@overlay("proof", letter="F", title="evidence for air, and whether height maps agree", place=7, layer=6)
def proof_marks(facts: OverlayFacts) -> OverlayMarks:
    trail = facts.trail
    if trail is None:
        return OverlayMarks()
    chosen = proofs(facts.states, trail)
    some = np.flatnonzero(chosen != NONE)
    corners = facts.positions[some] * SUBCHUNK_BLOCKS
    told = some[(chosen[some] != LIMIT) | above_limit(facts, trail)[some]]

    floor = facts.floor_section

    def say(at: int) -> str:
        return glyph(trail, floor, int(told[at]), int(chosen[told[at]]))

    return OverlayMarks(
        boxes=Boxes.of(corners, chosen[some], PROOF_STYLES),
        labels=Labels.of(
            facts.positions[told] * SUBCHUNK_BLOCKS + SUBCHUNK_BLOCKS / 2, Texts(len(told), say), TONES[chosen[told]]
        ),
        legend=counted(PROOF_STYLES, chosen[some]),
        hidden=LABELS_HIDDEN,
    )


def proofs(states: npt.NDArray[np.uint8], trail: RequestLog) -> npt.NDArray[np.uint8]:
    """uint8[n] style of each sub-chunk, NONE if it is neither air nor contradictory."""
    chosen = np.full(len(states), NONE, np.uint8)
    chosen[states == SubChunkState.KNOWN_AIR] = LIMIT
    said = states == SubChunkState.ALL_AIR
    chosen[said] = np.where(trail.height_kinds[said] == 0, SAID_WITHOUT, SAID)
    chosen[trail.height_verdicts == HeightVerdict.CONTRADICTS] = CONTRADICTS
    return chosen


def above_limit(facts: OverlayFacts, trail: RequestLog) -> npt.NDArray[np.bool_]:
    """bool[n] the lowest sub-chunk of each column that its limit makes air."""
    above: npt.NDArray[np.bool_] = facts.positions[:, 1] == trail.limits + (facts.floor_section + 1)
    return above


def glyph(trail: RequestLog, floor: int, number: int, proof: int) -> str:
    """The text of a sub-chunk's label; ``floor`` is the dimension's lowest section."""
    if proof == LIMIT:
        limit = int(trail.limits[number])
        return f"limit {limit}\nsub-chunk y {limit + floor}"
    kind = KIND_WORDS[int(trail.height_kinds[number])]
    code = int(trail.codes[number])
    said = f"code {code if code >= 0 else '?'}\n{kind}"
    return f"!! {said} !!" if proof == CONTRADICTS else said
