"""Smaller copies: no dark rims, no thinning out, masks averaged as they are."""

import numpy as np

from render.materials.canvas import mip_levels


def layer(seed: int, share: float) -> np.ndarray:
    random = np.random.default_rng(seed)
    picture = np.zeros((1, 16, 16, 4), np.uint8)
    solid = random.random((16, 16)) < share
    picture[0, solid] = (40, 200, 40, 255)
    return picture


def test_colour_of_holes_does_not_leak_into_what_is_left() -> None:
    for level in mip_levels(layer(1, 0.5), np.array([True]))[:-1]:
        seen = level[0][level[0, ..., 3] > 20]
        assert (np.abs(seen[:, :3].astype(int) - (40, 200, 40)) <= 12).all()


def test_leaves_do_not_thin_out() -> None:
    for share in (0.3, 0.5, 0.8):
        picture = layer(2, share)
        wanted = (picture[..., 3] > 127).mean()
        for level in mip_levels(picture, np.array([True]))[1:4]:
            assert (level[..., 3] > 127).mean() >= wanted - 0.01


def test_a_mask_is_averaged_and_its_colours_count_whole() -> None:
    picture = np.full((1, 16, 16, 4), 255, np.uint8)
    picture[0, :, ::2] = (0, 0, 0, 0)
    level = mip_levels(picture, np.array([False]))[1]
    assert np.unique(level[..., 3]).tolist() == [128]
    assert 180 < level[0, 0, 0, 0] < 192, "half the light is 186 in sRGB"


def test_a_plain_texture_stays_what_it_is() -> None:
    picture = np.full((2, 16, 16, 4), (90, 120, 33, 255), np.uint8)
    levels = mip_levels(picture, np.array([True, True]))
    assert [level.shape[1] for level in levels] == [16, 8, 4, 2, 1]
    for level in levels:
        assert (level == picture[0, 0, 0]).all()


def test_levels_of_a_layer_depend_on_that_layer_alone() -> None:
    pictures = np.random.default_rng(5).integers(0, 256, (4, 16, 16, 4)).astype(np.uint8)
    coverage = np.array([True, False, True, False])
    before = mip_levels(pictures.copy(), coverage)
    pictures[1:3] = 255 - pictures[1:3]
    after = mip_levels(pictures, coverage)
    for old, new in zip(before, after, strict=True):
        assert (old[[0, 3]] == new[[0, 3]]).all()
        assert (old[1:3] != new[1:3]).any()
