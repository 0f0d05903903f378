"""Which function makes which overlay's marks, and how long they stay true.

Names, letters and meanings stand in ``render.settings.overlays``; what is no marks (X-ray, channels) in
``render.scene.overlays``.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final

from net.frozen import frozen
from render.overlays import (
    age,
    biomes,
    borders,
    cells,
    channels,
    errors,
    graph,
    light,
    light_seams,
    merge,
    mirror,
    palette,
    priority,
    proof,
    states,
    verdict,
    waves,
    xray,
)
from render.overlays.facts import Facts
from render.overlays.marks import Marks

Make = Callable[[Facts], Marks]


@frozen
class Overlay:
    """One of those made of marks.

    Attributes:
        make: facts to marks; a pure function.
        lasts_s: how long marks stay true though nothing came: time alone changes them then; None: for ever.
        from_within: whether sides of its boxes are seen from inside, too.
        by_eye: whether marks are other ones for an eye in another sub-chunk.
        by_frame: whether they are other ones where culling did something else.
    """

    make: Make
    lasts_s: float | None = None
    from_within: bool = False
    by_eye: bool = False
    by_frame: bool = False


REGISTRY: Final[Mapping[str, Overlay]] = MappingProxyType(
    {
        **{name: Overlay(channels.legend_only(rows)) for name, rows in {**xray.ROWS, **channels.ROWS}.items()},
        "merge": Overlay(merge.marks, by_eye=True),
        "mirror": Overlay(mirror.marks, lasts_s=0.5, by_eye=True),
        "biomes": Overlay(biomes.marks),
        "states": Overlay(states.marks),
        "palette": Overlay(palette.marks),
        "proof": Overlay(proof.marks),
        "priority": Overlay(priority.marks, lasts_s=0.5),
        "age": Overlay(age.marks, lasts_s=0.25),
        "cells": Overlay(cells.marks, lasts_s=0.1),
        "waves": Overlay(waves.marks, lasts_s=0.05),
        "borders": Overlay(borders.marks, by_eye=True),
        "errors": Overlay(errors.marks),
        "verdict": Overlay(verdict.marks, by_frame=True),
        "graph": Overlay(graph.marks, by_frame=True),
        "light-r": Overlay(light.marks, from_within=True),
        "light-g": Overlay(light.marks, from_within=True),
        "light-b": Overlay(light.marks, from_within=True),
        "light-d": Overlay(light.daylight_marks, from_within=True),
        "light-seams": Overlay(light_seams.marks, from_within=True),
    }
)
"""In the order they are drawn in; what lies over all comes last."""
