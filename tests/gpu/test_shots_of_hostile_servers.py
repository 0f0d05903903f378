"""``chunkscope shot`` of real server processes that never settle or never stop: a verdict at the deadline, no hang."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from tests.support.servers.process import faulty_server

pytestmark = pytest.mark.gpu

COMMAND = [sys.executable, "-c", "from render.cli import main; main()"]
MUTE = "[answers]\ndelay_ms = 3600000\n"
REFUSING = '[[refusals]]\ncode = "chunk_not_found"\ntimes = "always"\n'
LATE = '[[refusals]]\ncode = "chunk_not_found"\nshare = 0.5\ntimes = 3\n'
"""Without it the world is there before a flood begins, and its picture is a good one. Changes are told of what came."""
CHANGING = LATE + "[updates]\nevery_s = 0.05\nblocks = 1000\n"
REPEATING = LATE + "[replacement]\nevery_s = 0.05\ncolumns = 40\n"
PATIENT_S = 280


def shot(folder: Path, port: int, timeout_s: float) -> tuple[int, dict[str, Any]]:
    options = ["--radius", "2", "--size", "160x96", "--timeout", str(timeout_s), "--no-cache", "--json"]
    command = [*COMMAND, "shot", f"127.0.0.1:{port}", "--out", str(folder / "a.png"), *options]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENT_S)
    assert ended.stdout, ended.stderr
    with Image.open(folder / "a.png") as image:
        assert image.size == (160, 96), "what there is, is written"
    return ended.returncode, json.loads(ended.stdout)


@pytest.mark.parametrize(
    ("script", "kind"),
    [(MUTE, "outstanding"), (REFUSING, "outstanding"), (CHANGING, "changing"), (REPEATING, "changing")],
    ids=["mute", "refusing", "changing", "repeating"],
)
def test_the_deadline_ends_it_with_what_is_missing(tmp_path: Path, script: str, kind: str) -> None:
    with faulty_server(tmp_path, script) as port:
        code, said = shot(tmp_path, port, 6.0)
    assert (code, said["complete"]) == (4, False)
    assert said["waiting_for"]
    missing = {lack["kind"]: lack for lack in said["missing"]}
    assert missing[kind]["count"] > 0
    if kind == "outstanding":
        assert len(missing[kind]["places"]) == missing[kind]["count"]
        assert all(place["asked"] > 0 for place in missing[kind]["places"])
