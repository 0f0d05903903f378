"""A window that stands still says where, and one that is told to end does so, whatever its owner is at."""

import atexit
import faulthandler
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from client.errors import INTERRUPTED
from render.viewer import watchdog
from render.viewer.app import App
from render.viewer.watchdog import END_S, LAST_S, MOST_BYTES, REARM_S, STEP_S, Watchdog, hurry_threads

PATIENCE_S = 60.0


class Time:
    """Seconds that pass when a test says so, and what was armed in them."""

    def __init__(self) -> None:
        self.now = 100.0
        self.armed: list[tuple[float, bool]] = []
        self.left: list[int] = []
        self.gone = threading.Event()

    def arm(self, seconds: float, *, file: object, exit: bool = False) -> None:
        assert file is not None
        self.armed.append((seconds, exit))

    def leave(self, code: int) -> None:
        self.left.append(code)
        self.gone.set()

    def watchdog(self, path: Path) -> Watchdog:
        return Watchdog(path, lambda: self.now, self.arm, self.armed.clear, self.leave)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(atexit, "_run_exitfuncs", lambda: None)
    return tmp_path / "logs" / "stacks.txt"


def test_a_step_that_takes_too_long_is_told_once_it_is_over(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    time = Time()
    watching = time.watchdog(path)
    assert watching.step() is None
    assert time.armed == [(STEP_S, False)]
    time.now += STEP_S + 1.0
    assert watching.step() == pytest.approx(STEP_S + 1.0)
    assert caplog.messages == [f"The window was blocked for 6.0 s; {path} shows where each thread was"]
    assert f"process {os.getpid()}, took 6.0 s" in path.read_text()
    time.now += 0.1
    assert watching.step() is None
    watching.close()


def test_frames_arm_it_once_in_a_while(path: Path) -> None:
    time = Time()
    watching = time.watchdog(path)
    for _ in range(600):
        time.now += 1 / 60
        assert watching.step() is None
    assert len(time.armed) == pytest.approx(10 / REARM_S, abs=1)
    watching.close()


def test_what_is_no_step_may_take_as_long_as_it_likes(path: Path, caplog: pytest.LogCaptureFixture) -> None:
    time = Time()
    watching = time.watchdog(path)
    watching.step()
    watching.rest()
    assert time.armed == []
    time.now += 10 * STEP_S
    assert watching.step() is None
    assert time.armed == [(STEP_S, False)]
    assert not caplog.messages
    watching.close()


def test_stacks_are_written_while_the_owner_stands_still(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It stands still until they are there."""
    monkeypatch.setattr(watchdog, "STEP_S", 0.001)
    watching = Watchdog(path)

    def stands_still() -> None:
        with path.open("rb") as file:
            written = b""
            while b"stands_still" not in written:
                written += file.read()

    watching.step()
    stands_still()
    watching.close()


def test_it_ends_what_does_not_end(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "END_S", 0.0)
    monkeypatch.setattr(watchdog, "children", list)
    time = Time()
    watching = time.watchdog(path)
    watching.end(0)
    watching.end(INTERRUPTED)
    assert time.gone.wait(PATIENCE_S)
    assert time.left == [0], "who asks first says the code"
    assert time.armed == [(LAST_S, True)], "and where the interpreter does not come to it"
    watching.step()
    watching.rest()
    assert time.armed == [(LAST_S, True)], "a step that goes on changes nothing of it"
    assert "test_it_ends_what_does_not_end" in path.read_text()
    assert f"Process {os.getpid()} was asked to end" in path.read_text()
    watching.close()


def test_what_is_closed_in_time_ends_by_itself(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert END_S < LAST_S < 2.0, "the promise"
    monkeypatch.setattr(watchdog, "END_S", PATIENCE_S)
    time = Time()
    watching = time.watchdog(path)
    watching.end(0)
    watching.close()
    ending = [thread for thread in threading.enumerate() if thread.name == "ending"]
    for thread in ending:
        thread.join(PATIENCE_S)
    assert time.left == [0], "at once: an interpreter takes long to take itself apart"
    assert not time.armed
    watching.close()
    assert time.left == [0]


def test_nothing_is_watched_without_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(*_words: Any, **_more: Any) -> None:
        raise AssertionError("armed")

    watching = Watchdog(None, arm=never, disarm=never, leave=never)
    watching.step()
    watching.rest()
    watching.end(0)
    watching.close()


def test_a_file_that_cannot_be_written_costs_the_stacks_alone(tmp_path: Path) -> None:
    (tmp_path / "logs").write_text("a file where a folder should be")
    time = Time()
    watching = time.watchdog(tmp_path / "logs" / "stacks.txt")
    watching.step()
    assert time.armed == [(STEP_S, False)]
    watching.close()


def test_the_file_does_not_grow_for_ever(path: Path) -> None:
    path.parent.mkdir()
    path.write_text("x" * (MOST_BYTES + 1))
    Watchdog(path).close()
    assert path.stat().st_size == 0
    path.write_text("x")
    Watchdog(path).close()
    assert path.stat().st_size == 1


STUCK = """
import signal, subprocess, sys, threading
from pathlib import Path
from render.viewer import watchdog
watchdog.END_S = 0.01
watchdog.LAST_S = 600.0  # a busy machine may come to the children later than that
watching = watchdog.Watchdog(Path(sys.argv[1]))
watching.listen()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})  # as in a call that does not return
child = subprocess.Popen([sys.executable, "-c", "import time; print(flush=True); time.sleep(600)"])
try:
    print(child.pid, flush=True)
    threading.Event().wait()
except KeyboardInterrupt:  # another thread took the signal before this one waited: it does not end for that
    threading.Event().wait()
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="the system does not tell children")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_an_owner_that_never_hears_it_and_its_children(path: Path, number: signal.Signals) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", STUCK, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as stuck:
        assert stuck.stdout is not None
        stuck.stdout.readline()
        stuck.send_signal(number)
        rest, errors = stuck.communicate(timeout=PATIENCE_S)  # until nobody holds the pipe: the child has it, too
        assert stuck.returncode == INTERRUPTED
        assert errors == "chunkscope: Interrupted.\n"
    assert not rest.strip()
    assert "was asked to end" in path.read_text()


HELD = """
import ctypes, sys
from pathlib import Path
from render.viewer import watchdog
watchdog.END_S, watchdog.LAST_S = 600.0, 0.05
watching = watchdog.Watchdog(Path(sys.argv[1]))
watching.listen()
print(flush=True)
watching.end(int(sys.argv[2]))
ctypes.PyDLL(None).pause()  # holds the interpreter lock, as a call into a driver may
"""


def test_an_owner_that_holds_the_interpreter_is_ended_too(path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", HELD, str(path), str(INTERRUPTED)],
        capture_output=True, text=True, check=False, timeout=PATIENCE_S,
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (1, "chunkscope: Interrupted.\n")
    assert "most recent call first" in path.read_text(), "the stacks are there, too"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere threads have no priority of their own")
def test_a_thread_of_the_lowest_priority_does_not_hold_up_the_end() -> None:
    is_low, may_end = threading.Event(), threading.Event()

    def idle() -> None:
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        is_low.set()
        may_end.wait(PATIENCE_S)

    thread = threading.Thread(target=idle)
    thread.start()
    try:
        assert is_low.wait(PATIENCE_S)
        assert thread.native_id is not None
        try:
            os.setpriority(os.PRIO_PROCESS, thread.native_id, 18)
        except PermissionError:
            pytest.skip("the system does not allow it")
        hurry_threads()
        assert os.getpriority(os.PRIO_PROCESS, thread.native_id) == 0
    finally:
        may_end.set()
        thread.join()


def test_a_signal_while_the_owner_itself_asks_for_the_end_does_not_stop_it(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(watchdog, "END_S", PATIENCE_S)
    time = Time()
    watching = time.watchdog(path)
    with watching._lock, pytest.raises(KeyboardInterrupt):  # as between two lines of ``end``
        watching._interrupt(signal.SIGINT, None)
    watching.close()
    assert time.left == [INTERRUPTED]


def test_a_signal_interrupts_the_owner_once(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(watchdog, "END_S", PATIENCE_S)
    time = Time()
    watching = time.watchdog(path)
    before = signal.getsignal(signal.SIGINT)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        watching.listen()
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)  # it is giving everything back, and is let
        watching.close()
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.left == [INTERRUPTED]


def test_a_window_that_is_closed_while_a_signal_asks_for_its_end_leaves_nothing_armed(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the process would be ended with code 1 later, whatever it is at."""
    time = Time()
    watching = time.watchdog(path)
    monkeypatch.setattr(watchdog, "hurry_threads", watching.close)
    watching.end(0)
    assert time.armed == []
    assert time.left == [0]


def test_what_is_to_be_ignored_is_ignored(path: Path) -> None:
    time = Time()
    watching = time.watchdog(path)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        watching.listen()
        signal.raise_signal(signal.SIGINT)
        assert not time.armed
        watching.close()
    finally:
        signal.signal(signal.SIGINT, before)
    faulthandler.cancel_dump_traceback_later()


class Told:
    """A watchdog that notes what it is told."""

    def __init__(self) -> None:
        self.told: list[object] = []

    def step(self) -> float | None:
        self.told.append("step")
        return 7.25 if len(self.told) == 2 else None

    def rest(self) -> None:
        self.told.append("rest")

    def end(self, code: int) -> None:
        self.told.append(code)


def test_frames_are_steps_and_a_closed_window_is_the_end() -> None:
    app, told, window, events = App.__new__(App), Told(), SimpleNamespace(has_exit=False), []

    def frame(_now: float, _elapsed_s: float) -> None:
        window.has_exit = told.told.count("step") == 3

    log = SimpleNamespace(tell=lambda event, **facts: events.append((event, facts)))
    vars(app).update(_watchdog=told, state=SimpleNamespace(window=window, events=log), frame=frame)
    assert app.run() == 0
    assert told.told == ["step", "step", "step", "rest", 0]
    assert events == [("stood still", {"seconds": 7.2}), ("closed", {"code": 0})]


def test_a_frame_after_a_long_one_does_not_keep_its_window_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    app, passed = App.__new__(App), Time()

    def wait(_elapsed_s: float) -> None:
        passed.now += 0.05

    def nothing(*_facts: object) -> None:
        return None

    stages = SimpleNamespace(begin=nothing, lap=nothing)
    window = SimpleNamespace(switch_to=nothing, dispatch_events=nothing, flip=nothing)
    session = SimpleNamespace(move=nothing, keep_up=nothing, arriving=lambda _now: True, go_on=wait, shown=nothing)
    state = SimpleNamespace(window=window, stages=stages, controls=SimpleNamespace(view=None))
    switcher = SimpleNamespace(frame=nothing)
    monkeypatch.setattr("render.viewer.app.time", SimpleNamespace(monotonic=lambda: passed.now))
    monkeypatch.setattr("render.viewer.app.show", nothing)
    vars(app).update(state=state, session=session, switcher=switcher, _draw_panels=nothing)
    app.frame(passed.now, 10.0)  # the one before compiled shaders for ten seconds
    assert 0.25 <= passed.now - 100.0 <= 0.35
