"""Rain and snow fall on surfaces that are known, and on nothing below."""

import numpy as np

from client.world.height_maps import UNKNOWN_TOP
from net.space.positions import BlockPos, ColumnPos
from render.passes.precipitation import REACH_BLOCKS
from render.scene.frame.surroundings import NOTHING, RAIN, SNOW, falls, sheets_around
from tests.support.worlds import painted as paint
from tests.support.worlds.painted import PaintedStore

EYE = (24.5, 40.0, 24.5)


class Rained(PaintedStore):
    """The painted store with a biome of choice, and one column that nobody told of."""

    biome = 1
    unknown: ColumnPos | None = None

    def surface_biomes(self, column: ColumnPos) -> np.ndarray:
        return np.full(256, self.biome, np.uint16)

    def height_map(self, column: ColumnPos) -> np.ndarray:
        tops = super().height_map(column)
        return np.full_like(tops, UNKNOWN_TOP) if column == self.unknown else tops


def store() -> Rained:
    made = Rained()
    made.load(paint.hills(4))
    return made


def test_each_sheet_ends_at_its_column_and_far_ones_come_first() -> None:
    world = store()
    sheets = sheets_around(world, EYE)
    for x, z, top, kind in sheets.tolist():
        column = BlockPos(x, 0, z).column
        assert world.height_map(column)[(z & 15) << 4 | x & 15] == top
        assert kind == RAIN
    offset = sheets[:, :2] - np.array([24, 24])
    away = (offset * offset).sum(axis=1)
    assert (np.diff(away) <= 0).all()
    assert away.max() <= REACH_BLOCKS**2
    assert len(np.unique(sheets[:, :2], axis=0)) == len(sheets) > 500


def test_a_roof_raises_what_the_rain_falls_on() -> None:
    world = store()
    world.edit(BlockPos(24, 60, 24), paint.STONE)
    sheets = sheets_around(world, EYE)
    assert not [top for x, z, top, _ in sheets.tolist() if (x, z) == (24, 24)], "it is higher than what is in reach"
    low = sheets_around(world, (24.5, 55.0, 24.5))
    assert [top for x, z, top, _ in low.tolist() if (x, z) == (24, 24)] == [61]


def test_biomes_say_what_falls_and_nobody_told_of_is_dry() -> None:
    world = store()
    world.biome = 12
    assert set(sheets_around(world, EYE)[:, 3].tolist()) == {SNOW}
    world.biome = 2
    assert not len(sheets_around(world, EYE))
    world.biome, world.unknown = 60000, ColumnPos(1, 1)
    sheets = sheets_around(world, EYE)
    assert set(sheets[:, 3].tolist()) == {RAIN}
    assert not ((sheets[:, 0] >> 4 == 1) & (sheets[:, 1] >> 4 == 1)).any()
    assert not len(sheets_around(world, (900.0, 40.0, 900.0)))
    assert falls()[2] == NOTHING
