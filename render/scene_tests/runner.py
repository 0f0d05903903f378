"""Scenes in parallel processes: every scene gets its results, whatever becomes of its process.

Rules:
1. A process takes one scene at a time; the next one goes to whoever is free. Results come in any order and are given in
   the order of the scenes.
2. A scene that is not done ``GRACE_S`` after its time-out loses its process, as does one whose process dies: that scene
   has failed, a new process takes the next one.
3. Processes that die before they can take anything end the run after ``MOST_FALSE_STARTS``: what is left has failed.

Theory: one thread, waiting for pipes and ends of processes; a deadline is the wait's time-out.
"""

import multiprocessing
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Final

import msgspec

from render.scene_tests.scene import SceneFile, SceneResult
from render.scene_tests.views import Renderer
from render.scene_tests.worker import Broken, Captured, CaptureOrder, Ready, work

GRACE_S: Final = 15.0
"""For what a scene's own time-out does not count: drawing, comparing, sending."""
START_S: Final = 120.0
"""Until a process can take scenes; kernels are compiled before."""
MOST_FALSE_STARTS: Final = 3
EXIT_WAIT_S: Final = 5.0

Told = Callable[[int, int, str], None]
"""(scenes done, scenes in all, the name of the last one)."""


class SuiteBroken(Exception):
    """No process could take anything; the text is one sentence."""

    def __init__(self, words: str, exit_code: int) -> None:
        super().__init__(words)
        self.exit_code = exit_code


class SuitePlan(msgspec.Struct, frozen=True):
    """How scenes are run."""

    jobs: int = 2  # processes
    keep_all: bool = False  # keep takes of views that passed, too
    judge: bool = True  # compare with what was accepted; else takes only


def default_jobs() -> int:
    """A process for each core."""
    return max(1, len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1)


def run_scenes(
    scenes: Sequence[SceneFile], plan: SuitePlan, told: Told | None = None, life: Callable[[Connection], None] = work
) -> tuple[SceneResult, ...]:
    """Takes every scene; results in order, view by view. Raises SuiteBroken: no process takes anything."""
    run = _Run(scenes, plan, told or (lambda _done, _all, _name: None), life)
    try:
        return run.all()
    finally:
        run.close()


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Processes that are started meanwhile never hear an interrupt, not even while they import; it is the parent's."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows: ``work`` ignores it as soon as it runs
        yield
        return
    resource_tracker.ensure_running()  # it would be started within, and let interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Worker(msgspec.Struct):
    process: SpawnProcess
    pipe: Connection
    deadline: float
    ready: bool = False
    scene: int | None = None


class _Run(msgspec.Struct):
    scenes: Sequence[SceneFile]
    plan: SuitePlan
    told: Told
    life: Callable[[Connection], None]
    results: dict[int, tuple[SceneResult, ...]] = {}
    workers: list[_Worker] = []
    waiting: deque[int] = msgspec.field(default_factory=deque)
    false_starts: int = 0
    renderer: Renderer | None = None

    def all(self) -> tuple[SceneResult, ...]:
        self.waiting.extend(range(len(self.scenes)))
        while len(self.results) < len(self.scenes):
            self._fill()
            self._wait()
        return tuple(result for number in range(len(self.scenes)) for result in self.results[number])

    def _fill(self) -> None:
        """As many processes as there is work for."""
        busy = sum(worker.scene is not None for worker in self.workers)
        wanted = min(self.plan.jobs, busy + len(self.waiting))
        while len(self.workers) < wanted:
            context = multiprocessing.get_context("spawn")
            ours, theirs = context.Pipe()
            process = context.Process(target=self.life, args=(theirs,), name="scenes", daemon=True)
            with _interrupts_held():
                process.start()
            theirs.close()
            self.workers.append(_Worker(process, ours, time.monotonic() + START_S))

    def _wait(self) -> None:
        """Until something comes, ends, or is late."""
        deadlines = [worker.deadline for worker in self.workers if worker.scene is not None or not worker.ready]
        timeout = max(0.0, min(deadlines) - time.monotonic()) if deadlines else None
        came = wait([worker.pipe for worker in self.workers], timeout)
        now = time.monotonic()
        for worker in list(self.workers):
            if worker.pipe in came:
                self._receive(worker)
            elif now >= worker.deadline and (worker.scene is not None or not worker.ready):
                self._lose(worker, "did not end in time and was stopped", 4)

    def _receive(self, worker: _Worker) -> None:
        try:
            said = worker.pipe.recv()
        except (EOFError, OSError):
            worker.process.join(EXIT_WAIT_S)
            self._lose(worker, f"ended by itself with code {worker.process.exitcode}", 1)
            return
        match said:
            case Broken(words, exit_code):
                raise SuiteBroken(words, exit_code)
            case Ready(renderer):
                worker.ready, self.renderer = True, renderer
                self._order(worker)
            case Captured(results):
                assert worker.scene is not None, "it was ordered"
                self._finish(worker.scene, results)
                worker.scene = None
                self._order(worker)

    def _order(self, worker: _Worker) -> None:
        if not self.waiting:
            self._end(worker)
            return
        worker.scene = self.waiting.popleft()
        scene = self.scenes[worker.scene]
        worker.deadline = time.monotonic() + scene.timeout_s * len(scene.views) + GRACE_S
        try:
            worker.pipe.send(CaptureOrder(scene, self.plan.keep_all, self.plan.judge))
        except (BrokenPipeError, ConnectionResetError):
            worker.process.join(EXIT_WAIT_S)
            self._lose(worker, f"ended by itself with code {worker.process.exitcode}", 1)

    def _lose(self, worker: _Worker, words: str, exit_code: int) -> None:
        self._end(worker)
        if worker.scene is not None:
            scene = self.scenes[worker.scene]
            error = f"The process that drew it {words}."
            failed = tuple(SceneResult(scene, view, None, error, exit_code) for view in scene.views)
            self._finish(worker.scene, failed)
            return
        self.false_starts += 1
        if self.false_starts >= MOST_FALSE_STARTS:
            raise SuiteBroken(f"The processes that draw scenes do not start: the last one {words}.", 1)

    def _finish(self, number: int, results: tuple[SceneResult, ...]) -> None:
        self.results[number] = results
        self.told(len(self.results), len(self.scenes), self.scenes[number].name)

    def _end(self, worker: _Worker) -> None:
        worker.pipe.close()
        if worker.scene is not None or not worker.ready:
            worker.process.kill()
        self.workers.remove(worker)
        worker.process.join(EXIT_WAIT_S)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join(EXIT_WAIT_S)

    def close(self) -> None:
        """Ends every process."""
        for worker in list(self.workers):
            self._end(worker)
