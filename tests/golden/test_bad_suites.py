"""A folder of scenes of which most cannot be what they should: each gets its verdict, and the rest is run."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.data.scene_suites import write_scene
from tests.support.servers.process import faulty_server

pytestmark = pytest.mark.golden

CHUNKSCOPE = [sys.executable, "-c", "from render.cli import main; main()", "test"]
RECORDING = Path(__file__).parents[1] / "recordings" / "gophertunnel-486.cscope"
HALF = '[[refusals]]\ncode = "chunk_not_found"\nshare = 0.5\ntimes = "always"\n'
ENDLESS = HALF + "[updates]\nevery_s = 0.05\nblocks = 1000\n"
"""Half of its answers never come, so that it settles on no machine in time; the rest changes all the time."""
NEVER = "timeout = 2\n[[edits]]\ndrop = [0, -4, 0]\ntimes = 100"
MOST_S = 300
VIEW = '[[view]]\nname = "front"\nsize = [64, 48]\n'

WORDS = {
    "FAILED another_size/front: ": "The baseline has 64x48 pixels, this picture 96x48",
    "FAILED block_that_is_none/front: ": "unknown block minecraft:levr (did you mean minecraft:lever?).",
    "FAILED cut_short/front: ": "cut.cscope is damaged before this moment: ",
    "FAILED never_settles/front: ": "did not settle within 2 s: ",
    "FAILED spoilt_baseline/front: ": "front.truth.npz cannot be read: ",
    "FAILED no_pack/front: ": "not a resource pack: it has neither manifest.json nor textures.",
    "NO SCENE ": "typo.toml, line 4: unknown key 'radios'; did you mean 'radius'?",
}


def suite(folder: Path) -> list[str]:
    """Writes the scenes; gives the names of those that can be accepted before they are spoilt."""
    write_scene(folder, "another_size")
    write_scene(folder, "block_that_is_none", '[[edits]]\nset = "levr"\nat = [0, -60, 0]')
    (folder / "cut.cscope").write_bytes(RECORDING.read_bytes()[:-400])
    (folder / "cut_short.toml").write_text(f'source = "cut.cscope"\nradius = 1\n{VIEW}')
    write_scene(folder, "good")
    write_scene(folder, "never_settles", NEVER)
    (folder / "empty").mkdir()
    write_scene(folder, "no_pack", 'packs = ["empty"]')
    write_scene(folder, "spoilt_baseline")
    write_scene(folder, "typo", "radios = 3")
    return ["another_size", "good", "spoilt_baseline"]


def spoil(folder: Path) -> None:
    wide = folder / "another_size.toml"
    wide.write_text(wide.read_text().replace("[64, 48]", "[96, 48]"))
    spoilt = folder / "spoilt_baseline" / "front.truth.npz"
    spoilt.write_bytes(spoilt.read_bytes()[:100])


def begin(folder: Path, *options: str) -> "subprocess.Popen[str]":
    return subprocess.Popen([*CHUNKSCOPE, str(folder), *options], stdout=subprocess.PIPE, text=True)


def test_each_gets_its_verdict_and_the_rest_is_run_by_two_suites_at_once(tmp_path: Path) -> None:
    only = [word for name in suite(tmp_path) for word in ("--only", name)]
    with begin(tmp_path, "--accept", "--jobs", "1", *only) as accepting:
        told = accepting.communicate(timeout=MOST_S)[0]
    assert "3 views accepted, 0 unchanged, 0 refused, 1 file cannot be read as a scene." in told, told
    spoil(tmp_path)
    with begin(tmp_path, "--jobs", "1") as one, begin(tmp_path, "--jobs", "1") as other:
        outputs = [process.communicate(timeout=MOST_S)[0] for process in (one, other)]
    for process, said in zip((one, other), outputs, strict=True):
        lines = said.splitlines()
        verdicts = re.split(r"\n(?! )", said)  # further lines of a verdict are indented
        for begins, holds in WORDS.items():
            start = begins.rstrip()
            assert [verdict for verdict in verdicts if verdict.startswith(start) and holds in verdict], (begins, said)
        assert "7 views of 7 scenes: 1 passed, 6 failed, 1 file cannot be read as a scene." in lines, said
        assert process.returncode == 1
    assert (tmp_path / "chunkscope-failed" / "another_size.front.actual.png").is_file()


def test_a_source_that_never_stops_sending_fails_at_its_time_out_and_the_rest_is_run(tmp_path: Path) -> None:
    with faulty_server(tmp_path, ENDLESS) as port:
        (tmp_path / "endless.toml").write_text(f'source = "127.0.0.1:{port}"\nradius = 1\ntimeout = 6\n{VIEW}')
        write_scene(tmp_path, "good")
        with begin(tmp_path, "--jobs", "1", "--seed", "1") as process:
            lines = process.communicate(timeout=MOST_S)[0].splitlines()
    assert any("endless/front: " in line and "did not settle within 6 s: " in line for line in lines[:1]), lines
    assert lines[1].startswith("FAILED good/front: This view has no baseline yet"), lines
    assert (lines[2], process.returncode) == ("2 views of 2 scenes: 0 passed, 2 failed.", 1)
