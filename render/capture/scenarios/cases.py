"""Results as cases of a report: texts, and what stands behind the source by its hash."""

import shlex
from collections.abc import Sequence
from pathlib import Path

import xxhash

from client.source import WorldFile
from render.capture.page import Case
from render.capture.scenarios.bad_scene import BadScene
from render.capture.scenarios.results import SceneResult
from render.capture.scenarios.scene import Scene, SceneView


def cases_of(results: Sequence[SceneResult], bad: Sequence[BadScene]) -> tuple[Case, ...]:
    """One for each view, and one for each file that is no scene."""
    return (
        *(_case(result) for result in results),
        *(Case(mistake.place, None, error=str(mistake)) for mistake in bad),
    )


def _case(result: SceneResult) -> Case:
    scene = result.scene
    return Case(
        name=result.name,
        verdict=result.verdict,
        error=result.error,
        expected=result.expected,
        actual=result.actual,
        shows=scene.shows.strip(),
        view=_view(result.view),
        source=str(scene.source),
        source_hash=_hash(scene),
        command=f"chunkscope test {shlex.quote(str(scene.path))}",
        seconds=result.seconds,
        warnings=result.warnings,
    )


def _view(view: SceneView) -> str:
    """As options of ``chunkscope shot``."""
    at = "" if view.at is None else f"--at {','.join(f'{part:g}' for part in view.at)} "
    look = "" if view.look_deg is None else f"--look {','.join(f'{part:g}' for part in view.look_deg)} "
    lens = f"--fov {view.fov_deg:g}" if view.ortho_blocks is None else f"--ortho {view.ortho_blocks:g}"
    return f"{at}{look}{lens} --size {view.size_px[0]}x{view.size_px[1]}"


def _hash(scene: Scene) -> str:
    """Of the scene's file, and of the recording or saved world where it has one: the same hash is the same input."""
    files = [scene.path, *([scene.source.path] if isinstance(scene.source, WorldFile) else [])]
    return " ".join(_digest(path) for path in files)


def _digest(path: Path) -> str:
    try:
        digest = xxhash.xxh3_64()
        for file in sorted(path.rglob("*")) if path.is_dir() else [path]:
            if file.is_file():
                digest.update(file.read_bytes())
        return f"{path.name} xxh3:{digest.hexdigest()}"
    except OSError:
        return f"{path.name} unreadable"
