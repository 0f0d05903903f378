"""``chunkscope shot --pack``: as its user starts it, with several packs of every kind, and with hostile ones.

Shots of hostile servers: ``chunkscope shot`` of real server processes that never settle or never stop: a verdict at the
deadline, no hang.

Picture over udp: The whole road once: a child process serves, UDP carries, a picture is written. It makes a context of
its own.
"""

import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from client.options import Options
from client.player import Eye
from client.source import Embedded
from render.capture import PictureOptions, take_picture
from tests.support.data.packs import pack_files, plain, write_pack, write_zip
from tests.support.servers.process import faulty_server

# ---------------------------------------------------------------- shots under packs

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
    assert "../../outside.txt: its name points outside the pack" in said[0]
    assert f"{GRASS}: its header announces more than" in said[1]


# ---------------------------------------------------------------- shots of hostile servers

COMMAND = [sys.executable, "-c", "from render.cli import main; main()"]
MUTE = "[answers]\ndelay_ms = 3600000\n"
REFUSING = '[[refusals]]\ncode = "chunk_not_found"\ntimes = "always"\n'
PATIENT_S = 280


def shot_shots_of_hostile_servers(folder: Path, port: int, timeout_s: float) -> tuple[int, dict[str, Any]]:
    options = ["--radius", "2", "--size", "160x96", "--timeout", str(timeout_s), "--no-cache", "--json"]
    command = [*COMMAND, "shot", f"127.0.0.1:{port}", "--out", str(folder / "a.png"), *options]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENT_S)
    assert ended.stdout, ended.stderr
    with Image.open(folder / "a.png") as image:
        assert image.size == (160, 96), "what there is, is written"
    return ended.returncode, json.loads(ended.stdout)


@pytest.mark.parametrize(
    "script",
    [pytest.param(MUTE, id="mute"), pytest.param(REFUSING, id="refusing", marks=pytest.mark.nightly)],
)
def test_the_deadline_ends_it_with_what_is_missing(tmp_path: Path, script: str) -> None:
    """Floods of changes are in ``test_settle``: they need a server that is never slower than the client."""
    with faulty_server(tmp_path, script) as port:
        code, said = shot_shots_of_hostile_servers(tmp_path, port, 6.0)
    assert (code, said["complete"]) == (4, False)
    assert said["waiting_for"]
    missing = {lack["kind"]: lack for lack in said["missing"]}["outstanding"]
    assert missing["count"] > 0
    assert len(missing["places"]) == missing["count"]
    assert all(place["requested"] > 0 for place in missing["places"])


# ---------------------------------------------------------------- picture over udp

RADIUS = 2
PICTURE = PictureOptions(size_px=(160, 90), time=6000, fov_deg=60.0)


def test_a_picture_over_udp_from_a_child_process(tmp_path: Path) -> None:
    path = tmp_path / "hills.png"
    options = Options(radius=RADIUS, at=Eye(0.5, 81.6, -5.5), look_deg=(0.0, 12.0), time=6000, timeout_s=60.0)
    told: list[tuple[float, str]] = []
    report = take_picture(
        Embedded("hills", 1),
        options,
        PICTURE,
        path,
        lambda share, what: told.append((share, what)),
    )
    assert (report.exit_code, report.complete, report.missing, report.path) == (0, True, (), path)
    assert report.seconds > 0
    assert told
    with Image.open(path) as image:
        assert (image.size, image.mode) == ((160, 90), "RGB")
        labels, pixels = dict(image.info), np.asarray(image).astype(int)
    assert labels["Software"] == "chunkscope"
    assert labels["Source"] == "embedded:hills:1"
    assert labels["View"] == "--at 0.500,81.600,-5.500 --look 0.00,12.00 --fov 60 --dimension overworld"
    assert labels["Renderer"]
    top, bottom = pixels[:10].mean(axis=(0, 1)), pixels[-10:].mean(axis=(0, 1))
    assert top[2] > top[0], "the sky is blue"
    assert bottom[1] > bottom[2], "the ground is green and brown"
    assert list(tmp_path.iterdir()) == [path]
