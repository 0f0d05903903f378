"""``python -m render.bench.start_probe FILE MODULE [ARGUMENTS]``: runs a program and records what it did when.

Rules:
1. The functions of ``STAGES`` are wrapped when their modules are imported, so the program contains no code for this and
   an unmeasured start costs nothing.
2. A line of ``FILE`` is a span: stage, thread, monotonic seconds of its start and end, and processor seconds of its
   thread, which are more reliable on a shared machine. Events of the viewer (``render.viewer.event_stream``) are spans
   of zero length; for its pictures, a line says how many pixels were final since when.
3. The child of our own server is started through this module too, and writes ``FILE.server``.
4. A window closes when nothing is missing in it.
"""

import builtins
import importlib
import importlib.abc
import importlib.machinery
import json
import os
import runpy
import sys
import threading
import time
from collections.abc import Callable, Generator, Sequence
from pathlib import Path
from types import GeneratorType, ModuleType
from typing import Any, Final

PROGRAM: Final = "chunkscope"
"""In the place of a module: the console script."""
ALL: Final = "all"
EVENT: Final = "event "
"""How stages begin that are events of the viewer."""
LAST_EVENT: Final = "settled"
IMPORTS: Final = "imports"
LEAST_IMPORT_S: Final = 0.0005
"""Most import statements find a module that is there."""
WAIT: Final = "wait: "
"""Prefix of stages in which a thread waits; the name of what it waits for follows."""
PICTURE: Final = "picture"
PIXEL_STEP: Final = 8
SAME_PIXEL: Final = 8
"""Of 255, by which two pixels that are alike may differ: clouds drift, water moves."""

STAGES: Final[dict[str, dict[str, str]]] = {
    "client.kernel_cache.cache": {"use_cache": "kernels", "use_compiled": "kernels"},
    "net.kernels.image": {"load_image": "kernels"},
    "client.embedded_server": {
        "EmbeddedServer.__init__": "child process",
        "EmbeddedServer.wait_ready": WAIT + "server",
    },
    "client.background_task": {"BackgroundTask.wait": WAIT + IMPORTS},
    "net.palette": {"Palette.for_protocol": "palette"},
    "net.transport.udp": {
        "UdpTransport.wait": WAIT + "server",
        "UdpTransport._receive": "network",
        "UdpTransport._collect": "network",
    },
    "client.connection.opening": {"_join": "join"},
    "client.connection.connection": {"Connection.pump": "session"},
    "client.session.terrain": {"SessionTerrain.column": "columns", "SessionTerrain.answers": "answers"},
    "client.session.dimension_state": {"DimensionState.end_drain": "answers"},
    "client.session.requests": {"Requests.step": "requests"},
    "client.light.step": {"run": "light"},
    "render.gpu.device": {"Gpu.standalone": "GL context"},
    "render.gpu.programs": {"Programs._program": "shaders"},
    "render.gpu.targets": {"Target.pixels": "draw"},
    "render.scene.gpu_copy.block_appearance": {
        "BlockAppearance.__init__": "textures",
        "AppearanceTextures.grow": "textures",
    },
    "render.scene.scene": {"Scene.__init__": "scene", "Scene.attach": "scene", "Scene.draw": "draw"},
    "render.scene.change_intake": {"ChangeIntake.drain": "scene"},
    "render.scene.uploads": {"Uploads.step": "upload"},
    "render.scene.jobs": {"MeshWork.__call__": "mesh"},
    "render.jobs.workers": {"ThreadRunner.wait": WAIT + "workers"},
    "render.capture.image_files": {"write_shot": "file"},
    "render.viewer.window.window": {"open_window": "window"},
    "render.viewer.window.startup": {"Splash.__init__": "window", "Splash.draw": "window"},
    "render.viewer.app": {"App.__init__": "scene", "App.frame": "draw"},
    "net.server.__main__": {"_worlds": "its world", "_serve": "its world"},
    "net.server.host": {"Host.receive": "session", "Host.datagrams": "session"},
    "net.server.column_provider": {"ColumnProvider.snapshot": "columns", "ColumnProvider.steps": "columns"},
    "net.server.requests": {"AnswerQueue.next_packet": "answers"},
    "net.transport.udp_server": {"UdpHost.run": WAIT + "clients"},
}
"""By module: its functions, and the stage that each belongs to. What is not wrapped counts for the span around it."""


class Spans:
    """What was done when, by all threads; appended to without a lock."""

    def __init__(self, file: Path) -> None:
        self.file = file  # where they are written to
        self._began_s = time.monotonic()
        self._found: list[tuple[str, str, float, float, float]] = []
        self._pictures: list[tuple[float, Any]] = []  # Any: uint8[rows, columns, 3], once NumPy is there

    def wrapped(self, stage: str, work: Callable[..., Any]) -> Callable[..., Any]:
        """The same function, its calls noted; of a generator, its steps."""

        def noting(*values: Any, **named: Any) -> Any:
            began, used = time.monotonic(), time.thread_time()
            try:
                made = work(*values, **named)
            finally:
                self.add(stage, began, used)
            return self._steps(stage, made) if isinstance(made, GeneratorType) else made

        return noting

    def _steps(self, stage: str, made: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
        step = self.wrapped(stage, made.__next__)
        while True:
            try:
                given = step()
            except StopIteration as end:
                return end.value
            yield given

    def add(self, stage: str, began: float, used: float) -> None:
        """Ends what began at a monotonic time, with so much processor time of this thread."""
        name = threading.current_thread().name
        self._found.append((stage, name, began, time.monotonic(), time.thread_time() - used))

    def happened(self, event: str) -> None:
        """Something that takes no time; the last one ends the process at once."""
        self.add(EVENT + event, time.monotonic(), time.thread_time())
        if event == LAST_EVENT:
            self.write()
            os._exit(0)

    def see(self, pixels: Any) -> None:
        """What a window shows now."""
        self._pictures.append((time.monotonic(), pixels[::PIXEL_STEP, ::PIXEL_STEP, :3].astype("i2")))

    def write(self) -> None:
        """Writes the file completely or not at all, with the whole time of this thread as a span."""
        self.add(ALL, self._began_s, 0.0)
        lines = [json.dumps(span) for span in list(self._found)]
        lines += [json.dumps([PICTURE, *seen]) for seen in _final(self._pictures)]
        beside = self.file.with_name(self.file.name + ".new")
        beside.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        beside.replace(self.file)


def _final(pictures: list[tuple[float, Any]]) -> list[tuple[float, float]]:
    """When a picture was shown, and what share of its pixels stayed as they were then."""
    shares: list[tuple[float, float]] = []
    same: Any = True
    for shown, pixels in reversed(pictures):
        last = pictures[-1][1]
        same = same & (abs(pixels - last).max(axis=2) <= SAME_PIXEL) if pixels.shape == last.shape else False
        shares.append((shown, float(same.mean()) if same is not False else 0.0))
        if same is False:
            break
    return shares[::-1]


class _Finder(importlib.abc.MetaPathFinder):
    """Changes a module as soon as it was executed."""

    def __init__(self, change: Callable[[str, ModuleType], None]) -> None:
        self._change = change

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec that the next finder has, with the change added."""
        if name not in STAGES and name not in CHANGES:
            return None
        others = (finder for finder in sys.meta_path if finder is not self)
        spec = next((found for finder in others if (found := finder.find_spec(name, path, target))), None)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def executed(module: ModuleType) -> None:
                execute(module)
                self._change(name, module)

            setattr(spec.loader, "exec_module", executed)  # noqa: B010 - of this one loader
        return spec


def _record_events(module: Any, spans: Spans) -> None:
    stream_class = module.EventStream
    write = stream_class.tell

    def writing(stream: Any, event: str, **facts: object) -> None:
        write(stream, event, **facts)
        spans.happened(str(facts["what"]) if event == "phase" else event)

    setattr(stream_class, "tell", writing)  # noqa: B010 - of a class that is looked at


def _record_pictures(module: Any, spans: Spans) -> None:
    screen_class = module.Screen
    present = screen_class.present

    def presenting(screen: Any) -> None:
        began, used = time.monotonic(), time.thread_time()
        spans.see(screen.target.pixels())
        spans.add("reading the picture", began, used)
        present(screen)

    screen_class.present = presenting


def _probe_child(module: Any, spans: Spans) -> None:
    command = module.server_command

    def probing(*about: Any) -> list[str]:
        python, flag, *words = command(*about)
        return [python, flag, "render.bench.start_probe", f"{spans.file}.server", *words]

    module.server_command = probing


CHANGES: Final[dict[str, Callable[[Any, Spans], None]]] = {
    "client.embedded_server": _probe_child,
    "render.viewer.event_stream": _record_events,
    "render.viewer.window.screen": _record_pictures,
}


def install(spans: Spans) -> None:
    """Wraps imports, sleeping, and the functions of ``STAGES`` in what is imported from now on."""
    here = threading.local()

    def imported(work: Callable[..., Any]) -> Callable[..., Any]:
        def importing(*values: Any, **named: Any) -> Any:
            if getattr(here, "inside", False):
                return work(*values, **named)
            here.inside, began, used = True, time.monotonic(), time.thread_time()
            try:
                return work(*values, **named)
            finally:
                here.inside = False
                if time.monotonic() - began > LEAST_IMPORT_S:
                    spans.add(IMPORTS, began, used)

        return importing

    builtins.__import__ = imported(builtins.__import__)
    importlib.import_module = imported(importlib.import_module)
    time.sleep = spans.wrapped(WAIT + "server", time.sleep)

    def change(name: str, module: ModuleType) -> None:
        for path, stage in STAGES.get(name, {}).items():
            wrap(spans, module, path, stage)
        if name in CHANGES:
            CHANGES[name](module, spans)

    sys.meta_path.insert(0, _Finder(change))


def wrap(spans: Spans, module: ModuleType, path: str, stage: str) -> None:
    """Records the calls of a function of a module, or of a class in it. Raises AttributeError: it does not exist."""
    *outside, name = path.split(".")
    holder: Any = module
    for each in outside:
        holder = getattr(holder, each)
    if name not in vars(holder):
        raise AttributeError(f"{module.__name__} has no {path}")
    work = vars(holder)[name]
    if isinstance(work, (classmethod, staticmethod)):
        setattr(holder, name, type(work)(spans.wrapped(stage, work.__func__)))
    else:
        setattr(holder, name, spans.wrapped(stage, work))


def main(words: list[str]) -> None:
    """Runs a module like ``python -m``, and writes the spans however it ends."""
    file, module, *arguments = words
    spans = Spans(Path(file))
    install(spans)
    sys.argv = [module, *arguments]
    try:
        if module == PROGRAM:
            importlib.import_module("render").main()
        else:
            runpy.run_module(module, run_name="__main__", alter_sys=True)
    finally:
        spans.write()


if __name__ == "__main__":
    main(sys.argv[1:])
