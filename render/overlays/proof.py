"""The overlay ``proof``: why a sub-chunk may be taken for air, and whether what was said of it fits together.

Every sub-chunk that is air has a label, and contradictions a loud one:

    limit 8         above the limit of its column's announcement; the lowest of these says it, and the highest sub-chunk
    code 6          the server's result code, "all air"; 1 where it sent blocks
    no map          its answer had no height map
    map             it had one, 256 values
    map too high    it said: the surface is above all of it
    map too low     it said: the surface is below all of it

A contradiction is a height map that no reading reconciles with the blocks that came with it
(``net.subchunk.heights.HeightVerdict``): the server is wrong about one of both.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.session.request_log import Trail
from client.world.height_maps import HeightVerdict
from client.world.lifecycle import Knowledge
from render.overlays.facts import Facts
from render.overlays.marks import LABELS_HIDDEN, Marks, counted
from render.passes.boxes import SUBCHUNK_BLOCKS, Boxes
from render.passes.labels import Labels, Texts
from render.passes.state_styles import Hatch, Line, Style

KIND_WORDS: Final = ("no map", "map", "map too high", "map too low")
"""By ``HeightKind``; "too high" and "too low" are the protocol's own words."""
LIMIT, SAID, SAID_WITHOUT, CONTRADICTS = range(4)
STYLES: Final = (
    Style("air by the column's limit, which the lowest says", (0.75, 0.88, 0.97), Line.CORNERS, Hatch.NONE, 0.0),
    Style("air by answer (code 6) with a height map", (0.34, 0.71, 0.91), Line.DOTTED, Hatch.NONE, 0.0),
    Style("air by answer without a height map", (0.94, 0.89, 0.26), Line.THIN, Hatch.DOTS, 0.6),
    Style("!! the height map contradicts the blocks", (0.95, 0.10, 0.25), Line.HEAVY, Hatch.X, 0.95, 0.15),
)
TONES: Final = np.array([(200, 226, 248), (120, 200, 255), (255, 240, 120), (255, 120, 130)], np.uint8)
NONE: Final = 255


def marks(facts: Facts) -> Marks:
    """A box and a label for each that is air, or contradicts itself."""
    trail = facts.trail
    if trail is None:
        return Marks()
    chosen = proofs(facts.states, trail)
    some = np.flatnonzero(chosen != NONE)
    corners = facts.positions[some] * SUBCHUNK_BLOCKS
    told = some[(chosen[some] != LIMIT) | above_limit(facts, trail)[some]]

    floor = facts.floor_section

    def say(at: int) -> str:
        return glyph(trail, floor, int(told[at]), int(chosen[told[at]]))

    return Marks(
        boxes=Boxes.of(corners, chosen[some], STYLES),
        labels=Labels.of(
            facts.positions[told] * SUBCHUNK_BLOCKS + SUBCHUNK_BLOCKS / 2, Texts(len(told), say), TONES[chosen[told]]
        ),
        legend=counted(STYLES, chosen[some]),
        hidden=LABELS_HIDDEN,
    )


def proofs(states: npt.NDArray[np.uint8], trail: Trail) -> npt.NDArray[np.uint8]:
    """uint8[n] which style each sub-chunk has, NONE where it is neither air nor contradicts itself."""
    chosen = np.full(len(states), NONE, np.uint8)
    chosen[states == Knowledge.KNOWN_AIR] = LIMIT
    said = states == Knowledge.ALL_AIR
    chosen[said] = np.where(trail.height_kinds[said] == 0, SAID_WITHOUT, SAID)
    chosen[trail.height_verdicts == HeightVerdict.CONTRADICTS] = CONTRADICTS
    return chosen


def above_limit(facts: Facts, trail: Trail) -> npt.NDArray[np.bool_]:
    """bool[n] the lowest that each column's limit makes air."""
    above: npt.NDArray[np.bool_] = facts.positions[:, 1] == trail.limits + (facts.floor_section + 1)
    return above


def glyph(trail: Trail, floor: int, number: int, proof: int) -> str:
    """What stands in one of a trail's sub-chunks that has a label; ``floor`` is the dimension's lowest section."""
    if proof == LIMIT:
        limit = int(trail.limits[number])
        return f"limit {limit}\nsub-chunk y {limit + floor}"
    kind = KIND_WORDS[int(trail.height_kinds[number])]
    code = int(trail.codes[number])
    said = f"code {code if code >= 0 else '?'}\n{kind}"
    return f"!! {said} !!" if proof == CONTRADICTS else said
