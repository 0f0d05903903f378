"""Tasks in other processes, here or on a Dask cluster, by executors of ``concurrent.futures``.

Rules:
1. A task is a function of a module and one value, its result plain data: both are pickled.
2. Each process of this machine has an executor of its own, so it is known which task was under way when it died: that
   one is tried once more in a new process, and has failed if that one dies too. No other task is lost.
3. A task that is not done in its time loses its process and has failed.
4. A process says that it is ready before it gets a task. Those that die before end the run after ``MOST_FALSE_STARTS``.
5. It ends with its parent, whatever becomes of that one, and never hears an interrupt: that is its parent's, which then
   ends it.
6. A worker of a cluster gets a task at a time, and does all of them on one thread, which a GL context asks for. A task
   whose worker died is tried again by the scheduler (its ``allowed-failures``). The files that a task reads and writes
   must be at the same place on every machine.

Theory: one thread, waiting for futures; a deadline is the wait's time-out.

Limits: a task of a cluster that hangs is given up, and holds its worker until somebody ends that one.
"""

import logging
import multiprocessing
import os
import pickle
import re
import signal
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from contextlib import closing, contextmanager
from functools import cache
from multiprocessing import resource_tracker
from typing import Any, Final, Protocol, TypeVar

import msgspec

from client.errors import CHECK_FAILED, ConnectError, SourceError, UsageError, install_line

START_S: Final = 120.0
"""Until a process is ready; kernels are compiled before."""
CLUSTER_START_S: Final = 600.0
"""What a task of a cluster may take longer: the first one of a worker compiles kernels."""
CONNECT_S: Final = 10.0
"""Until a scheduler answers, and until it has a worker."""
MOST_GREETING_BYTES: Final = 1 << 20
"""Of a scheduler; it has a few hundred."""
MOST_FALSE_STARTS: Final = 3
EXIT_WAIT_S: Final = 5.0
REPORT_S: Final = 0.5
LATE: Final = "did not end in time and was stopped"

Work = Callable[[Any], Any]  # Any: each kind of task has its own types
T = TypeVar("T")
Prepare = Callable[[], None]


class ProcessesFailed(ConnectError):
    """No process can do anything."""

    exit_code = CHECK_FAILED


class Part(msgspec.Struct, frozen=True):
    """One of so many parts of some work, each of which another machine may do."""

    number: int  # from 1
    count: int

    @classmethod
    def parse(cls, text: str) -> "Part":
        """Reads ``2/5``. Raises UsageError: it is no part."""
        read = re.fullmatch(r"(\d+)/(\d+)", text, re.ASCII)
        part = cls(*map(int, read.groups())) if read else cls(0, 0)
        if not 1 <= part.number <= part.count:
            raise UsageError(f"'{text}' is not a part: write K/N, K from 1 to N, for example 2/5.")
        return part

    def of(self, whole: Sequence[T]) -> tuple[T, ...]:
        """Every so many-th."""
        return tuple(whole[self.number - 1 :: self.count])

    def split(self, count: int) -> "list[Part]":
        """It in so many parts, as rows."""
        first = (self.number - 1) * count + 1
        return [Part(number, self.count * count) for number in range(first, first + count)]

    def of_row(self, count: int) -> range:
        """A piece of a row of so many numbers."""
        return range(count * (self.number - 1) // self.count, count * self.number // self.count)


class Outcome(msgspec.Struct, frozen=True):
    """What became of a task."""

    number: int  # of the task
    result: Any = None  # what its function returned; None where it failed
    lost: str = ""  # how a process that was at it ended; with a result: the first of two
    late: bool = False  # whether it was not done in its time


class Place(Protocol):
    """Where tasks are done."""

    count: int  # how many at a time

    def slot(self) -> "Slot":
        """One more of them."""


class Slot:
    """Where one task at a time is done."""

    tries: int = 2  # of a task whose process dies
    future: "Future[Any] | None" = None  # of what is under way
    task: int | None = None  # its number; None: what makes a process ready
    deadline: float = 0.0  # of what is under way

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def begin(self, task: int, work: Work, value: Any, limit_s: float) -> None:
        """Begins a task. Raises BrokenExecutor: the process has died."""
        self.future = self._executor.submit(work, value)
        self.task, self.deadline = task, time.monotonic() + limit_s

    def take(self) -> Any:
        """The result of what was under way, which is done. Raises BrokenExecutor: its process died."""
        assert self.future is not None, "somebody waited for it"
        done, self.future = self.future, None
        return done.result(0)

    def death(self) -> str:
        """How the process ended, after BrokenExecutor."""
        return "ended by itself"

    def end(self) -> None:
        """Breaks off what is under way; nothing more is to do."""

    def wait_for_end(self) -> None:
        """Waits until the process has ended, but not for long."""


def run_tasks(
    place: Place,
    work: Work,
    values: Sequence[Any],
    limit_s: Callable[[Any], float],
    report: Callable[[], None] | None = None,
) -> Generator[Outcome, None, None]:
    """Does tasks in any order and tells of each as soon as it has ended; who stops asking breaks off the others.

    ``limit_s``: how long a task may take. ``report``: called each ``REPORT_S``. Raises ProcessesFailed, and what making
    ready and ``work`` raise.
    """
    run = _Run(place, work, values, limit_s, deque(range(len(values))), len(values), report)
    try:
        while run.left:
            run.fill()
            for outcome in run.ended():
                run.left -= 1
                yield outcome
    finally:
        for slot in run.slots:
            slot.end()
        for slot in run.slots:
            slot.wait_for_end()


class _Run(msgspec.Struct):
    place: Place
    work: Work
    values: Sequence[Any]
    limit_s: Callable[[Any], float]
    waiting: deque[int]
    left: int
    report: Callable[[], None] | None
    slots: list[Slot] = []
    deaths: dict[int, str] = {}
    false_starts: int = 0

    def fill(self) -> None:
        while len(self.slots) < min(self.place.count, self.left):
            self.slots.append(self.place.slot())
        for slot in [slot for slot in self.slots if slot.future is None][: len(self.waiting)]:
            task = self.waiting.popleft()
            value = self.values[task]
            try:
                slot.begin(task, self.work, value, self.limit_s(value))
            except BrokenExecutor:
                self.waiting.appendleft(task)
                self._start_failed(slot, slot.death())

    def ended(self) -> Iterator[Outcome]:
        """Until something is done, or late; what has ended."""
        asked = {slot.future: slot for slot in self.slots if slot.future is not None}
        if not asked:
            return
        first_s = max(0.0, min(slot.deadline for slot in asked.values()) - time.monotonic())
        done = wait(asked, first_s if self.report is None else min(first_s, REPORT_S), FIRST_COMPLETED).done
        if self.report is not None:
            self.report()
        now = time.monotonic()
        for future, slot in asked.items():
            if future in done:
                yield from self._finish(slot)
            elif now < slot.deadline:
                continue
            elif slot.task is None:
                self._start_failed(slot, LATE)
            else:
                self._forget(slot)
                yield Outcome(slot.task, lost=LATE, late=True)

    def _finish(self, slot: Slot) -> Iterator[Outcome]:
        task, slot.task = slot.task, None
        try:
            result = slot.take()
        except BrokenExecutor:
            words = slot.death()
            if task is None:
                self._start_failed(slot, words)
                return
            self._forget(slot)
            if slot.tries == 1 or task in self.deaths:
                yield Outcome(task, lost=f"{words}{', in two tries' * (slot.tries > 1)}")
                return
            self.deaths[task] = words
            self.waiting.appendleft(task)
            return
        if task is not None:
            yield Outcome(task, result, self.deaths.get(task, ""))

    def _start_failed(self, slot: Slot, words: str) -> None:
        self._forget(slot)
        self.false_starts += 1
        if self.false_starts >= MOST_FALSE_STARTS:
            raise ProcessesFailed(f"The processes do not start: the last one {words}.")

    def _forget(self, slot: Slot) -> None:
        self.slots.remove(slot)
        slot.end()
        slot.wait_for_end()


# ---------------------------------------------------------------- here


class Processes:
    """Processes of this machine."""

    def __init__(self, count: int, prepare: Prepare) -> None:
        """``prepare``: makes a process ready; what it raises ends the run."""
        self.count = count
        self._prepare = prepare

    def slot(self) -> Slot:
        return _ProcessSlot(self._prepare)


class _ProcessSlot(Slot):
    def __init__(self, prepare: Prepare) -> None:
        super().__init__(ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), initializer=_begin))
        before = set(multiprocessing.active_children())
        with _interrupts_held():
            self.future = self._executor.submit(prepare)
        self._process = next(iter(set(multiprocessing.active_children()) - before), None)
        self.deadline = time.monotonic() + START_S

    def death(self) -> str:
        self._executor.shutdown()  # its thread has seen the end, and now waits for the process
        code = None if self._process is None else self._process.exitcode
        return "ended by itself" + ("" if code is None else f" with code {code}")

    def end(self) -> None:
        if self.future is not None and self._process is not None:
            self._process.kill()
        self._executor.shutdown(wait=False, cancel_futures=True)

    def wait_for_end(self) -> None:
        if self._process is not None:
            self._process.join(EXIT_WAIT_S)
            if self._process.is_alive():
                self._process.kill()
                self._process.join(EXIT_WAIT_S)


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Processes that are started meanwhile never hear an interrupt, not even while they import."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows: ``_begin`` ignores it as soon as it runs
        yield
        return
    resource_tracker.ensure_running()  # it would be started within, and let interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """The first that a process does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "it was spawned"
    parent.join()
    os._exit(1)


# ---------------------------------------------------------------- on a cluster


def expect_address(address: str) -> None:
    """Raises UsageError: it is not that of a scheduler."""
    if not re.fullmatch(r"tcp://(\[[0-9A-Fa-f:]+\]|[^\s/:]+):\d{1,5}", address, re.ASCII):
        raise UsageError(f"'{address}' is not the address of a Dask scheduler, for example tcp://127.0.0.1:8786.")


class Cluster:
    """The workers of a Dask scheduler."""

    def __init__(self, address: str) -> None:
        """Raises UsageError: the extra is missing; SourceError: nobody answers, or it has no workers."""
        try:
            from distributed import Client  # noqa: PLC0415 - an extra, and half a second
        except ImportError:
            raise UsageError(f"--cluster needs the extra 'cluster': {install_line('distributed')}.") from None
        self._address = address
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what goes wrong is told here, in a sentence
        silent = SourceError(f"{address}: no Dask scheduler answered.")
        host, _, port = address.removeprefix("tcp://").rpartition(":")
        try:
            with socket.create_connection((host.strip("[]"), int(port)), CONNECT_S) as there:
                first = there.recv(8)  # a length: the client waits for ever for who says nothing, and believes any
            if len(first) < 8 or int.from_bytes(first, "little") > MOST_GREETING_BYTES:
                raise silent
            self._client = Client(address, timeout=CONNECT_S, set_as_default=False)
        except (OSError, ValueError, OverflowError):
            raise silent from None
        try:
            self._client.wait_for_workers(1, timeout=CONNECT_S)
            self.count = len(self._client.nthreads())
        except (OSError, ValueError):
            self.close()
            raise SourceError(f"{address}: the Dask scheduler has no workers.") from None

    def slot(self) -> Slot:
        return _WorkerSlot(self._client.get_executor(pure=False), self._address)

    def close(self) -> None:
        """Leaves the scheduler."""
        self._client.close(timeout=EXIT_WAIT_S)


class _WorkerSlot(Slot):
    tries = 1  # the scheduler has others

    def __init__(self, executor: Executor, address: str) -> None:
        super().__init__(executor)
        self._address = address

    def begin(self, task: int, work: Work, value: Any, limit_s: float) -> None:
        super().begin(task, _on_worker, pickle.dumps((work, value)), CLUSTER_START_S + limit_s)

    def take(self) -> Any:
        try:
            return super().take()
        except CancelledError:
            raise SourceError(f"{self._address}: the Dask scheduler was lost.") from None
        except ImportError as error:
            raise SourceError(f"{self._address}: a worker lacks what chunkscope needs: {error}.") from None
        except Exception as error:
            if type(error).__name__ == "KilledWorker":
                raise BrokenExecutor from None
            raise

    def death(self) -> str:
        return "died, as did others that tried it again"

    def end(self) -> None:
        if self.future is not None:
            self.future.cancel()


def _on_worker(pickled: bytes) -> Any:
    """A task, done by a worker of a cluster."""
    from client.kernel_cache import use_cache  # noqa: PLC0415 - a scheduler that looks at this needs none of it

    use_cache()  # before anything with kernels is imported, which unpickling does
    return _own_thread().submit(_unpickled, pickled).result()


def _unpickled(pickled: bytes) -> Any:
    work, value = pickle.loads(pickled)
    return work(value)


@cache
def _own_thread() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(1)


@contextmanager
def opened(cluster: str, count: int, prepare: Prepare) -> Iterator[Place]:
    """The cluster of that address, or so many processes here where it is empty. Raises what ``Cluster`` raises."""
    if not cluster:
        yield Processes(count, prepare)
        return
    with closing(Cluster(cluster)) as there:
        yield there
