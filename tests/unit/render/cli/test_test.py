"""``chunkscope test`` before anything is drawn; ``tests/golden/test_scenes.py`` runs it whole."""

from pathlib import Path

import pytest

from render.cli import app
from render.cli.failures import reported
from tests.support.scene_files import write_scene


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["test", "nowhere"], "nowhere does not exist"),
        (["test", "."], "holds no scene"),
        (["test", "suite", "--only", "b*"], "is called 'b*'"),
        (["test", "suite", "--accept", "--repeat", "3"], "--accept and --repeat are two things"),
        (["test", "suite", "--accept", "--report", "a.html"], "--report tells a comparison"),
        (["test", "suite", "--junit", "nowhere/a.xml"], "There is no folder"),
        (["test", "suite", "--mutate", "--accept"], "--mutate tries the comparison itself"),
        (["test", "suite", "--mutate", "--failed", "here"], "--mutate tries the comparison itself"),
        (["test", "suite", "--mutate", "--only", "b*"], "is called 'b*'"),
        (["test", "suite", "--mutate", "--json", "nowhere/a.json"], "There is no folder"),
        (["test", "suite", "--json", "a.json"], "--json says what --mutate found"),
        (["test", "suite", "--jobs", "0"], "jobs"),
    ],
)
def test_what_cannot_be_meant_is_one_sentence(
    arguments: list[str],
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    write_scene(tmp_path / "suite", "a")
    (tmp_path / "empty").mkdir()
    monkeypatch.chdir(tmp_path if arguments[1] != "." else tmp_path / "empty")
    assert reported(app, arguments) == 2
    said = capsys.readouterr().err
    assert words in said
    assert "Traceback" not in said
