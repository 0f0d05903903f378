"""Answers orders, one after the other, with one context that is made for the first of them.

Rules:
1. Whatever becomes of an order, it has one answer and the next one is taken.
2. Nothing but answers goes to ``say``: who serves on stdout keeps everybody else from it.
"""

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from client.errors import CHECK_FAILED, NO_GPU, UNREADABLE_FILE, ConnectError
from render.capture.channels import CHANNELS
from render.capture.desk.orders import PROTOCOL, SceneOrder, ShotOrder, read_order
from render.capture.page import write_report
from render.capture.scenarios import Darkroom, SceneFailed, read_scene
from render.capture.scenarios.artefacts import write_artefacts, write_unstable
from render.capture.scenarios.cases import cases_of
from render.capture.scenarios.compact import compacted
from render.capture.scenarios.judging import judged
from render.capture.scenarios.results import SceneResult
from render.capture.scenarios.scene import Scene
from render.capture.scenarios.suite import accept_view
from render.capture.scenarios.taken import take_all
from render.capture.shot_files import write_shot
from render.capture.truth import Take
from render.gpu import Gpu, UnsupportedGpu

Answer = Mapping[str, Any]  # Any: what JSON holds


class Desk:
    """Where orders are taken. Owner thread only; whoever made it releases it."""

    def __init__(self) -> None:
        self._gpu: Gpu | None = None
        self._darkroom: Darkroom | None = None

    @property
    def greeting(self) -> Answer:
        """What is said before anything is asked; makes no context."""
        return {"chunkscope": _version(), "protocol": PROTOCOL, "channels": list(CHANNELS)}

    def answer(self, line: str) -> Answer:
        """What an order's line is answered."""
        order_id: object = None
        try:
            order = read_order(line)
            order_id = order.id
            started = time.monotonic()
            done = self._shot(order) if isinstance(order, ShotOrder) else self._scene(order)
            return {"id": order_id, "done": {**done, "seconds": round(time.monotonic() - started, 3)}}
        except Exception as error:  # whatever it is costs this order alone
            words, exit_code = _told(error)
            return {"id": getattr(error, "id", order_id), "error": {"words": words, "exit_code": exit_code}}

    def release(self) -> None:
        """Frees every GL object, and ends what was started."""
        self._renew()
        if self._gpu is not None:
            self._gpu.release()
            self._gpu = None

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
            raise SceneFailed(taken[0].error, taken[0].exit_code)  # of all of it, since no view was taken
        results = [
            judged(scene, view, one) if isinstance(one, Take) else one
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
        self, scene: Scene, taken: Sequence[Take | SceneResult]
    ) -> tuple[list[SceneResult], dict[str, list[str]]]:
        """Takes it once more with nothing kept of the first time; writes what is the same."""
        self._renew()
        results, accepted = [], {}
        for pair in zip(scene.views, taken, take_all(self._ready(), scene), strict=True):
            result, files = accept_view(scene, *pair)
            results.append(result)
            if not result.error:
                accepted[result.view.name] = [str(path) for path in files]
        return results, accepted

    def _ready(self) -> Darkroom:
        if self._gpu is None:
            self._gpu = Gpu.standalone()
        if self._darkroom is None:
            self._darkroom = Darkroom(self._gpu)
        return self._darkroom

    def _renew(self) -> None:
        if self._darkroom is not None:
            self._darkroom.release()
            self._darkroom = None


def serve(lines: Iterable[str], say: Callable[[Answer], None], desk: Desk | None = None) -> None:
    """Greets, answers every line until there are no more, and gives everything back."""
    desk = desk or Desk()
    try:
        say(desk.greeting)
        for line in lines:
            if line.strip():
                say(desk.answer(line))
    finally:
        desk.release()


def _left(order: SceneOrder, scene: Scene, results: Sequence[SceneResult]) -> tuple[tuple[Path, ...], str]:
    """Pictures of what failed, and the report of all, nothing where nothing did; and why they are not there, or "".

    Of what was not accepted there are the pictures of both runs. What cannot be written costs no verdict.
    """
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
    """A sentence, and the exit code that the command line would have."""
    match error:
        case ConnectError() | SceneFailed():  # BadOrder and BadScene among them
            return str(error), error.exit_code
        case UnsupportedGpu():
            return str(error), NO_GPU
        case OSError(filename=str(name)):
            return f"{name}: {error.strerror}.", UNREADABLE_FILE
        case _:
            return f"This is a bug of chunkscope: {type(error).__name__}: {error}.", CHECK_FAILED


def _version() -> str:
    try:
        return version("chunkscope")
    except PackageNotFoundError:  # run from the sources, without an installation
        return ""
