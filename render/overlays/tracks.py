"""The overlay ``tracks``: the box of each entity, its type, and its path in the last seconds.

Boxes are where the pictures draw the entities, between two moves, also for invisible or hidden ones; a label has type
or name, number, and seconds since the last packet. A path goes from packet to packet and is interrupted at teleports.
Distant players that are not entities here have a label at the position that the server reports.
"""

from typing import Final

import numpy as np

from client.entities import TRACK_S
from render.overlays.facts import OverlayFacts
from render.overlays.overlay import LegendRow, OverlayMarks, overlay
from render.passes.entities import colour_of, positions_at, shown_name
from render.passes.overlay.boxes import Hatch, Outline, Style
from render.passes.overlay.labels import Labels
from render.passes.overlay.lines import Lines, box_edges

BOX: Final = Style("entity", (0.93, 0.88, 0.76), Outline.THIN, Hatch.NONE, 0.0)
INVISIBLE: Final = Style("invisible entity", (0.93, 0.88, 0.76), Outline.DOTTED, Hatch.NONE, 0.0)
WAY: Final = Style(f"path of the last {TRACK_S:g} s", (0.93, 0.88, 0.76), Outline.NONE, Hatch.LEVEL, 0.8)
FAR: Final = Style("player not sent yet: too far away", (1.00, 0.84, 0.43), Outline.CORNERS, Hatch.NONE, 0.0)
LABELLED: Final = 100
"""The nearest entities, and the nearest distant players, have a label."""
OVER_BLOCKS: Final = 0.6
WAY_BLOCKS: Final = np.array([0.0, 0.1, 0.0])
"""Offset of the path from the feet, since it would lie in the ground otherwise."""
DASH_BLOCKS: Final = 0.2
HIDDEN: Final = 0.4
OPACITY: Final = 230
FAR_TONE: Final = (255, 214, 110)


@overlay(
    "tracks",
    letter="J",
    title="boxes of entities, and their paths of the last seconds",
    place=29,
    layer=14,
    lasts_s=0.05,
)
def tracks_marks(facts: OverlayFacts) -> OverlayMarks:
    tracks = facts.tracks
    if tracks is None:
        return OverlayMarks()
    entities, now_us = tracks.entities, tracks.now_us
    all_rows = np.arange(len(entities.rows))
    tones = np.array([(*colour_of(kind), OPACITY) for kind in entities.kinds] or [(0, 0, 0, 0)], np.uint8)
    feet = positions_at(entities, all_rows, now_us)
    half = np.stack([entities.size[:, 0] / 2, np.zeros(len(feet)), entities.size[:, 0] / 2], axis=1)
    tops = feet + np.stack([np.zeros(len(feet)), entities.size[:, 1], np.zeros(len(feet))], axis=1)
    dashes = np.where(entities.invisible, DASH_BLOCKS, 0.0)
    boxes = Lines.of(
        *box_edges(feet - half, tops + half), np.repeat(tones[entities.kind], 12, 0), 1.5, np.repeat(dashes, 12)
    )
    of = {number: row for row, number in enumerate(entities.rows.tolist())}
    rows = np.array([of.get(number, -1) for number in tracks.numbers.tolist()], np.int64)
    points = tracks.positions + WAY_BLOCKS
    joined = (tracks.numbers[1:] == tracks.numbers[:-1]) & ~tracks.teleported[1:] & (rows[1:] >= 0)
    ways = Lines.of(points[:-1][joined], points[1:][joined], tones[entities.kind[rows[1:][joined]]], 2.0)
    near = np.argsort(np.linalg.norm(tops - np.array(facts.eye), axis=1), kind="stable")[:LABELLED]
    texts = [
        f"{shown_name(entities.name[row]) or entities.kinds[entities.kind[row]].removeprefix('minecraft:')} "
        f"#{entities.rows[row]}\n{max(0, now_us - tracks.heard_at[row]) / 1e6:.1f} s"
        for row in near.tolist()
    ]
    places = np.array([place for _, place in tracks.far], np.float64).reshape(-1, 3)
    nearest = np.argsort(np.linalg.norm(places - np.array(facts.eye), axis=1), kind="stable")[:LABELLED]
    far = [f"{shown_name(tracks.far[index][0]) or 'player'}\nfar away" for index in nearest.tolist()]
    labels_tones = np.concatenate([tones[entities.kind[near], :3], np.full((len(far), 3), FAR_TONE, np.uint8)])
    invisible = int(entities.invisible.sum())
    counts = (BOX, len(feet) - invisible), (INVISIBLE, invisible), (WAY, len(ways)), (FAR, len(places))
    spots = np.concatenate([tops[near] + (0.0, OVER_BLOCKS, 0.0), places[nearest]])
    return OverlayMarks(
        lines=boxes + ways,
        labels=Labels.of(spots, texts + far, labels_tones),
        legend=tuple(LegendRow(style, count) for style, count in counts if count or style is BOX),
        hidden=HIDDEN,
        moves=bool(len(feet)),
    )
