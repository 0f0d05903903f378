"""``chunkscope shot --pack``: as its user starts it, with several packs of every kind, and with hostile ones."""

import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.support.data.packs import pack_files, plain, write_pack, write_zip

pytestmark = pytest.mark.gpu

DOWN = ("--at", "0.5,-57,0.5", "--look", "0,90", "--size", "48x32", "--time", "6000", "--radius", "1")
RED, GREEN, BLUE = (220, 10, 10), (10, 220, 10), (10, 10, 220)
GRASS = "textures/blocks/grass.png"
TABLES = pack_files({"grass": {"textures": "grass"}}, {"grass": GRASS[:-4]}, {})


def shot(folder: Path, *packs: Path) -> tuple[np.ndarray, list[str]]:
    """Mean colour of a meadow from above, and what was said of packs, line by line."""
    out = folder / "meadow.png"
    options = [word for pack in packs for word in ("--pack", str(pack))]
    command = [sys.executable, "-c", "from render.cli import main; main()", "shot", "embedded:flat:1", *DOWN]
    command += ["--out", str(out), *options]
    done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=290)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    with Image.open(out) as image:
        mean = np.asarray(image.convert("RGB")).reshape(-1, 3).mean(0)
    return mean, [line for line in done.stderr.splitlines() if "pack" in line]


def strongest(mean: np.ndarray) -> int:
    channel = int(mean.argmax())
    assert (np.delete(mean, channel) * 2 < mean[channel]).all(), mean
    return channel


def test_later_packs_lie_over_earlier_ones_whatever_they_are_kept_in(tmp_path: Path) -> None:
    red = write_pack(tmp_path / "red", {**TABLES, GRASS: plain(RED)})
    green = write_zip(tmp_path / "green.mcpack", {GRASS: plain(GREEN, 32, 32)})
    blue = write_zip(tmp_path / "blue.zip", {"deeper/manifest.json": {"header": {}}, f"deeper/{GRASS}": plain(BLUE)})
    shown = [shot(tmp_path, *packs) for packs in ((red, green, blue), (blue, red, green), (blue, green, red))]
    assert [strongest(mean) for mean, _ in shown] == [2, 1, 0]
    assert [said for _, said in shown] == [[], [], []]


def test_a_hostile_pack_costs_its_blocks_alone_and_a_line_for_each_thing(tmp_path: Path) -> None:
    """Read again by hand: the meadow's picture is a zip bomb, the table below it is commented and has a mark."""
    path = tmp_path / "evil.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", b'\xef\xbb\xbf// a mark and a comment\n{"header": {"name": "evil",},}')
        archive.writestr("../../outside.txt", b"x")
        archive.writestr(GRASS, bytes(70 << 20))
    mean, said = shot(tmp_path, path)
    assert mean[1] > mean[0] > mean[2], "our meadow"
    assert not (tmp_path.parent / "outside.txt").exists()
    assert len(said) == 2, said
    assert "../../outside.txt: its name leads out of the pack" in said[0]
    assert f"{GRASS}: it says that it unpacks to more than" in said[1]
