"""``python -m render.bench.start_probe FILE MODULE [ARGUMENTS]``: runs a program and writes what it did when.

The functions of ``STAGES`` are wrapped as their modules are imported, so the program itself knows nothing of it, and a
start that nobody measures pays nothing. What is written: one JSON line a span, with the thread's own processor time,
which says more than elapsed time on a machine that others use. The program's child of our own server is started through
this module, too, and writes beside it (``FILE.server``).
"""

import builtins
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import json
import runpy
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Final

ROOT_LEAST_S: Final = 0.0005
"""Imports that take less are not worth a line; most find a module that is there."""
PROGRAM: Final = "chunkscope"
ALL: Final = "all"
CHILD: Final = "child process"
WAITS: Final = {"wait: server", "wait: imports", "wait: workers", "wait: network"}
"""Stages in which a thread does nothing; who it waits for."""

STAGES: Final[dict[str, dict[str, str]]] = {
    "client.kernel_cache.cache": {"use_cache": "kernels", "use_compiled": "kernels"},
    "net.kernels.image": {"load_image": "kernels"},
    "client.embedded_server": {"EmbeddedServer.__init__": CHILD, "EmbeddedServer.wait_ready": "wait: server"},
    "client.background_task": {"BackgroundTask.wait": "wait: imports"},
    "client.connection.opening": {"_join": "join"},
    "client.connection.connection": {"Connection.pump": "pump", "Connection.unsettled": "pump"},
    "client.session.terrain": {"SessionTerrain.column": "columns", "SessionTerrain.answers": "answers"},
    "client.session.dimension_state": {"DimensionState.end_drain": "answers"},
    "client.session.requests": {"Requests.step": "requests"},
    "net.palette": {"Palette.for_protocol": "palette"},
    "net.transport.udp": {
        "UdpTransport.wait": "wait: network",
        "UdpTransport._receive": "network",
        "UdpTransport._collect": "network",
    },
    "render.gpu.device": {"Gpu.standalone": "GL context", "Gpu.release": "ending"},
    "render.gpu.programs": {"Programs._compile": "shaders", "Programs.compute": "shaders"},
    "render.scene.gpu_copy.block_appearance": {"BlockAppearance.__init__": "textures", "LookTextures.grow": "textures"},
    "render.scene.scene": {"Scene.__init__": "scene", "Scene.attach": "scene", "Scene.draw": "draw"},
    "render.scene.change_intake": {"ChangeIntake.drain": "scene"},
    "render.scene.uploads": {"Uploads.step": "upload"},
    "render.scene.jobs": {"MeshWork.__call__": "mesh"},
    "client.light.step": {"run": "light"},
    "render.jobs.workers": {"ThreadRunner.wait": "wait: workers"},
    "render.gpu.targets": {"Target.pixels": "draw"},
    "render.capture.image_files": {"write_shot": "file"},
    "render.viewer.window.window": {"open_window": "window"},
    "render.viewer.window.startup": {"Splash.__init__": "window", "Splash.draw": "window"},
    "render.viewer.app": {"App.__init__": "scene", "App.frame": "draw"},
    "net.server.__main__": {"_worlds": "its world", "_serve": "its world"},
    "net.server.host": {"Host.receive": "serve", "Host.datagrams": "serve"},
    "net.server.column_provider": {"ColumnProvider.snapshot": "columns"},
    "net.server.worlds.hills": {"HillsWorld.column": "columns"},
    "net.server.requests": {"AnswerQueue.next_packet": "answers"},
    "net.server.player_priority": {"PlayerPriority.step": "sight"},
    "net.transport.udp_server": {"UdpHost.run": "serve"},
}
"""By module: its functions, and the stage that each belongs to. What is not wrapped counts for the span around it."""


class Spans:
    """What was done when, by all threads; appended to without a lock."""

    def __init__(self) -> None:
        self._found: list[tuple[str, str, float, float, float]] = []

    def wrapped(self, stage: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, its calls noted."""

        def noting(*values: Any, **named: Any) -> Any:
            began, used = time.monotonic(), time.thread_time()
            try:
                return work(*values, **named)
            finally:
                self.add(stage, began, used)

        return noting

    def add(self, stage: str, began: float, used: float) -> None:
        """Ends what began at a monotonic time, with so much processor time of this thread."""
        entry = stage, threading.current_thread().name, began, time.monotonic(), time.thread_time() - used
        self._found.append(entry)

    def write(self, path: Path) -> None:
        """One JSON line each."""
        lines = (json.dumps([stage, thread, *times]) for stage, thread, *times in list(self._found))
        path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


class _Finder(importlib.abc.MetaPathFinder):
    """Wraps the functions of a module as soon as it was executed."""

    def __init__(self, change: Callable[[str, ModuleType], None]) -> None:
        self._change = change

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec that the next finder has, with the change added."""
        if name not in STAGES:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        spec = next((found for finder in others if (found := finder.find_spec(name, path, target))), None)
        if spec is None or spec.loader is None:
            return spec
        loader = spec.loader
        execute = loader.exec_module

        def executed(module: ModuleType) -> None:
            execute(module)
            self._change(name, module)

        loader.exec_module = executed  # type: ignore[method-assign] - of this one loader
        return spec


def install(spans: Spans, file: Path) -> None:
    """Wraps imports, sleeping, and the functions of ``STAGES`` in what is imported from now on."""
    depth = threading.local()

    def imported(work: Callable[..., Any]) -> Callable[..., Any]:
        def importing(*values: Any, **named: Any) -> Any:
            if getattr(depth, "inside", False):
                return work(*values, **named)
            depth.inside, began, used = True, time.monotonic(), time.thread_time()
            try:
                return work(*values, **named)
            finally:
                depth.inside = False
                if time.monotonic() - began > ROOT_LEAST_S:
                    spans.add("imports", began, used)

        return importing

    builtins.__import__ = imported(builtins.__import__)
    importlib.import_module = imported(importlib.import_module)
    time.sleep = spans.wrapped("wait: network", time.sleep)  # type: ignore[assignment] - the same, noted

    def change(name: str, module: ModuleType) -> None:
        for path, stage in STAGES[name].items():
            wrap(spans, module, path, stage)
        if name == "client.embedded_server":
            command = module.server_command
            module.server_command = lambda *about: _through(command(*about), file)  # type: ignore[attr-defined] - its own

    sys.meta_path.insert(0, _Finder(change))


def wrap(spans: Spans, module: ModuleType, path: str, stage: str) -> None:
    """Puts a noted function in the place of one of a module or of a class in it."""
    *outside, name = path.split(".")
    holder: Any = module
    for each in outside:
        holder = getattr(holder, each)
    work = vars(holder)[name]
    if isinstance(work, (classmethod, staticmethod)):
        setattr(holder, name, type(work)(spans.wrapped(stage, work.__func__)))
    else:
        setattr(holder, name, spans.wrapped(stage, work))


def _through(command: list[str], file: Path) -> list[str]:
    """The command of a child, run by this module, writing beside ``file``."""
    at = command.index("-m")
    return [*command[:at], "-m", "render.bench.start_probe", f"{file}.server", *command[at + 1 :]]


def main(words: list[str]) -> None:
    """Runs a module as ``python -m`` would, and writes the spans whatever ends it."""
    file, module, *arguments = words
    began = time.monotonic()
    spans = Spans()
    install(spans, Path(file))
    sys.argv = [module, *arguments]
    try:
        if module == PROGRAM:
            importlib.import_module("render").main()
        else:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
    finally:
        spans.add(ALL, began, 0.0)
        spans.write(Path(file))


if __name__ == "__main__":
    main(sys.argv[1:])
