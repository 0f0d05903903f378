"""What was accepted of scenes, on disk beside them.

    caves.toml                       the scene
    caves/VIEW.data.json             digests of storages, light, meshes, requests, and of the scene file
    caves/VIEW.truth.npz             semantic channels, packed (``compact``)
    caves/VIEW.llvmpipe-avx2-25.png  colours, one file for each renderer key

Rules:
1. A view's files are written beside their places, all of them, and then renamed: an interrupted ``--accept`` leaves
   whole files, and one that finds no room leaves what was accepted before.
2. A file that is as it should be is not touched, so that accepting twice changes nothing.
3. A file that cannot be read is as good as a difference: it is named, and nothing else is lost.
"""

import json
import os
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Final

import numpy as np
from msgspec.structs import replace
from PIL import Image, UnidentifiedImageError

from client.report.dump import write_npz
from render.gpu.targets import Pixels
from render.gpu.textures import write_png
from render.scene_tests.compact import packed, unpacked
from render.scene_tests.compare_data import DataTruth
from render.scene_tests.scene import SceneFile, SceneView
from render.scene_tests.views import CapturedView, Renderer

TRUTH: Final = ".truth.npz"
DATA: Final = ".data.json"
PNG: Final = ".png"


class BadBaseline(Exception):
    """A baseline that cannot be read; the text names the file."""


def truth_path(scene: SceneFile, view: SceneView) -> Path:
    """Semantic channels."""
    return scene.folder / f"{view.name}{TRUTH}"


def data_path(scene: SceneFile, view: SceneView) -> Path:
    """Digests."""
    return scene.folder / f"{view.name}{DATA}"


def colour_path(scene: SceneFile, view: SceneView, renderer: Renderer) -> Path:
    """Colours of one renderer."""
    return scene.folder / f"{view.name}.{renderer.key}{PNG}"


def accepted(scene: SceneFile, view: SceneView, renderer: Renderer) -> CapturedView | None:
    """What was accepted of a view, with this renderer's colours if any. Raises BadBaseline: a file cannot be read."""
    truth, data = truth_path(scene, view), data_path(scene, view)
    colours = colour_path(scene, view, renderer)
    if not truth.exists():
        return None
    try:
        with truth.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            shot = unpacked(dict(file))
            drawn_by = _renderer(file)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise BadBaseline(f"{truth} cannot be read: {_one_line(error)}; accept it again.") from None
    if colours.exists():
        shot, drawn_by = replace(shot, colour=_read_png(colours)), renderer
    known, digest = _read_data(data)
    return CapturedView(shot, known, drawn_by, digest)


def write(scene: SceneFile, view: SceneView, take: CapturedView) -> tuple[Path, ...]:
    """Accepts a take; gives the files that changed. Raises OSError: a place cannot be written."""
    scene.folder.mkdir(parents=True, exist_ok=True)
    files: dict[Path, Callable[[Path], None]] = {}
    arrays = packed(take.shot)
    arrays["renderer"] = np.array([take.renderer.family, str(take.renderer.major), take.renderer.words])
    if not _holds(truth_path(scene, view), arrays):
        files[truth_path(scene, view)] = lambda path: write_npz(path, arrays)
    if take.data is not None:
        held = take.data.as_json() | ({"scene": scene.digest} if scene.digest else {})
        said = json.dumps(held, indent=1, sort_keys=True) + "\n"
        if not _says(data_path(scene, view), said):
            files[data_path(scene, view)] = lambda path: _write_text(path, said)
    colour, picture = take.shot.colour, colour_path(scene, view, take.renderer)
    if colour is not None and not _shows(picture, colour):
        labels = {"Software": "chunkscope", "Scene": scene.name, "Renderer": take.renderer.words}
        files[picture] = lambda path: write_png(path, colour, labels)
    _write_all(files)
    return tuple(files)


def _write_all(files: Mapping[Path, Callable[[Path], None]]) -> None:
    """All of a view's files or none: what was accepted before stays where one of them finds no room."""
    new = {path: path.with_name(f".{path.name}.{os.getpid()}.new") for path in files}
    try:
        for path, write_to in files.items():
            write_to(new[path])
        for path, beside in new.items():
            beside.replace(path)
    finally:
        for beside in new.values():
            beside.unlink(missing_ok=True)


def unused(root: Path, scenes: Iterable[SceneFile]) -> tuple[Path, ...]:
    """Baseline files below a suite's folder that no view of its scenes has, by name."""
    views = {scene.folder / view.name for scene in scenes for view in scene.views}
    return tuple(path for path in _baseline_files(root) if _stem(path) not in views)


def _baseline_files(root: Path) -> Iterator[Path]:
    for path in sorted(root.rglob("*")):
        if path.name.endswith((TRUTH, DATA)) or (path.suffix == PNG and path.stem.count(".") == 1):
            yield path


def _stem(path: Path) -> Path:
    """The folder and view that a file is of."""
    return path.with_name(path.name.split(".")[0])


def _renderer(file: np.lib.npyio.NpzFile) -> Renderer:
    family, major, words = file["renderer"].tolist()
    return Renderer(family, int(major), words)


def _read_png(path: Path) -> Pixels:
    try:
        with Image.open(path) as image:
            return np.asarray(image.convert("RGBA")).copy()
    except (OSError, UnidentifiedImageError, SyntaxError, ValueError) as error:
        raise BadBaseline(f"{path} cannot be read: {_one_line(error)}; accept it again.") from None


def _read_data(path: Path) -> tuple[DataTruth | None, str]:
    """The digests, and the scene file's when they were accepted; files of before have none of that."""
    if not path.exists():
        return None, ""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return DataTruth.from_json(said), str(said.get("scene", ""))
    except (OSError, ValueError) as error:
        raise BadBaseline(f"{path} cannot be read: {_one_line(error)}; accept it again.") from None


def _holds(path: Path, arrays: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]]) -> bool:
    """Whether an .npz holds these arrays already; what drew them does not matter."""
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            same = set(file.files) == set(arrays)
            return same and all(np.array_equal(file[name], arrays[name]) for name in arrays if name != "renderer")
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        return False


def _shows(path: Path, colour: Pixels) -> bool:
    """Whether a PNG shows this already."""
    try:
        return path.exists() and np.array_equal(_read_png(path)[..., :3], colour[..., :3])
    except BadBaseline:
        return False  # so it is written anew


def _says(path: Path, text: str) -> bool:
    return path.exists() and path.read_bytes() == text.encode()


def _write_text(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()).rstrip(".")
