"""Composes programs from the ``shaders`` package, compiles each once per name and defines, and maps errors to files."""

import re
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any, Final

import moderngl

import shaders
from render.errors import ShaderError, ShaderMessage
from render.gpu.capabilities import COMPUTE_VERSION

Defines = Mapping[str, int | float | str]

SIGNALS: Final = (signal.SIGINT, signal.SIGTERM)

# Mesa "0:12(5): error: ..", NVIDIA "0(12) : error ..", AMD and Apple "ERROR: 0:12: ..".
_MESSAGE = re.compile(r"^\s*(?:ERROR:\s*|WARNING:\s*)?\d+[:(](\d+)(?:\(\d+\))?\)?\s*:?\s*(.*)$")


def map_report(report: str, stages: Mapping[str, shaders.Composed]) -> tuple[ShaderMessage, ...]:
    """A compiler's report with lines of our files.

    ``report``: the text that moderngl raised; one of its lines names the failing stage. ``stages``: moderngl's stage
    names (``"vertex_shader"``) with the composed source of each.
    """
    composed: shaders.Composed | None = None
    messages = []
    for line in report.splitlines():
        if line.strip() in stages:
            composed = stages[line.strip()]
            continue
        match = _MESSAGE.match(line)
        if match is not None and composed is not None:
            file, number = composed.origin(int(match.group(1)))
            messages.append(ShaderMessage(file, number, match.group(2).strip()))
    return tuple(messages)


@contextmanager
def signals_held() -> Iterator[None]:
    """Handlers of signals run after the block, not within it.

    moderngl makes a program's members by calling Python, and never looks whether that raised: a Ctrl-C there ended the
    process with a segmentation fault.
    """
    if threading.current_thread() is not threading.main_thread():  # handlers run in the main thread alone
        yield
        return
    usual = {number: handler for number in SIGNALS if callable(handler := signal.getsignal(number))}
    came: dict[int, FrameType | None] = {}
    try:
        with ExitStack() as restored:
            for number, handler in usual.items():
                restored.callback(signal.signal, number, handler)
                signal.signal(number, came.__setitem__)
            yield
    finally:
        for number, handler in usual.items():
            if number in came:
                handler(number, came[number])


class Programs:
    """The programs of one context. Owner thread only; all are released together."""

    def __init__(self, ctx: Any) -> None:
        """``ctx``: the moderngl context that compiles."""
        self._ctx = ctx
        self._made: dict[tuple[object, ...], Any] = {}  # by name and defines

    def get(self, vertex: str, fragment: str, defines: Defines | None = None) -> Any:
        """The program of two stage files: ``cube.vert``, ``terrain.frag``. Raises ShaderError: it does not compile."""
        return self._program({"vertex_shader": vertex, "fragment_shader": fragment}, defines or {}, shaders.VERSION)

    def compute(self, name: str) -> Any:
        """The compute program of a file; the context is of GL 4.3 or more. Raises ShaderError: it does not compile."""
        return self._program({"compute_shader": name}, {}, COMPUTE_VERSION)

    def _program(self, files: Mapping[str, str], defines: Defines, version: int) -> Any:
        """``files``: stage files by moderngl's stage names."""
        name = " + ".join(files.values())
        key = name, *sorted(defines.items())
        if key not in self._made:
            stages = {stage: shaders.compose(file, defines, version) for stage, file in files.items()}
            texts = {stage: composed.text for stage, composed in stages.items()}
            with signals_held():  # also while it is kept, so that it is released
                try:
                    made = self._ctx.program(**texts) if len(texts) > 1 else self._ctx.compute_shader(*texts.values())
                except moderngl.Error as error:
                    raise ShaderError(name, map_report(str(error), stages), str(error)) from error
                self._made[key] = made
                made.label = name
        return self._made[key]

    def __len__(self) -> int:
        return len(self._made)

    def release(self) -> None:
        for program in self._made.values():
            program.release()
        self._made.clear()
