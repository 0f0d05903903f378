"""Reads and writes accepted baselines, which lie beside the scene files.

    caves.toml                       the scene
    caves/VIEW.data.json             digests of storages, light, meshes, requests, and of the scene file
    caves/VIEW.truth.npz             semantic channels, packed
    caves/VIEW.llvmpipe-avx2-25.png  colours, one file for each renderer key

Rules:
1. All files of a view are written under temporary names and then renamed. An interrupted ``--accept`` leaves complete
   files, and a full disk leaves the previous baseline.
2. A file whose content is already right is not written again, so accepting twice changes nothing.
3. A file that cannot be read counts as a difference of its own view and is named; all other views are compared.

Packed shots (``.npz``) have a palette of the visible blocks only. Packing is lossless except for depths: float16 has a
resolution of one part in 2,048, far finer than the comparison. Cells are stored relative to the eye's block. Cells and
depths are stored as differences from the pixel to their left, which compresses to a quarter (measured on the project's
own scenes).
"""

import json
import math
import os
import zipfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace
from PIL import Image, UnidentifiedImageError

from client.player import Eye, View
from client.report.dump import write_npz
from render.capture.channels import NO_BLOCK, NO_CELL, NO_ENTITY, NO_RUNTIME_ID, Shot, ShotPalette, view_numbers
from render.gpu.targets import Pixels
from render.gpu.textures import write_png
from render.scene_tests.compare_data import DataTruth
from render.scene_tests.scene import SceneFile, SceneView
from render.scene_tests.views import CapturedView, Renderer

Arrays = dict[str, npt.NDArray[Any]]

NO_ROW: Final = 0xFFFF
"""In a packed shot: nothing is shown."""
FAR: Final = np.int16(np.iinfo(np.int16).min)
"""In a packed shot: no cell."""


def compacted(shot: Shot) -> Shot:
    """The same with a palette of the states that are shown, in their order; small enough to be sent and kept."""
    if shot.palette is None or (shot.block is None and shot.mirror is None):
        return replace(shot, palette=None)
    shown = [array for array in (shot.block, shot.mirror) if array is not None]
    rows = np.unique(np.concatenate([np.unique(array) for array in shown]))
    rows = rows[rows != NO_BLOCK]
    old = shot.palette
    palette = ShotPalette(old.names[rows], old.states[rows], old.runtime_ids[rows], np.empty(0, np.uint32))
    return replace(shot, palette=palette, block=_renumbered(shot.block, rows), mirror=_renumbered(shot.mirror, rows))


def _renumbered(array: npt.NDArray[np.uint32] | None, rows: npt.NDArray[np.uint32]) -> npt.NDArray[np.uint32] | None:
    if array is None:
        return None
    return np.where(array == NO_BLOCK, np.uint32(NO_BLOCK), np.searchsorted(rows, array).astype(np.uint32))


def packed(shot: Shot) -> Arrays:
    """Everything but colour, as arrays of an .npz."""
    shot = compacted(shot)
    view = shot.view
    arrays: Arrays = {
        "view": view_numbers(view),
        "size": np.array(shot.size_px, np.int32),
    }
    if shot.palette is not None:
        arrays["names"], arrays["states"] = shot.palette.names, shot.palette.states
    for name in ("face", "light", "state"):
        if (array := getattr(shot, name)) is not None:
            arrays[name] = array
    for name in ("block", "mirror"):
        if (array := getattr(shot, name)) is not None:
            arrays[name] = np.where(array == NO_BLOCK, NO_ROW, array).astype(np.uint16)
    if shot.mirror is not None and shot.block is not None and np.array_equal(shot.mirror, shot.block):
        arrays["mirror"] = np.empty(0, np.uint16)  # as block
    if shot.depth is not None:
        arrays["depth"] = _steps(shot.depth.astype(np.float16).view(np.uint16))
    if shot.entity is not None and (shot.entity != NO_ENTITY).any():
        arrays["entity"] = shot.entity
    if shot.cell is not None:
        arrays["cell"] = _packed_cells(shot.cell, view.eye)
    return arrays


def unpacked(arrays: Arrays) -> Shot:
    """What ``packed`` made, without colour. Raises ValueError: it is something else."""
    try:
        return _unpacked(arrays)
    except (KeyError, IndexError, TypeError, OverflowError) as error:
        raise ValueError(f"it is not a shot: {error!r}") from None


def _unpacked(arrays: Arrays) -> Shot:
    x, y, z, *lens = arrays["view"].tolist()
    width, height = arrays["size"].tolist()
    eye = Eye(x, y, z)
    channels: Arrays = {name: arrays[name] for name in ("face", "light", "state", "entity") if name in arrays}
    if "block" in arrays:
        channels["block"] = _rows(arrays["block"])
    if "mirror" in arrays:
        channels["mirror"] = _rows(arrays["mirror"]) if arrays["mirror"].size else channels["block"].copy()
    if "depth" in arrays:
        channels["depth"] = _sums(arrays["depth"]).view(np.float16).astype(np.float32)
    if "cell" in arrays:
        channels["cell"] = _unpacked_cells(arrays["cell"], eye)
    for name, array in channels.items():
        if array.shape[:2] != (height, width):
            raise ValueError(f"{name} has the shape {array.shape}, not {height} x {width}")
    palette = None
    if "names" in arrays:
        count = len(arrays["names"])
        palette = ShotPalette(
            arrays["names"], arrays["states"], np.full(count, NO_RUNTIME_ID, np.uint32), np.empty(0, np.uint32)
        )
    return Shot(View(eye, *lens), (width, height), palette, **channels)


def _rows(packed_rows: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint32]:
    return np.where(packed_rows == NO_ROW, np.uint32(NO_BLOCK), packed_rows.astype(np.uint32))


def _packed_cells(cell: npt.NDArray[np.int32], eye: Eye) -> npt.NDArray[np.uint16]:
    """uint16[3, h, w]: relative to the eye's block, as steps."""
    origin = np.array([math.floor(part) for part in eye], np.int32)
    near = np.where(cell == NO_CELL, np.int32(FAR), cell - origin).astype(np.int16)
    return _steps(np.ascontiguousarray(near.transpose(2, 0, 1)).view(np.uint16))


def _unpacked_cells(cell: npt.NDArray[np.uint16], eye: Eye) -> npt.NDArray[np.int32]:
    origin = np.array([math.floor(part) for part in eye], np.int32)
    near = _sums(cell).view(np.int16).transpose(1, 2, 0)
    return np.ascontiguousarray(np.where(near == FAR, np.int32(NO_CELL), near.astype(np.int32) + origin))


def _steps(array: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint16]:
    """Each pixel as the difference from the one to its left, wrapping."""
    steps = array.copy()
    steps[..., 1:] -= array[..., :-1]
    return steps


def _sums(steps: npt.NDArray[np.uint16]) -> npt.NDArray[np.uint16]:
    return np.add.accumulate(steps, axis=-1, dtype=np.uint16)


TRUTH: Final = ".truth.npz"
DATA: Final = ".data.json"
PNG: Final = ".png"


class BadBaseline(Exception):
    """A baseline that cannot be read."""

    def __init__(self, path: Path, error: Exception) -> None:
        super().__init__(f"{path} cannot be read: {' '.join(str(error).split()).rstrip('.')}; accept it again.")


def truth_path(scene: SceneFile, view: SceneView) -> Path:
    return scene.folder / f"{view.name}{TRUTH}"


def data_path(scene: SceneFile, view: SceneView) -> Path:
    return scene.folder / f"{view.name}{DATA}"


def colour_path(scene: SceneFile, view: SceneView, renderer: Renderer) -> Path:
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
            family, major, words = file["renderer"].tolist()
            drawn_by = Renderer(family, int(major), words)
    except (OSError, ValueError, EOFError, zipfile.BadZipFile) as error:
        raise BadBaseline(truth, error) from None
    if colours.exists():
        shot, drawn_by = replace(shot, colour=_read_png(colours)), renderer
    known, digest = _read_data(data)
    return CapturedView(shot, known, drawn_by, digest)


def write(scene: SceneFile, view: SceneView, take: CapturedView) -> tuple[Path, ...]:
    """Accepts a take; gives the files that changed. Raises OSError: a place cannot be written."""
    scene.folder.mkdir(parents=True, exist_ok=True)
    files: dict[Path, Callable[[Path], object]] = {}
    arrays = packed(take.shot)
    arrays["renderer"] = np.array([take.renderer.family, str(take.renderer.major), take.renderer.words])
    if not _holds(truth_path(scene, view), arrays):
        files[truth_path(scene, view)] = lambda path: write_npz(path, arrays)
    if take.data is not None:
        held = take.data.as_json() | ({"scene": scene.digest} if scene.digest else {})
        said, data = (json.dumps(held, indent=1, sort_keys=True) + "\n").encode(), data_path(scene, view)
        if not data.exists() or data.read_bytes() != said:
            files[data] = lambda path: path.write_bytes(said)
    colour, picture = take.shot.colour, colour_path(scene, view, take.renderer)
    if colour is not None and not _shows(picture, colour):
        labels = {"Software": "chunkscope", "Scene": scene.name, "Renderer": take.renderer.words}
        files[picture] = lambda path: write_png(path, colour, labels, kept=True)
    _write_all(files)
    return tuple(files)


def _write_all(files: Mapping[Path, Callable[[Path], object]]) -> None:
    """Writes all files of a view or none; if one fails, the previous baseline stays."""
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
    return tuple(
        path
        for path in sorted(root.rglob("*"))
        if path.name.endswith((TRUTH, DATA)) or (path.suffix == PNG and path.stem.count(".") == 1)
        if path.with_name(path.name.split(".")[0]) not in views
    )


def _read_png(path: Path) -> Pixels:
    try:
        with Image.open(path) as image:
            return np.asarray(image.convert("RGBA")).copy()
    except (OSError, UnidentifiedImageError, SyntaxError, ValueError) as error:
        raise BadBaseline(path, error) from None


def _read_data(path: Path) -> tuple[DataTruth | None, str]:
    """The digests, and the scene file's when they were accepted; files of before have none of that."""
    if not path.exists():
        return None, ""
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        return DataTruth.from_json(said), str(said.get("scene", ""))
    except (OSError, ValueError) as error:
        raise BadBaseline(path, error) from None


def _holds(path: Path, arrays: dict[str, np.ndarray[tuple[int, ...], np.dtype[np.generic]]]) -> bool:
    """Whether an .npz holds these arrays already; what drew them does not matter."""
    try:
        with path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
            same = set(file.files) == set(arrays)
            return same and all(np.array_equal(file[name], arrays[name]) for name in arrays if name != "renderer")
    except (OSError, ValueError, EOFError, zipfile.BadZipFile):
        return False


def _shows(path: Path, colour: Pixels) -> bool:
    try:
        return path.exists() and np.array_equal(_read_png(path)[..., :3], colour[..., :3])
    except BadBaseline:
        return False  # unreadable: it is written again
