"""The overlays ``found`` and ``against``: blocks found by a search, and differences from another world.

``found``: boxes and beams at the blocks that the panel Find found, also behind terrain. Blocks above each other are one
box. The sub-chunks with the most hits have a beam over the roof, visible from far away. Of many blocks the nearest have
a box; the legend says so.

``against``: differences from another world (``view --against``, ``shot --against``).

    green filled     a block only here; air there
    pink crossed     a block only there; air here
    yellow hatched   a different block there
    light blue       a different block there in the second layer
    white dots       different light there
    the same, large  a sub-chunk with too many different blocks to mark each
    brown            a sub-chunk with a different biome there
    purple frame     a sub-chunk with a different state there
    grey crosses     unknown: loaded here and not there; columns and sub-chunks
    blue dots        unknown: loaded there and not here

Blocks of a kind above each other are one box. Unknown is not a difference: it is counted separately.
"""

from typing import Final

import numpy as np
import numpy.typing as npt

from client.report.diff import MOST_LISTED, OTHER_LIGHT
from render.overlays.facts import OverlayFacts
from render.overlays.overlay import LegendRow, OverlayMarks, counted, overlay, remark
from render.passes.overlay.boxes import SUBCHUNK_BLOCKS, Boxes, Hatch, Outline, Style

STYLES: Final = (
    Style("block only here", (0.10, 0.85, 0.35), Outline.THIN, Hatch.NONE, 0.0, 0.40),
    Style("block only there (here is air)", (1.00, 0.20, 0.80), Outline.THIN, Hatch.CROSS, 0.85, 0.15),
    Style("another block there", (1.00, 0.88, 0.10), Outline.THIN, Hatch.DIAGONAL, 0.85, 0.25),
    Style("another block there in the second layer", (0.25, 0.75, 1.00), Outline.THIN, Hatch.DIAGONAL, 0.85, 0.20),
    Style("another light there", (1.00, 1.00, 1.00), Outline.THIN, Hatch.DOTS, 0.45),
    Style(
        f"sub-chunk with over {MOST_LISTED} differing blocks", (1.00, 0.55, 0.10), Outline.HEAVY, Hatch.DIAGONAL, 0.6
    ),
    Style("sub-chunk with another biome there", (0.55, 0.32, 0.10), Outline.THIN, Hatch.NONE, 0.0, 0.10),
    Style("sub-chunk whose state is another there", (0.62, 0.30, 0.85), Outline.HEAVY, Hatch.NONE, 0.0, 0.15),
    Style("unknown: not loaded there", (0.62, 0.62, 0.62), Outline.THIN, Hatch.X, 0.35),
    Style("unknown: not loaded here", (0.34, 0.71, 0.91), Outline.DOTTED, Hatch.DOTS, 0.5),
)
MANY, OTHER_BIOME, OTHER_STATE, NOT_THERE, NOT_HERE = range(OTHER_LIGHT + 1, len(STYLES))


def runs(blocks: npt.NDArray[np.int32], kinds: npt.NDArray[np.uint8]) -> npt.NDArray[np.int32]:
    """int32[k, 5]: lowest x, y, z, height and kind of blocks of a kind above each other."""
    order = np.lexsort((blocks[:, 1], blocks[:, 2], blocks[:, 0], kinds))
    at, kind = blocks[order], kinds[order].astype(np.int32)
    begins = np.ones(len(at), np.bool_)
    same = (at[1:, ::2] == at[:-1, ::2]).all(axis=1) & (kind[1:] == kind[:-1])
    begins[1:] = ~(same & (at[1:, 1] == at[:-1, 1] + 1))
    first = np.flatnonzero(begins)
    return np.column_stack([at[first], np.diff(first, append=len(at)), kind[first]]).astype(np.int32)


@overlay("against", letter="D", title="differences from another world (--against)", place=17, layer=10)
def against_marks(facts: OverlayFacts) -> OverlayMarks:
    found = facts.against
    if found is None:
        return OverlayMarks(legend=(remark("no other world: the option --against names one"),))
    blocks = runs(found.blocks, found.kinds)
    which = (
        (MANY, (found.counts > MOST_LISTED).any(axis=0)),
        (OTHER_BIOME, found.biomes),
        (OTHER_STATE, found.states),
        (NOT_THERE, found.known_here & ~found.known_there),
        (NOT_HERE, found.known_there & ~found.known_here),
    )
    whole = np.concatenate([np.flatnonzero(each) for _, each in which])
    chosen = np.concatenate([np.full(np.count_nonzero(each), style) for style, each in which])
    absent = np.insert(found.columns_there, 1, facts.floor_section, axis=1) * SUBCHUNK_BLOCKS
    tall = facts.roof_blocks - facts.floor_section * SUBCHUNK_BLOCKS
    sizes = np.concatenate(
        [
            np.insert(np.ones((len(blocks), 2), np.int32), 1, blocks[:, 3], axis=1),
            np.full((len(whole), 3), SUBCHUNK_BLOCKS, np.int32),
            np.tile(np.array([SUBCHUNK_BLOCKS, tall, SUBCHUNK_BLOCKS], np.int32), (len(absent), 1)),
        ]
    )
    lows = np.concatenate([blocks[:, :3], facts.positions[whole] * SUBCHUNK_BLOCKS, absent])
    numbers = np.concatenate([blocks[:, 4], chosen, np.full(len(absent), NOT_HERE)]).astype(np.uint8)
    named = np.concatenate([found.kinds, chosen, np.full(len(absent), NOT_HERE)])
    legend = counted(STYLES, named)
    if not any(row.count for row in legend[:NOT_THERE]):
        legend = (remark("no difference"), *legend)
    return OverlayMarks(boxes=Boxes.of(lows, numbers, STYLES, sizes), legend=legend)


MOST_BEAMS: Final = 256
MOST_MARKED: Final = 5_000
"""Blocks with a box; of more, only the nearest to the player who searched."""
ABOVE_ROOF_BLOCKS: Final = 32
BLOCK: Final = Style("found block", (0.20, 1.00, 0.90), Outline.HEAVY, Hatch.NONE, 0.0, 0.25)
BEAM: Final = Style("beam: sub-chunk with found blocks", (0.20, 1.00, 0.90), Outline.THIN, Hatch.NONE, 0.0, 0.35)


@overlay("found", letter="H", title="blocks found by the panel Find", place=17, layer=12, hidden=0.5)
def found_marks(facts: OverlayFacts) -> OverlayMarks:
    found = facts.found
    if found is None or not found.count:
        return OverlayMarks(legend=(remark("nothing found" if found else "no search yet: the panel Find searches"),))
    blocks = np.array(found.blocks[:MOST_MARKED], np.int32).reshape(-1, 3)
    boxes = runs(blocks, np.zeros(len(blocks), np.uint8))
    most = sorted(found.subchunks, key=lambda each: -each.count)[:MOST_BEAMS]
    feet = np.array([each.at for each in most], np.int32).reshape(-1, 3) * SUBCHUNK_BLOCKS
    feet += np.array([SUBCHUNK_BLOCKS // 2, SUBCHUNK_BLOCKS, SUBCHUNK_BLOCKS // 2])
    tall = np.maximum(facts.roof_blocks + ABOVE_ROOF_BLOCKS - feet[:, 1], 1)
    sizes = np.ones((len(boxes) + len(feet), 3), np.int32)
    sizes[:, 1] = np.concatenate([boxes[:, 3], tall])
    chosen = np.repeat(np.array([0, 1], np.uint8), [len(boxes), len(feet)])
    legend = [LegendRow(BLOCK, found.count), LegendRow(BEAM, len(found.subchunks))]
    if found.count > len(blocks):
        legend.append(remark(f"only the nearest {len(blocks):,} blocks have a box"))
    if len(found.subchunks) > len(feet):
        legend.append(remark(f"only {len(feet):,} sub-chunks, those with the most, have a beam"))
    return OverlayMarks(
        boxes=Boxes.of(np.concatenate([boxes[:, :3], feet]), chosen, (BLOCK, BEAM), sizes), legend=tuple(legend)
    )
