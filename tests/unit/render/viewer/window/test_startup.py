"""A window that is closed before there is a world to show ends it all without a word."""

import gc
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, ClassVar

import pytest

from client.connection.loading import WHOLE_S
from client.options import Options
from client.source import Embedded
from render.viewer.options import NoDisplay, ViewerOptions
from render.viewer.window import startup


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

    def draw(self, _share: float, _what: str) -> None:
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
    with startup.Startup(Embedded(), Options(), ViewerOptions(connect=True, events=file)) as begun:
        assert begun.run() == 0
    assert window.closed
    assert json.loads(file.read_text().splitlines()[-1])["event"] == "closed"


def test_a_window_that_is_lost_while_modules_are_imported_waits_for_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Python ends then, and would abort amid the import of a C++ module: exit code -6 instead of a sentence."""
    monkeypatch.setattr(startup, "open_window", lambda _size, _title: ClosedAt(2, lost=True))
    options = ViewerOptions(connect=True, events=tmp_path / "events.jsonl")
    with pytest.raises(NoDisplay), startup.Startup(Embedded(), Options(), options) as begun:
        begun.run()
    assert max(Endless.waits) == WHOLE_S
