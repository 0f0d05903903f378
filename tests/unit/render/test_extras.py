"""The line that installs what is missing names this interpreter and a package of an index, so it works as typed."""

import shlex
import sys
import tomllib
from pathlib import Path

import pytest

from render.extras import install_line

ROOT = Path(__file__).parents[3]


def test_it_is_a_line_of_a_shell_that_names_the_interpreter_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/home/ann b/.venv/bin/python")
    assert shlex.split(install_line("matplotlib")) == [
        "/home/ann b/.venv/bin/python", "-m", "pip", "install", "matplotlib",
    ]  # fmt: skip


def test_every_package_that_a_sentence_names_is_one_of_our_extras() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    wanted = {line.partition(">")[0] for lines in extras.values() for line in lines}
    assert {"imageio-ffmpeg", "matplotlib", "flip-evaluator"} <= wanted
    assert not [path for path in ROOT.glob("render/**/*.py") if "install 'chunkscope[" in path.read_text("utf-8")]
