"""The overlay ``errors``: a beam where a sub-chunk is refused or its bytes make no sense, with the reason.

Beams reach over the roof and are seen from far away; boxes mark the place itself. Refusals say their code in numbers
and words, undecodable ones what was wrong, with packet, field and offset.
"""

from textwrap import wrap
from typing import Final

import numpy as np

from client.report.why_facts import code_name
from client.session.request_log import Trail
from client.world.lifecycle import Knowledge
from render.overlays.facts import Facts
from render.overlays.marks import LegendRow, Marks
from render.passes.boxes import SUBCHUNK_BLOCKS, Boxes
from render.passes.labels import Labels
from render.passes.state_styles import STYLES as STATE_STYLES
from render.passes.state_styles import Hatch, Line, Style

REFUSED: Final = STATE_STYLES[Knowledge.REFUSED]
UNDECODABLE: Final = STATE_STYLES[Knowledge.UNDECODABLE]
STYLES: Final = (
    REFUSED,
    UNDECODABLE,
    Style("beam of what was refused", REFUSED.colour, Line.HEAVY, Hatch.NONE, 0.0, 0.45),
    Style("beam of what did not decode", UNDECODABLE.colour, Line.HEAVY, Hatch.LEVEL, 0.9, 0.45),
)
BEAM_BLOCKS: Final = 2
ABOVE_ROOF_BLOCKS: Final = 32
LONGEST_LINE: Final = 24
MOST_LINES: Final = 5


def marks(facts: Facts) -> Marks:
    """Boxes, beams and reasons."""
    failed = np.flatnonzero(np.isin(facts.states, (Knowledge.REFUSED, Knowledge.UNDECODABLE)))
    broken = (facts.states[failed] == Knowledge.UNDECODABLE).astype(np.uint8)
    corners = facts.positions[failed] * SUBCHUNK_BLOCKS
    feet = corners + np.array([SUBCHUNK_BLOCKS // 2 - BEAM_BLOCKS // 2, SUBCHUNK_BLOCKS, SUBCHUNK_BLOCKS // 2 - 1])
    beams = np.full((len(failed), 3), BEAM_BLOCKS, np.int32)
    beams[:, 1] = facts.roof_blocks + ABOVE_ROOF_BLOCKS - feet[:, 1]
    whole = np.full((len(failed), 3), SUBCHUNK_BLOCKS, np.int32)
    boxes = Boxes.of(
        np.concatenate([corners, feet]),
        np.concatenate([broken, broken + 2]).astype(np.uint8),
        STYLES,
        np.concatenate([whole, beams]),
    )
    tones = np.where(broken[:, None] == 1, (255, 130, 150), (255, 190, 120))
    texts = [
        reason(facts.trail, number, bool(bad)) for number, bad in zip(failed.tolist(), broken.tolist(), strict=True)
    ]
    return Marks(
        boxes=boxes,
        labels=Labels.of(corners + SUBCHUNK_BLOCKS / 2, texts, tones),
        legend=(LegendRow(REFUSED, int((broken == 0).sum())), LegendRow(UNDECODABLE, int(broken.sum()))),
        hidden=0.6,
    )


def reason(trail: Trail | None, number: int, broken: bool) -> str:
    """Why one of the facts' sub-chunks failed, on a few short lines."""
    if trail is None:
        return "undecodable" if broken else "refused"
    if broken:
        text = trail.faults.get(number) or "the text is not kept any more"
        return "\n".join(wrap(f"undecodable: {text}", LONGEST_LINE)[:MOST_LINES])
    code = int(trail.codes[number])
    return "\n".join(wrap(f"code {code}: {code_name(code)}", LONGEST_LINE))
