"""Colours of the biome are the mean over 5 x 5 block columns."""

import numpy as np

from net.space import UNKNOWN_BIOME
from render.materials.biome_tints import tints_of
from render.scene.gpu_copy.tint_map import blended


def test_blending_is_the_plain_mean_of_known_biomes() -> None:
    rng = np.random.default_rng(3)
    window = rng.choice([1, 2, 5, 6, UNKNOWN_BIOME], (20, 20)).astype(np.uint16)
    made = blended(window).astype(int)
    for x in range(16):
        for z in range(16):
            around = window[x : x + 5, z : z + 5].ravel()
            colours = tints_of(around[around != UNKNOWN_BIOME]).astype(float)
            assert np.abs(made[x, z] - colours.mean(axis=0)).max() <= 0.5


def test_one_biome_keeps_its_colours() -> None:
    assert (blended(np.full((20, 20), 6, np.uint16)) == tints_of(np.array(6))).all()


def test_nothing_known_is_temperate() -> None:
    unknown = np.full((20, 20), UNKNOWN_BIOME, np.uint16)
    assert (blended(unknown) == tints_of(np.array(UNKNOWN_BIOME))).all()
