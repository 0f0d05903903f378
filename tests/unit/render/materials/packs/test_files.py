"""Files of packs: found in folders and archives alike; nothing outside of a pack is read, nothing without bound.

Pack: JSON as packs have it: comments, marks and commas do not matter, lines in errors are right, nothing is slow.

Images: Pictures of packs: every kind of PNG and TGA that packs have gives the same texels, and what is none says why.
"""

import codecs
import json
import time
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from render.materials.packs import files as module
from render.materials.packs.files import FolderFiles, ZipFiles, open_files, within
from render.materials.packs.images import at_side, frames_of
from render.materials.packs.pack import loads
from render.materials.packs.troubles import FileTrouble, PackError, Troubles
from tests.support.data.packs import MANIFEST, plain, png, tga, write_pack, write_zip

# ---------------------------------------------------------------- files

CONTENT = {"manifest.json": MANIFEST, "textures/blocks/Stone.PNG": b"a stone"}


@pytest.mark.parametrize("below", ["", "Deeper Pack/"])
@pytest.mark.parametrize("suffix", ["", ".zip", ".mcpack"])
def test_a_file_is_found_whatever_its_case_and_however_it_is_packed(tmp_path: Path, suffix: str, below: str) -> None:
    path = tmp_path / f"pack{suffix}"
    if suffix:
        write_zip(path, CONTENT, below)
    else:
        write_pack(path / below, CONTENT)
    files = open_files(path, Troubles())
    assert set(files.names) == {"manifest.json", "textures/blocks/stone.png"}
    assert files.read("textures/BLOCKS/stone.png") == b"a stone"
    with pytest.raises(FileTrouble, match="does not exist"):
        files.read("textures/blocks/dirt.png")


@pytest.mark.parametrize(
    "name", ["../a", "a/../../b", "/etc/passwd", "\\a", "C:\\a", "c:/a", "a/..\\..\\b", "a\0b", "..", "./../a"]
)
def test_names_that_lead_out_are_none(name: str) -> None:
    assert within(name) is None


def test_other_names_are_made_plain() -> None:
    assert within("a\\b/./c.png") == "a/b/c.png"
    assert within("a..b/...c") == "a..b/...c"


def test_archives_with_names_that_lead_out_tell_and_hide_them(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "pack.zip", {**CONTENT, "../evil.png": b"x", "/abs.png": b"x", "c:/drive.png": b"x"})
    troubles = Troubles()
    files = ZipFiles(path, troubles)
    assert set(files.names) == {"manifest.json", "textures/blocks/stone.png"}
    assert {trouble.file for trouble in troubles} == {"../evil.png", "/abs.png", "c:/drive.png"}
    assert all("points outside" in str(trouble) for trouble in troubles)


def test_links_out_of_a_folder_are_told_and_hidden(tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"secret")
    pack = write_pack(tmp_path / "pack", CONTENT)
    (pack / "textures/blocks/link.png").symlink_to(secret)
    (pack / "textures/outside").symlink_to(tmp_path)
    (pack / "textures/blocks/loop.png").symlink_to(pack / "textures/blocks/loop.png")
    (pack / "textures/blocks/inside.png").symlink_to(pack / "textures/blocks/Stone.PNG")
    troubles = Troubles()
    files = FolderFiles(pack, troubles)
    assert set(files.names) == {"manifest.json", "textures/blocks/stone.png", "textures/blocks/inside.png"}
    assert files.read("textures/blocks/inside.png") == b"a stone"
    assert len(troubles) == 3


def test_a_file_that_becomes_a_link_while_a_pack_is_open_is_not_followed(tmp_path: Path) -> None:
    secret = tmp_path / "secret.png"
    secret.write_bytes(b"secret")
    pack = write_pack(tmp_path / "pack", CONTENT)
    files = FolderFiles(pack, Troubles())
    (pack / "textures/blocks/Stone.PNG").unlink()
    (pack / "textures/blocks/Stone.PNG").symlink_to(secret)
    with pytest.raises(FileTrouble, match="a place outside"):
        files.read("textures/blocks/stone.png")


def test_files_that_go_while_a_pack_is_open_are_troubles(tmp_path: Path) -> None:
    pack = write_pack(tmp_path / "pack", CONTENT)
    archive = write_zip(tmp_path / "pack.zip", CONTENT)
    kept = FolderFiles(pack, Troubles()), ZipFiles(archive, Troubles())
    (pack / "textures/blocks/Stone.PNG").unlink()
    archive.write_bytes(b"PK half")
    for files in kept:
        with pytest.raises(FileTrouble, match="cannot be"):
            files.read("textures/blocks/stone.png")


def test_bombs_are_bounded_by_what_comes_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FILE_BYTES", 1000)
    path = write_zip(tmp_path / "pack.zip", {**CONTENT, "big.png": bytes(1001), "fits.png": bytes(1000)})
    files = ZipFiles(path, Troubles())
    assert len(files.read("fits.png")) == 1000
    with pytest.raises(FileTrouble, match="announces more than 1000 unpacked bytes"):
        files.read("big.png")


def test_a_bomb_that_lies_about_its_size_is_bounded_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write_zip(tmp_path / "pack.zip", {**CONTENT, "big.png": bytes(100_000)})
    raw = path.read_bytes().replace((100_000).to_bytes(4, "little"), (10).to_bytes(4, "little"))
    path.write_bytes(raw)
    with pytest.raises(FileTrouble):
        ZipFiles(path, Troubles()).read("big.png")
    monkeypatch.setattr(module, "MOST_FILE_BYTES", 1000)
    folder = write_pack(tmp_path / "folder", {**CONTENT, "big.png": bytes(1001)})
    with pytest.raises(FileTrouble, match="more than 1000 bytes"):
        FolderFiles(folder, Troubles()).read("big.png")


def test_the_sum_over_a_pack_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_PACK_BYTES", 2500)
    path = write_zip(tmp_path / "pack.zip", {**CONTENT, "a.png": bytes(1000)})
    files = ZipFiles(path, Troubles())
    assert len(files.read("a.png")) == len(files.read("a.png")) == 1000
    with pytest.raises(FileTrouble, match="more than 500 unpacked bytes"):
        files.read("a.png")


def test_too_many_files_are_no_pack(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_FILES", 3)
    many = {**CONTENT, "a": b"", "b": b""}
    for path in (write_zip(tmp_path / "pack.zip", many), write_pack(tmp_path / "pack", many)):
        with pytest.raises(PackError, match="more than 3 files"):
            open_files(path, Troubles())


def test_what_is_no_pack_says_why(tmp_path: Path) -> None:
    (tmp_path / "text.txt").write_text("no pack")
    (tmp_path / "broken.zip").write_bytes(b"PK\x03\x04 broken")
    (tmp_path / "empty").mkdir()
    with zipfile.ZipFile(tmp_path / "other.zip", "w") as archive:
        archive.writestr("readme.md", "no pack")
    for name, words in (
        ("nowhere", "does not exist"), ("text.txt", "a pack is a folder"), ("broken.zip", "not a readable archive"),
        ("empty", "neither manifest.json nor textures"), ("other.zip", "neither manifest.json nor textures"),
    ):  # fmt: skip
        with pytest.raises(PackError, match=words) as caught:
            open_files(tmp_path / name, Troubles())
        assert name in str(caught.value)
        assert caught.value.exit_code == 6


# ---------------------------------------------------------------- pack

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=12,
)


@given(values)
def test_plain_json_means_what_it_says(value: object) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=1, ensure_ascii=False)):
        assert loads(text.encode()) == value


@given(st.text(alphabet='{}[],:"/*\\\n\t a1', max_size=40))
def test_any_text_is_json_or_a_trouble(text: str) -> None:
    try:
        expected = json.loads(text)
    except ValueError:
        try:
            loads(text.encode())
        except FileTrouble:
            return
    else:
        assert loads(text.encode()) == expected


def test_comments_commas_and_marks() -> None:
    text = '// first\n{"a//b": [1, 2, /* no */ 3,], /* all\nof it */ "c": "/* kept */", }\n// last'
    wanted = {"a//b": [1, 2, 3], "c": "/* kept */"}
    assert loads(text.encode()) == wanted
    assert loads(codecs.BOM_UTF8 + text.encode()) == wanted
    assert loads(codecs.BOM_UTF16_LE + text.encode("utf-16-le")) == wanted
    assert loads(codecs.BOM_UTF16_BE + text.encode("utf-16-be")) == wanted


def test_commas_and_comments_in_strings_stay() -> None:
    assert loads(b'{"a": ",]", "b": "\\",}"}') == {"a": ",]", "b": '",}'}


@pytest.mark.parametrize(
    ("raw", "words"),
    [
        (b'{\n// one\n"a": 1 "b"}', "line 3"),
        (b'{"a": /* never closed', "it is not JSON"),
        (b"\xff\xfe\x00\xd8", "it is not utf-16"),
        (b"\xfa\xfb", "it is not utf-8 text .byte 0"),
        (b"[" * 200_000, "nested too deeply"),
        (b"1" * 10_000, "it is not JSON"),
        (b"", "line 1"),
    ],
)
def test_errors_say_what_and_where(raw: bytes, words: str) -> None:
    with pytest.raises(FileTrouble, match=words):
        loads(raw)


@pytest.mark.parametrize("text", ['"\\"' * 200_000, '"\\' * 200_000, "/*" * 200_000, "," + " " * 500_000 + "x"])
def test_no_text_takes_longer_than_its_length(text: str) -> None:
    begin = time.process_time()
    with pytest.raises(FileTrouble):
        loads(text.encode())
    assert time.process_time() - begin < 5, "a quadratic reader took minutes"


# ---------------------------------------------------------------- images


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
        with pytest.raises(FileTrouble, match="not a readable"):
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
        with pytest.raises(
            FileTrouble, match=f"^{side} x {side} pixels are too many; at most 4096 on a side are read$"
        ):
            frames_of(raw, name)
