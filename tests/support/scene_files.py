"""Scenes for tests of the suite: small, flat, one view."""

from pathlib import Path

from render.scene_tests import SceneFile, read_scene

FLAT = """
source = "embedded:flat:1"
radius = 1
{more}

[[view]]
name = "front"
at = [0.5, -58.4, 0.5]
look = [0, 20]
size = [64, 48]
"""


def write_scene(folder: Path, name: str, more: str = "") -> Path:
    """Writes a scene of the flat world; ``more`` stands before its view."""
    path = folder / f"{name}.toml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(FLAT.format(more=more), encoding="utf-8")
    return path


def flat_scene(folder: Path, name: str, more: str = "") -> SceneFile:
    """The same, read."""
    return read_scene(write_scene(folder, name, more), folder)
