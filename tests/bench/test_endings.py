"""A window ends within two seconds of being asked, whatever it is at, and leaves no process and no temporary file.

Ctrl-C (SIGINT), SIGTERM, and closing the window; while it streams, lights and meshes much, compiles at its first start,
lives through a recording, looks back, waits for a host that says nothing, or for a server of ours that hangs.

    pytest -q -n 0 -s -m bench tests/bench/test_endings.py
"""

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from client.options import Options
from tests.bench.test_startup import crowding
from tests.support.session.past import fly
from tests.support.session.virtual import VirtualSession
from tests.support.window.process import Viewer, viewer
from tests.support.window.screen import Screen, screen

pytestmark = pytest.mark.bench

MOST_S = 2.0
"""On a machine with processors to spare; on a crowded one as many times longer as anything takes there."""
MARK = "ENDINGS_MARK"
"""In the environment of a viewer and of all its children, so that they are found."""
FLOWN_FRAMES = 4_000
PATIENCE_S = 240.0
"""Until a state is reached, on a crowded machine."""

State = Callable[[Viewer, Screen], None]


@pytest.fixture(scope="module")
def display() -> Iterator[Screen]:
    with screen() as shown:
        yield shown


@pytest.fixture(scope="module")
def silent() -> Iterator[str]:
    """The address of a host that takes datagrams and says nothing."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sock:
        sock.bind(("127.0.0.1", 0))
        yield f"127.0.0.1:{sock.getsockname()[1]}"


@pytest.fixture(scope="module")
def recording(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A long flight over hills."""
    path = tmp_path_factory.mktemp("recording") / "a.cscope"
    with VirtualSession("hills:1").connection(Options(radius=4, light=False, record=path)) as live:
        live.wait_settled()
        fly(live, FLOWN_FRAMES, 0.2)
    return str(path)


def held(mark: str) -> list[int]:
    """Processes that were started with the mark, zombies not counted; Linux only."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append(int(entry.name))
        except (OSError, ValueError):
            continue
    return found


def children(pid: int) -> list[int]:
    """Of a process that has one thread which starts any."""
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]


def later(seconds: float) -> State:
    return lambda _running, _display: time.sleep(seconds)


def reached(running: Viewer, kind: str) -> None:
    running.wait_for(lambda event: event["event"] == kind, patience_s=PATIENCE_S)


def starts(running: Viewer, _display: Screen) -> None:
    running.wait("phase", what="started")


def streams(running: Viewer, _display: Screen) -> None:
    reached(running, "world")


def is_heavy(running: Viewer, _display: Screen) -> None:
    reached(running, "world")
    time.sleep(4.0)


def compiles(running: Viewer, _display: Screen) -> None:
    running.wait("phase", what="compiling")
    running.wait_for(lambda event: event["event"] == "loading" and " of " in str(event["what"]), patience_s=PATIENCE_S)


def joins(running: Viewer, _display: Screen) -> None:
    running.wait_for(lambda event: event["event"] == "loading" and "127.0.0.1" in str(event["what"]))


def server_hangs(running: Viewer, display: Screen) -> None:
    streams(running, display)
    for pid in children(running.pid):
        os.kill(pid, signal.SIGSTOP)


def server_hangs_at_its_start(running: Viewer, _display: Screen) -> None:
    running.wait("phase", what="window")
    for pid in children(running.pid):
        os.kill(pid, signal.SIGSTOP)


def seeks(running: Viewer, display: Screen) -> None:
    """From the start of a recording to its end, which takes some seconds."""
    streams(running, display)
    display.do("key", "--window", display.window("chunkscope"), "End")
    time.sleep(0.3)


def looks_back(running: Viewer, display: Screen) -> None:
    reached(running, "settled")
    number = display.window("chunkscope")
    display.do("keydown", "--window", number, "w")
    time.sleep(5.0)
    display.do("keyup", "--window", number, "w")
    display.do("key", "--window", number, "Home")


def saves(running: Viewer, display: Screen) -> None:
    reached(running, "world")
    time.sleep(2.0)
    display.do("key", "--window", display.window("chunkscope"), "y")


STATES: dict[str, tuple[tuple[str, ...], State]] = {
    "starts": (("embedded:hills", "--radius", "8"), starts),
    "streams": (("embedded:hills", "--radius", "8"), streams),
    "meshes and lights much": (("embedded:hills", "--radius", "20"), is_heavy),
    "compiles": (("embedded:hills", "--radius", "4"), compiles),
    "joins a silent host": (("SILENT",), joins),
    "server hangs": (("embedded:hills", "--radius", "8"), server_hangs),
    "server hangs at its start": (("embedded:hills", "--radius", "8"), server_hangs_at_its_start),
    "lives through a recording": (("RECORDING",), seeks),
    "looks back": (("embedded:hills", "--radius", "6"), looks_back),
    "saves the past": (("embedded:hills", "--radius", "8"), saves),
    "connect screen": (("--connect",), later(3.0)),
}


def asking(how: str, running: Viewer, display: Screen) -> Callable[[], None]:
    if how == "close":
        number = display.window("chunkscope")
        return lambda: display.ask_to_close(number)
    return lambda: os.kill(running.pid, signal.Signals[how])


@pytest.mark.parametrize("how", ["SIGINT", "SIGTERM", "close"])
@pytest.mark.parametrize("state", STATES)
def test_it_ends(
    state: str, how: str, display: Screen, silent: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    words, reach = STATES[state]
    words = tuple(
        silent if word == "SILENT" else request.getfixturevalue("recording") if word == "RECORDING" else word
        for word in words
    )
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    mark = f"{os.getpid()}-{tmp_path.name}"
    environment = {MARK: mark, "TMPDIR": str(temporary), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    if state == "compiles":
        environment["NUMBA_CACHE_DIR"] = str(tmp_path / "kernels")
    with ExitStack() as undo:
        running = undo.enter_context(viewer(display, tmp_path, "--size", "640x400", *words, **environment))
        undo.callback(end_all, mark)
        reach(running, display)
        ask = asking(how, running, display)
        crowded = crowding()
        asked_s = time.monotonic()
        ask()
        code = running.end()
        taken_s = time.monotonic() - asked_s
        left_s = wait_for_none(mark)
        files = [path.name for path in temporary.rglob("*")]
        print(
            f"\n{state:26} {how:8} {taken_s:5.2f} s of {MOST_S * crowded:5.2f} (crowding {crowded:.1f}), code {code}, "
            f"children {left_s:4.2f} s later, files {files}",
            end="",
        )
        print(f" | {running.said.strip()}" if running.said.strip() else "", end="")
        assert code == {"SIGINT": 130, "SIGTERM": 130, "close": 0}[how]
        assert taken_s <= MOST_S * crowded
        assert left_s <= MOST_S * crowded
        assert files == []


def wait_for_none(mark: str) -> float:
    """How long until no child is left."""
    began_s = time.monotonic()
    while held(mark) and time.monotonic() - began_s < 10 * MOST_S:
        time.sleep(0.02)
    return time.monotonic() - began_s


def end_all(mark: str) -> None:
    for pid in held(mark):
        os.kill(pid, signal.SIGKILL)
