"""Runs tasks in other processes, here or on a Dask cluster, by executors of ``concurrent.futures``.

Rules:
1. A task is a function of a module and one value, its result plain data: both are pickled.
2. Each process of this machine has its own executor, so the task of a process that died is known: it is tried once more
   in a new process, and has failed if that one dies too. No other task is lost.
3. A task that exceeds its time limit has failed, and its process is killed.
4. A process reports that it is ready before it gets a task. The run ends after ``MOST_FALSE_STARTS`` processes that
   died before.
5. A process ends with its parent in any case, and ignores interrupts: the parent handles them and ends it.
6. A worker of a cluster gets one task at a time, and runs all of them on one thread, as a GL context requires. The
   scheduler tries a task again whose worker died (its ``allowed-failures``). The files that a task reads and writes
   must be at the same path on every machine.

Theory: one thread waits for futures; a deadline is the wait's time-out.

Limits: a task of a cluster that hangs is given up, and occupies its worker until that is ended by hand.
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

from client.errors import CHECK_FAILED, ConnectError, SourceError, UsageError
from net.errors import install_line

START_S: Final = 120.0
"""Limit for a process to become ready; kernels are compiled before."""
CLUSTER_START_S: Final = 600.0
"""Additional limit for a task of a cluster: the first one of a worker compiles kernels."""
CONNECT_S: Final = 10.0
"""Limit for a scheduler's answer, and for its first worker."""
MOST_GREETING_BYTES: Final = 1 << 20
"""Of a scheduler; a real one has a few hundred."""
MOST_FALSE_STARTS: Final = 3
EXIT_WAIT_S: Final = 5.0
REPORT_S: Final = 0.5
LATE: Final = "did not end in time and was stopped"

Work = Callable[[Any], Any]  # Any: each kind of task has its own types
T = TypeVar("T")
Prepare = Callable[[], None]


class ProcessesFailed(ConnectError):
    """No process can be started."""

    exit_code = CHECK_FAILED


class Part(msgspec.Struct, frozen=True):
    """One of several parts of some work, for distribution over machines."""

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
        """Every ``count``-th element, from this part's number on."""
        return tuple(whole[self.number - 1 :: self.count])

    def split(self, count: int) -> "list[Part]":
        """This part split into so many consecutive parts, for ``of_row``."""
        first = (self.number - 1) * count + 1
        return [Part(number, self.count * count) for number in range(first, first + count)]

    def of_row(self, count: int) -> range:
        """This part of a row of so many numbers."""
        return range(count * (self.number - 1) // self.count, count * self.number // self.count)


class Outcome(msgspec.Struct, frozen=True):
    """The result of a task."""

    number: int  # of the task
    result: Any = None  # the function's result; None after a failure
    lost: str = ""  # how a process with this task ended; together with a result: the first of two
    late: bool = False  # whether it exceeded its time limit


class Place(Protocol):
    """Where tasks run."""

    count: int  # number of tasks at a time

    def slot(self) -> "Slot":
        """A new slot."""


class Slot:
    """Runs one task at a time."""

    tries: int = 2  # of a task whose process dies
    future: "Future[Any] | None" = None  # of the running task
    task: int | None = None  # its number; None: the preparation of the process
    deadline: float = 0.0  # of the running task

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def begin(self, task: int, work: Work, value: Any, limit_s: float) -> None:
        """Starts a task. Raises BrokenExecutor: the process has died."""
        self.future = self._executor.submit(work, value)
        self.task, self.deadline = task, time.monotonic() + limit_s

    def take(self) -> Any:
        """The result of the running task, which is done. Raises BrokenExecutor: its process died."""
        assert self.future is not None, "somebody waited for it"
        done, self.future = self.future, None
        return done.result(0)

    def death(self) -> str:
        """How the process ended, after BrokenExecutor."""
        return "ended by itself"

    def end(self) -> None:
        """Cancels the running task; the slot is not used any more."""

    def wait_for_end(self) -> None:
        """Waits for the end of the process, for a short time."""


def run_tasks(
    place: Place,
    work: Work,
    values: Sequence[Any],
    limit_s: Callable[[Any], float],
    report: Callable[[], None] | None = None,
) -> Generator[Outcome, None, None]:
    """Runs tasks in any order and yields each outcome when it has ended; closing the generator cancels the others.

    ``limit_s``: time limit of a task. ``report``: called each ``REPORT_S``. Raises ProcessesFailed, and what the
    preparation and ``work`` raise.
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
        """Waits until a task is done, or late; yields the outcomes."""
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
        """``prepare``: prepares a process; an exception from it ends the run."""
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
    """Processes that are started inside ignore interrupts, even while they import."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows: ``_begin`` ignores it as soon as it runs
        yield
        return
    resource_tracker.ensure_running()  # else it would be started inside, and unblock interrupts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin() -> None:
    """The initializer of a process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None, "it was spawned"
    parent.join()
    os._exit(1)


# ---------------------------------------------------------------- on a cluster


def expect_address(address: str) -> None:
    """Checks the address of a scheduler. Raises UsageError: it is invalid."""
    if not re.fullmatch(r"tcp://(\[[0-9A-Fa-f:]+\]|[^\s/:]+):\d{1,5}", address, re.ASCII):
        raise UsageError(f"'{address}' is not the address of a Dask scheduler, for example tcp://127.0.0.1:8786.")


class Cluster:
    """The workers of a Dask scheduler."""

    def __init__(self, address: str) -> None:
        """Raises UsageError: the extra is missing; SourceError: no scheduler answers, or it has no workers."""
        try:
            from distributed import Client  # noqa: PLC0415 - an extra, and half a second
        except ImportError:
            raise UsageError(f"--cluster needs the extra 'cluster': {install_line('distributed')}.") from None
        self._address = address
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are raised here instead
        silent = SourceError(f"{address}: no Dask scheduler answered.")
        host, _, port = address.removeprefix("tcp://").rpartition(":")
        try:
            with socket.create_connection((host.strip("[]"), int(port)), CONNECT_S) as there:
                first = there.recv(8)  # a length; the client waits for ever for a silent server, and trusts any
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
        self._client.close(timeout=EXIT_WAIT_S)


class _WorkerSlot(Slot):
    tries = 1  # the scheduler has its own

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
    """Runs a task on a worker of a cluster."""
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
    """The cluster at that address, or so many local processes if it is empty. Raises what ``Cluster`` raises."""
    if not cluster:
        yield Processes(count, prepare)
        return
    with closing(Cluster(cluster)) as there:
        yield there
