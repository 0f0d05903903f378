"""Shots and scenes for another program: each order and each answer is one JSON line (``chunkscope studio``).

The server handles orders one after the other, with one GL context that it makes for the first of them.

Rules:
1. Each order gets one answer, even if it fails; then the next one is read.
2. Only answers go to ``say``: a caller that serves on stdout must keep all other output away from it.

The protocol, version 1: JSON, one object a line, UTF-8, on stdin and stdout.

The process first sends, once:

    {"chunkscope": "0.1.0", "protocol": 1, "channels": ["colour", ...]}

Then it answers each order, in sequence, with the order's id and ``done`` or ``error``.

    {"id": 1, "order": "shot", "source": "embedded:hills", "out": "/tmp/a.png", "at": [8, 90, 8], "look": [30, 20]}
    {"id": 1, "done": {"files": ["/tmp/a.png"], "renderer": "...", "seconds": 0.8}}

    {"id": 2, "order": "scene", "path": "/home/me/lamp.toml", "artefacts": "/home/me/failed"}
    {"id": 2, "done": {"passed": false, "seconds": 1.2, "files": ["/home/me/failed/lamp.near.actual.png", ...],
        "unwritten": "",
        "views": [{"view": "near", "passed": false, "words": "...", "accepted": [], "warnings": [],
                   "layers": [{"layer": "data", "outcome": "failed", "words": "...", "numbers": {...}}]}]}}

    {"id": 3, "order": "shot", "source": "nowhere.cscope", "out": "/tmp/a.png"}
    {"id": 3, "error": {"words": "nowhere.cscope does not exist.", "exit_code": 6}}

A shot may have ``at``, ``look``, ``fov``, ``ortho``, ``cut``, ``size``, ``channels``, ``radius``, ``dimension``,
``time``, ``mode``, ``light``, ``overlays``, ``entities``, ``timeout``, as a scene file does; ``out`` ends in .png or
.npz. A scene with "accept": true is drawn twice and becomes the baseline if both results are equal. Exit codes are
those of the command line. The process ends when stdin ends.

Rules of the protocol:
1. A line that is not a valid order gets an error with its id, or null; other orders are not affected.
2. Paths are absolute, because the process may have any working directory.
3. Each change of the protocol gets a new version number, except for additional keys in answers.
"""

import difflib
import json
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from client.errors import CHECK_FAILED, NO_GPU, UNREADABLE_FILE, ConnectError, UsageError
from client.source import parse_source
from net.config import Form, WrongValue, string, truth, whole
from render.capture.channels import CHANNELS
from render.capture.image_files import write_shot
from render.gpu import UnsupportedGpu
from render.scene_tests import SceneCapture, SceneFailed, SceneView, read_scene, scene_file
from render.scene_tests.artefacts import write_artefacts, write_unstable
from render.scene_tests.baselines import compacted
from render.scene_tests.report_html import cases_of, write_report
from render.scene_tests.scene import SceneFile, SceneResult
from render.scene_tests.suite import accept_view, format_missing, judged
from render.scene_tests.take import take_all
from render.scene_tests.views import CapturedView

# ---------------------------------------------------------------- orders

PROTOCOL: Final = 1
LONGEST_ORDER: Final = 1 << 20
"""Longest line, in characters; no order needs as many."""


def _path(value: Any) -> Path:  # Any: what JSON holds
    if not isinstance(value, str) or not Path(value).is_absolute():
        raise WrongValue("an absolute path")
    return Path(value)


VIEW: Final[Form] = {key: scene_file.VIEW[key] for key in ("at", "look", "fov", "ortho", "cut", "size")}
WORLD_KEYS: Final = ("radius", "dimension", "mode", "light", "overlays", "entities", "channels", "timeout")
WORLD: Final[Form] = {**{key: scene_file.ROOT[key] for key in WORLD_KEYS}, "time": whole(0, 23999)}
SHOT: Final[Form] = {"source": string, "out": _path, **VIEW, **WORLD}
SCENE: Final[Form] = {"path": _path, "accept": truth, "artefacts": _path}
FORMS: Final[Mapping[str, Form]] = {"shot": SHOT, "scene": SCENE}


class BadOrder(UsageError):
    """A line that is not a valid order; ``id`` is its id, or None."""

    def __init__(self, words: str, order_id: object = None) -> None:
        super().__init__(words)
        self.id = order_id


class ShotOrder(msgspec.Struct, frozen=True):
    """A picture of a source: a scene of one view, and the file to write."""

    id: object
    scene: SceneFile
    out: Path


class SceneOrder(msgspec.Struct, frozen=True):
    """A comparison of a scene file with its accepted baselines."""

    id: object  # of the order
    path: Path  # of the file
    accept: bool = False  # whether it becomes the baseline
    artefacts: Path | None = None  # folder for pictures of failed views, or None


Order = ShotOrder | SceneOrder


def read_order(line: str) -> Order:
    """Reads one line. Raises BadOrder: it is not a valid order; the message says why."""
    if len(line) > LONGEST_ORDER:
        raise BadOrder(f"An order of {len(line)} characters is too long; the limit is {LONGEST_ORDER}.")
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        raise BadOrder(f"{line.strip()[:60]!r} is not JSON.") from None
    if not isinstance(said, dict):
        raise BadOrder(f"{line.strip()[:60]!r} is not a JSON object.")
    order_id, name = said.pop("id", None), said.pop("order", None)
    if not isinstance(name, str) or name not in FORMS:
        raise BadOrder(f"Unknown order {name!r}: choose from {', '.join(FORMS)}.", order_id)
    try:
        read = _read(said, FORMS[name], name)
        return _shot(order_id, read) if name == "shot" else _scene(order_id, read)
    except UsageError as error:
        raise BadOrder(str(error), order_id) from None


def _read(said: Mapping[str, Any], form: Form, name: str) -> dict[str, Any]:  # Any: what JSON holds
    read = {}
    for key, value in said.items():
        if key not in form:
            near = difflib.get_close_matches(key, form, 1, 0.0)[0]
            raise UsageError(f"Unknown key '{key}' in a {name} (nearest: {near}).")
        if value is None:
            continue  # as if the key were missing
        try:
            read[key] = form[key](value)
        except WrongValue as error:
            raise UsageError(f"A {name}'s '{key}' is {value!r}; it must be {error}.") from None
    return read


def _shot(order_id: object, read: dict[str, Any]) -> ShotOrder:
    for key in ("source", "out"):
        if key not in read:
            raise UsageError(f"A shot needs '{key}'.")
    out: Path = read["out"]
    if out.suffix not in (".png", ".npz"):
        raise UsageError(f"A shot's 'out' must end in .png or .npz, not as {out.name!r}.")
    view, world = (scene_file.renamed({key: read[key] for key in form if key in read}) for form in (VIEW, WORLD))
    scene = SceneFile(
        path=out.with_suffix(".toml"),
        name="shot",
        source=parse_source(read["source"]),
        views=(SceneView("shot", **view),),
        **{"channels": ("colour",), **world},
    )
    return ShotOrder(order_id, scene, out)


def _scene(order_id: object, read: dict[str, Any]) -> SceneOrder:
    if "path" not in read:
        raise UsageError("A scene needs 'path'.")
    return SceneOrder(order_id, **read)


# ---------------------------------------------------------------- desk

Answer = Mapping[str, Any]  # Any: what JSON holds


class StudioServer:
    """Executes orders. Owner thread only; its creator calls ``release``."""

    def __init__(self) -> None:
        self._darkroom: SceneCapture | None = None

    @property
    def greeting(self) -> Answer:
        """The first message of the protocol; makes no context."""
        return {"chunkscope": version("chunkscope"), "protocol": PROTOCOL, "channels": list(CHANNELS)}

    def answer(self, line: str) -> Answer:
        order_id: object = None
        try:
            order = read_order(line)
            order_id = order.id
            started = time.monotonic()
            done = self._shot(order) if isinstance(order, ShotOrder) else self._scene(order)
            return {"id": order_id, "done": {**done, "seconds": round(time.monotonic() - started, 3)}}
        except Exception as error:  # any error fails only this order
            words, exit_code = _told(error)
            return {"id": getattr(error, "id", order_id), "error": {"words": words, "exit_code": exit_code}}

    def release(self) -> None:
        """The next order gets another context."""
        if self._darkroom is not None:
            self._darkroom.release()
            self._darkroom = None

    # ------------------------------------------------------------ orders

    def _shot(self, order: ShotOrder) -> Answer:
        (take,) = self._ready().takes(order.scene)
        take = replace(take, shot=compacted(take.shot))
        labels = {"Software": "chunkscope", "Source": str(order.scene.source), "Renderer": take.renderer.words}
        files = write_shot(take.shot, order.out, labels)
        return {"files": [str(path) for path in files], "renderer": take.renderer.words}

    def _scene(self, order: SceneOrder) -> Answer:
        scene = read_scene(order.path, order.path.parent)
        taken = take_all(self._ready(), scene)
        if isinstance(taken[0], SceneResult):
            raise SceneFailed(taken[0].error, taken[0].exit_code)  # of the whole scene, since no view was drawn
        results = [
            judged(scene, view, one) if isinstance(one, CapturedView) else one
            for view, one in zip(scene.views, taken, strict=True)
        ]
        accepted: dict[str, list[str]] = {}
        if order.accept:
            results, accepted = self._accept(scene, taken)
        files, unwritten = _left(order, scene, results)
        return {
            "passed": all(result.passed or result.view.name in accepted for result in results),
            "views": [_view(result, accepted) for result in results],
            "files": [str(path) for path in files],
            "unwritten": unwritten,
        }

    def _accept(
        self, scene: SceneFile, taken: Sequence[CapturedView | SceneResult]
    ) -> tuple[list[SceneResult], dict[str, list[str]]]:
        """Draws the scene once more from a fresh start; writes the baselines if both results are equal."""
        self.release()
        results, accepted = [], {}
        for pair in zip(scene.views, taken, take_all(self._ready(), scene), strict=True):
            result, files = accept_view(scene, *pair)
            results.append(result)
            if not result.error:
                accepted[result.view.name] = [str(path) for path in files]
        return results, accepted

    def _ready(self) -> SceneCapture:
        if self._darkroom is None:
            self._darkroom = SceneCapture()
        return self._darkroom


def serve(lines: Iterable[str], say: Callable[[Answer], None]) -> None:
    """Sends the greeting, answers every line until the input ends, and releases the server."""
    desk = StudioServer()
    try:
        say(desk.greeting)
        for line in lines:
            if line.strip():
                say(desk.answer(line))
    finally:
        desk.release()


def _left(order: SceneOrder, scene: SceneFile, results: Sequence[SceneResult]) -> tuple[tuple[Path, ...], str]:
    """Writes pictures of failed views and the report, or returns why not; failed writes do not change the verdict."""
    folder = order.artefacts
    if folder is None:
        return (), ""
    pictures: tuple[Path, ...] = ()
    try:
        if order.accept:
            return write_unstable(folder, results), ""
        pictures = write_artefacts(folder, results)
        if not pictures:
            return (), ""
        report = folder / f"{scene.name}.html"
        write_report(report, cases_of(results, ()))
    except OSError as error:
        return pictures, f"{error.filename or folder} cannot be written: {error.strerror or error}."
    return (*pictures, report), ""


def _view(result: SceneResult, accepted: Mapping[str, list[str]]) -> Answer:
    taken = accepted.get(result.view.name)
    layers = result.verdict.layers if result.verdict is not None else ()
    return {
        "view": result.view.name,
        "passed": result.passed or taken is not None,
        "words": "Accepted." if taken is not None else result.words,
        "accepted": taken or [],
        "warnings": [] if taken is None or result.actual is None else list(format_missing(result.actual)),
        "layers": [
            {
                "layer": layer.name,
                "outcome": layer.outcome.value,
                "words": layer.words,
                "numbers": {name: float(number) for name, number in layer.numbers.items() if math.isfinite(number)},
            }
            for layer in layers
        ],
    }


def _told(error: Exception) -> tuple[str, int]:
    """An error's sentence, and the exit code that the command line would have."""
    match error:
        case ConnectError() | SceneFailed():  # including BadOrder and BadScene
            return str(error), error.exit_code
        case UnsupportedGpu():
            return str(error), NO_GPU
        case OSError(filename=str(name)):
            return f"{name}: {error.strerror}.", UNREADABLE_FILE
        case _:
            return f"This is a bug in chunkscope: {type(error).__name__}: {error}.", CHECK_FAILED
