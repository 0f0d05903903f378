"""The bitmap font: every character has its own picture, and the shader's bits are the same texels."""

import string

import numpy as np

import shaders
from render.materials.font import GLYPHS, NO_GLYPH, TALL, WIDE, bits, glyph, mask


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
