"""Smaller copies: no dark rims, no thinning out, masks averaged as they are.

Font: The bitmap font: every character has its own picture, and the shader's bits are the same texels.

Texture limits: Room among texture layers: packs' pictures as far as there are layers, ours behind them, and one size
for all.
"""

import string

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import shaders
from render.materials.canvas import mip_levels
from render.materials.font import GLYPHS, NO_GLYPH, TALL, WIDE, bits, glyph, mask
from render.materials.materials import MOST_TILE_BYTES, TextureRequest, crowded_line, fitting, side_of

# ---------------------------------------------------------------- canvas


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


# ---------------------------------------------------------------- font


def test_letters_digits_and_signs_have_pictures_of_their_own() -> None:
    assert set(string.ascii_uppercase + string.digits + " .,:;!?-+=_/()[]<>%*#'\"&@^|") <= set(GLYPHS)
    assert all(picture.shape == (TALL, WIDE) for picture in GLYPHS.values())
    assert len({picture.tobytes() for picture in GLYPHS.values()}) == len(GLYPHS)


def test_small_letters_are_capitals_and_strange_ones_a_box() -> None:
    assert np.array_equal(glyph("q"), glyph("Q"))
    assert np.array_equal(glyph("→"), NO_GLYPH)


def test_bits_are_the_texels_row_by_row_as_the_shader_takes_them() -> None:
    for character in GLYPHS:
        low, high = bits(character)
        rows = [
            [low >> (row * 5 + x) & 1 if row < 4 else high >> ((row - 4) * 5 + x) & 1 for x in range(5)]
            for row in range(7)
        ]
        assert np.array_equal(np.array(rows, bool), glyph(character))
    assert "row < 4 ? glyph.x >> (row * 5 + at.x) : glyph.y >> ((row - 4) * 5 + at.x)" in shaders.read("labels.frag")


def test_a_text_is_its_characters_side_by_side() -> None:
    picture = mask("A1")
    assert picture.shape == (TALL, 2 * WIDE + 1)
    assert np.array_equal(picture[:, :WIDE], glyph("A"))
    assert np.array_equal(picture[:, WIDE + 1 :], glyph("1"))


# ---------------------------------------------------------------- texture limits

OURS = st.frozensets(st.integers(0, 12), min_size=1, max_size=6)
PACKS = st.frozensets(st.integers(100, 130), max_size=6)


@st.composite
def requests(draw: st.DrawFn) -> list[TextureRequest]:
    """Looks of which some faces show packs, the others ours."""
    found = []
    for _ in range(draw(st.integers(1, 14))):
        ours = draw(OURS)
        packed = draw(PACKS)
        kept = draw(st.frozensets(st.sampled_from(sorted(ours))))
        found.append(TextureRequest(packed | kept if packed else ours, ours))
    return found


@given(requests(), st.integers(13, 60))
def test_never_more_than_there_is_room_for_and_ours_always_fit(looks: list[TextureRequest], most: int) -> None:
    served = fitting(looks, (), most)
    used = set().union(*(look.shown if fits else look.ours for look, fits in zip(looks, served, strict=True)))
    assert len(used) <= most, "13 pictures of ours fit, so all that is chosen does"


@given(requests())
def test_everything_is_served_where_it_fits_to_the_last_layer(looks: list[TextureRequest]) -> None:
    need = len(set().union(*(look.shown for look in looks)))
    assert fitting(looks, (), need) == [True] * len(looks)


@given(requests(), st.integers(13, 60))
def test_what_is_refused_would_have_taken_the_room_of_others(looks: list[TextureRequest], most: int) -> None:
    """A look is refused only where it and ours of all behind it do not fit beside what was served before it."""
    served = fitting(looks, (), most)
    used: set[object] = set()
    for number, (look, fits) in enumerate(zip(looks, served, strict=True)):
        behind = set().union(*(other.ours for other in looks[number + 1 :]))
        if len(used | look.shown | behind) <= most:
            assert fits
        used |= look.shown if fits else look.ours


def test_what_is_there_already_takes_its_room() -> None:
    looks = [TextureRequest(frozenset({"p"}), frozenset({"o"}))]
    assert fitting(looks, ["x", "y"], 3) == [True]
    assert fitting(looks, ["x", "y", "o"], 3) == [False]


def test_pictures_are_as_large_as_the_budget_allows() -> None:
    for layers in (1, 900, 1536, 1537, 2048, 6144, 6145, 40000):
        side = side_of(128, layers)
        assert layers * side * side * 16 // 3 <= MOST_TILE_BYTES or side == 16
        assert side == 128 or layers * 4 * side * side * 16 // 3 > MOST_TILE_BYTES, "not smaller than it must be"
    assert side_of(16, 100000) == 16
    assert side_of(128, 1536) == 128


def test_what_has_no_room_is_one_line() -> None:
    line = crowded_line([f"minecraft:block{number:02}" for number in range(30)], 2048)
    assert line.startswith(
        "no texture layers are left for 30 blocks (2,048 layers in all); they keep their built-in look: block00 block01"
    )
    assert line.endswith("block09 ...")
    assert np.char.count(line, "\n") == 0
