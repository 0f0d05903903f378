"""What two stores show otherwise, told the plain way: by position, in dictionaries."""

from dataclasses import dataclass

import numpy as np

from net.space.positions import ColumnPos
from render.scene.world import SceneWorld

Shown = tuple[bytes, bytes, bytes]


@dataclass
class PlainDifference:
    """Columns that went and came, and places of ``before`` that show something else, or the same."""

    gone: set[ColumnPos]
    fresh: set[ColumnPos]
    changed: set[int]
    same: set[int]


def difference(before: SceneWorld, after: SceneWorld) -> PlainDifference:
    """Looks at every column of both."""
    stay = {column for column, row in before.row_of.items() if after.row_of.get(column) == row}
    sections = before.dimension.sections
    places = {before.row_of[column] * sections + section for column in stay for section in range(sections)}
    changed = {place for place in places if shown(before, place) != shown(after, place)}
    return PlainDifference(set(before.row_of) - stay, set(after.row_of) - stay, changed, places - changed)


def shown(world: SceneWorld, place: int) -> Shown:
    """All of a place that a picture or light may depend on."""
    first = world.pools.blocks[world.slot[place]]
    second = world.pools.layer1[world.layer1_slot[place]]
    return first.tobytes(), second.tobytes(), np.ascontiguousarray(world.sky_top[place]).tobytes()
