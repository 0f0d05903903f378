"""A window that is closed before there is a world to show ends it all without a word."""

import gc
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from client.background_task import WHOLE_S
from client.kernel_cache import WarmProgress
from client.options import Options
from client.source import Embedded
from render.viewer.window import startup
from render.viewer.window_options import NoDisplay, WindowOptions


class ClosedAt:
    """A window that somebody closes at one of its frames, or that is lost there."""

    def __init__(self, frame: int, lost: bool = False) -> None:
        self.has_exit = self.closed = False
        self._left = frame
        self._lost = lost

    def switch_to(self) -> None:
        pass

    def dispatch_events(self) -> None:
        self._left -= 1
        self.has_exit = self._left == 0
        if self.has_exit and self._lost:
            raise NoDisplay("gone")

    def flip(self) -> None:
        pass

    def gone(self) -> str:
        return "gone" if self.has_exit and self._lost else ""

    def close(self) -> None:
        self.closed = True


class Endless:
    """Work that is never done."""

    waits: ClassVar[list[float]] = []
    """Seconds that were waited for its end, one a call of ``close``."""

    def __init__(self, _names: object) -> None:
        self.waits.clear()

    def wait(self, _timeout_s: float) -> bool:
        return False

    def close(self, timeout_s: float = 0.0) -> None:
        self.waits.append(timeout_s)


class Unpainted:
    """A progress line that nobody sees."""

    def __init__(self, _window: object, _scale: float) -> None:
        pass

    def draw(self, _share: float, _what: str, _why: str) -> None:
        pass


@pytest.fixture(autouse=True)
def process(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """What a start changes of its process is undone."""
    interval_s = sys.getswitchinterval()
    steps: dict[str, Any] = {"expect_display": lambda: None, "use_cache": lambda: None, "use_compiled": lambda _: True}
    for name, step in (steps | {"Loading": Endless, "Splash": Unpainted, "REDRAW_S": 0.0}).items():
        monkeypatch.setattr(startup, name, step)
    yield
    sys.setswitchinterval(interval_s)
    gc.enable()


@pytest.mark.parametrize("frame", [1, 2, 5])
def test_a_window_closed_while_it_starts_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, frame: int
) -> None:
    window = ClosedAt(frame)
    monkeypatch.setattr(startup, "open_window", lambda _size, _title: window)
    file = tmp_path / "events.jsonl"
    with startup.Startup(Embedded(), Options(), WindowOptions(connect=True, events=file)) as begun:
        assert begun.run() == 0
    assert window.closed
    assert json.loads(file.read_text().splitlines()[-1])["event"] == "closed"


def test_a_window_that_is_lost_while_modules_are_imported_waits_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python ends then, and would abort amid the import of a C++ module: exit code -6 instead of a sentence."""
    monkeypatch.setattr(startup, "open_window", lambda _size, _title: ClosedAt(2, lost=True))
    options = WindowOptions(connect=True, events=tmp_path / "events.jsonl")
    with pytest.raises(NoDisplay), startup.Startup(Embedded(), Options(), options) as begun:
        begun.run()
    assert max(Endless.waits) == WHOLE_S


def test_a_picture_that_fails_since_its_display_has_gone_is_the_displays_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenGL runs out of memory then, in any call: the window said that this is a bug, with code 1."""

    class Undrawable(ClosedAt):
        def dispatch_events(self) -> None:
            self.has_exit = True
            raise RuntimeError("glObjectLabel failed with 0x505")

    options = WindowOptions(connect=True, events=tmp_path / "events.jsonl")
    for lost, kind in ((True, NoDisplay), (False, RuntimeError)):
        window = Undrawable(2, lost=lost)
        monkeypatch.setattr(startup, "open_window", lambda _size, _title, window=window: window)
        with pytest.raises(kind), startup.Startup(Embedded(), Options(), options) as begun:
            begun.run()


@pytest.mark.parametrize(
    ("share", "elapsed_s", "words"),
    [(0.0, 0.0, ""), (0.03, 1.0, ""), (0.25, 5.0, ", about 15 s left"), (0.5, 11.0, ", about 10 s left"),
     (0.9, 18.0, ", a few seconds left"), (1.0, 20.0, "")],
)  # fmt: skip
def test_how_long_it_takes_is_told_once_it_can_be(share: float, elapsed_s: float, words: str) -> None:
    assert startup.remaining(share, elapsed_s) == words


def test_with_a_helper_the_middle_of_the_modules_is_the_end_of_the_work() -> None:
    shares = [startup.compiled_share(WarmProgress("a module", done, 27, 1.0), helped=True) for done in range(1, 28)]
    assert shares == sorted(shares)
    assert shares[7] == pytest.approx(0.5, abs=0.02)
    assert (shares[17], shares[25], shares[26]) == (0.95, 0.95, 1.0)
    assert startup.compiled_share(WarmProgress("a module", 9, 27, 1.0), helped=False) == 9 / 27


def test_after_the_last_kernel_the_next_step_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Compiled:
        """Compiles three kernels, one a look, and stores them for a while."""

        done = helped = False

        def __init__(self, _packages: object) -> None:
            self._looks = 0

        def poll(self) -> list[WarmProgress]:
            self._looks += 1
            self.done = self._looks > 5
            return [WarmProgress("a module", self._looks, 3, 1.0)] if self._looks <= 3 else []

        def close(self) -> None:
            pass

    monkeypatch.setattr(startup, "use_compiled", lambda _: False)
    monkeypatch.setattr(startup, "WarmUp", Compiled)
    monkeypatch.setattr(startup, "open_window", lambda _size, _title: ClosedAt(12))
    file = tmp_path / "events.jsonl"
    with startup.Startup(Embedded(), Options(), WindowOptions(connect=True, events=file)) as begun:
        assert begun.run() == 0
    events = [json.loads(line) for line in file.read_text().splitlines()]
    steps = list(dict.fromkeys(event["what"] for event in events if event["event"] == "loading"))
    assert steps == [
        "starting", "compiling kernels: 1 of 3", "compiling kernels: 2 of 3", "storing compiled kernels",
        "loading the program",
    ]  # fmt: skip
