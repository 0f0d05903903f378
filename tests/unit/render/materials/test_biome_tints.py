"""Tints: a colour for every biome, the default for those nobody knows."""

import numpy as np

from render.materials.biome_tints import BIOMES, tint_colours, tints_of
from render.materials.looks import Tint

PLAINS, JUNGLE, DESERT, SWAMP, WARM_OCEAN = 1, 21, 2, 6, 40


def test_every_biome_has_three_colours() -> None:
    assert tint_colours().shape == (BIOMES, 3, 3)
    assert (tint_colours().max(2) > 60).all()


def test_a_biome_nobody_knows_looks_like_plains() -> None:
    colours = tints_of(np.array([PLAINS, 65535, 300, 200], np.uint16))
    assert (colours == colours[0]).all()


def test_climates_differ_where_a_person_would_see_it() -> None:
    jungle, desert, swamp, ocean = tints_of(np.array([JUNGLE, DESERT, SWAMP, WARM_OCEAN], np.uint16)).astype(int)
    grass, water = Tint.GRASS - 1, Tint.WATER - 1
    assert jungle[grass, 1] - jungle[grass, 0] > 60 > desert[grass, 1] - desert[grass, 0]
    assert ocean[water, 2] > swamp[water, 2] + 60
