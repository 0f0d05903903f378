"""Pictures of packs: every kind of PNG and TGA that packs have gives the same texels, and what is none says why."""

import zlib

import numpy as np
import pytest

from render.materials.packs.images import at_side, frames_of
from render.materials.packs.troubles import FileTrouble
from tests.support.data.packs import plain, png, tga


def noise(height: int = 16, width: int = 16) -> np.ndarray:
    return np.random.default_rng(7).integers(0, 256, (height, width, 4)).astype(np.uint8)


@pytest.mark.parametrize("from_top", [True, False])
@pytest.mark.parametrize("kind", [2, 10])
@pytest.mark.parametrize("depth", [24, 32])
def test_colour_tga_of_any_origin_and_coding(kind: int, from_top: bool, depth: int) -> None:
    pixels = noise()
    pixels[3:9] = pixels[3, 0]  # runs to code
    if depth == 24:
        pixels[..., 3] = 255
    (frame,) = frames_of(tga(pixels, kind, from_top, depth), "a.tga")
    assert np.array_equal(frame, pixels)


@pytest.mark.parametrize("from_top", [True, False])
@pytest.mark.parametrize("kind", [3, 11])
def test_grey_tga(kind: int, from_top: bool) -> None:
    pixels = noise()
    pixels[..., :3], pixels[..., 3] = pixels[..., :1], 255
    (frame,) = frames_of(tga(pixels, kind, from_top, 8), "a.tga")
    assert np.array_equal(frame, pixels)


def test_png_keeps_its_texels() -> None:
    pixels = noise()
    assert np.array_equal(frames_of(png(pixels), "a.png")[0], pixels)


def test_a_strip_is_a_picture_a_frame() -> None:
    pixels = noise(height=64)
    assert np.array_equal(frames_of(png(pixels), "a.png"), pixels.reshape(4, 16, 16, 4))


def test_larger_pictures_are_averaged_as_far_as_they_cover() -> None:
    pixels = plain((10, 20, 30, 255), 32, 32)
    pixels[::2] = (200, 0, 0, 0)  # seen through: its red must not show
    (frame,) = at_side(frames_of(png(pixels), "a.png"), 16, masked=False)
    assert (np.abs(frame[..., :3].astype(int) - (10, 20, 30)) <= 1).all()
    assert (np.abs(frame[..., 3].astype(int) - 128) <= 1).all()


def test_a_mask_is_averaged_with_its_colours() -> None:
    pixels = plain((100, 100, 100, 255), 32, 32)
    pixels[::2] = (200, 200, 200, 0)
    assert (at_side(frames_of(png(pixels), "a.png", masked=True), 16, masked=True)[..., 0] == 150).all()


def test_smaller_pictures_are_repeated() -> None:
    pixels = noise(4, 4)
    (frame,) = frames_of(png(pixels), "a.png")
    assert np.array_equal(frame, pixels.repeat(4, 0).repeat(4, 1))


@pytest.mark.parametrize("side", [16, 32, 64, 128])
def test_regular_sizes_keep_their_texels(side: int) -> None:
    pixels = noise(2 * side, side)
    frames = frames_of(png(pixels), "a.png")
    assert np.array_equal(frames, pixels.reshape(2, side, side, 4))
    if side < 128:
        larger = at_side(frames, 128, masked=False)
        assert np.array_equal(larger[:, :: 128 // side, :: 128 // side], frames)
        assert np.array_equal(at_side(larger, side, masked=True), frames)


@pytest.mark.parametrize(
    ("height", "width", "side"),
    [(24, 24, 32), (100, 100, 128), (40, 16, 16), (16, 40, 16), (5, 5, 16), (300, 300, 128)],
)
def test_odd_sizes_become_regular(height: int, width: int, side: int) -> None:
    frames = frames_of(png(plain((9, 8, 7), height, width)), "a.png")
    assert frames.shape == (1, side, side, 4)
    assert (frames == (9, 8, 7, 255)).all()


@pytest.mark.parametrize("name", ["a.png", "a.tga"])
def test_what_is_no_picture_says_so(name: str) -> None:
    for raw in (b"", b"nonsense" * 9, png(noise())[:60], tga(noise())[:300], tga(noise(), 10)[:100]):
        with pytest.raises(FileTrouble, match="that can be read"):
            frames_of(raw, name)


def test_too_large_a_picture_is_not_decoded() -> None:
    wide = tga(plain((1, 2, 3)))
    wide = wide[:12] + (4097).to_bytes(2, "little") + wide[14:]
    with pytest.raises(FileTrouble, match="4097 x 16 pixels are too many"):
        frames_of(wide, "a.tga")
    with pytest.raises(FileTrouble, match="frames are too many"):
        frames_of(png(plain((1, 2, 3), 300, 1)), "a.png")


@pytest.mark.parametrize("side", [4097, 10_000, 60_000])
@pytest.mark.filterwarnings("error")
def test_the_largest_pictures_are_refused_in_our_words_alone(side: int) -> None:
    """Pillow warns of 90 million pixels and raises at 180."""
    small = tga(plain((1, 2, 3)))
    large = small[:12] + side.to_bytes(2, "little") * 2 + small[16:]
    head = b"IHDR" + side.to_bytes(4, "big") * 2 + png(plain((1, 2, 3)))[24:29]
    chunk = (13).to_bytes(4, "big") + head + zlib.crc32(head).to_bytes(4, "big")
    for raw, name in ((large, "a.tga"), (png(plain((1, 2, 3)))[:8] + chunk + png(plain((1, 2, 3)))[33:], "a.png")):
        with pytest.raises(FileTrouble, match=f"^{side} x {side} pixels are too many, 4096 a side are read$"):
            frames_of(raw, name)
