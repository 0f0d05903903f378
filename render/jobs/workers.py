"""Runs jobs of a ready list, on worker threads or on the owner's own thread.

Rules:
1. There is one ready list. The owner replaces it completely each frame, so that near work overtakes far work.
2. A worker takes jobs from its front until they add up to ``SLICE_S``, runs them, and takes the next.
3. At normal load only the first worker runs. Each further one takes part only while the ready work (open parts of long
   jobs too) would occupy those before it for longer than ``BACKLOG_S``: on two cores the second worker shares the core
   of the frame.
4. ``SyncRunner`` gives the same results in the order of the list, without threads: for tests and captures.
5. A job uses only immutable data: slots, tables, frozen batches. Its maker keeps them alive until it has ended
   (``running``); once the result is collected, everything in it belongs to the owner.
6. Two jobs with one key are the same work: while one of them runs or waits to be collected, the other is not started.
   Results stay until they are collected: the code that fills the list counts ``begun``, and drops unwanted jobs.
7. A job that raises gives a result with an error; the worker goes on.
8. A worker that shares a job's parts runs parts itself until none is left, then waits for those on other workers. A
   part that raises ends the share: the first error is raised where it was shared.

Limits: kernels release the interpreter lock, Python code around them does not; so at most cores - 1 workers, but two on
two cores.
"""

import logging
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Hashable
from functools import partial
from typing import Any, Final, Protocol

import msgspec

from client.light.step import Each, in_order
from render.mesh.mesher import Scratch

Task = Callable[[int], None]


class Share:
    """The parts of one job. Any thread may help."""

    def __init__(self, task: Task, count: int, expected_s: float) -> None:
        """``expected_s``: time of the whole job on one worker."""
        self.expected_s = expected_s
        self._task = task
        self._count = count
        self._next = 0
        self._running = 0
        self._error: Exception | None = None
        self._changed = threading.Condition()

    @property
    def open(self) -> bool:
        """Whether there is a part that has not been started."""
        return self._next < self._count

    def help(self) -> None:
        """Runs parts until all are started; never raises."""
        while (number := self._begin()) is not None:
            error: Exception | None = None
            try:
                self._task(number)
            except Exception as raised:
                error = raised
            self._end(error)

    def finish(self) -> None:
        """Waits for parts on other threads; raises the first error of any part."""
        with self._changed:
            self._changed.wait_for(lambda: self._running == 0)
        if self._error is not None:
            raise self._error

    def _begin(self) -> int | None:
        with self._changed:
            if self._next >= self._count:
                return None
            self._next, self._running = self._next + 1, self._running + 1
            return self._next - 1

    def _end(self, error: Exception | None) -> None:
        with self._changed:
            self._running -= 1
            if error is not None:
                self._error = self._error or error
                self._next = self._count
            if self._running == 0:
                self._changed.notify_all()


# ---------------------------------------------------------------- job


class WorkerResources(msgspec.Struct, frozen=True):
    """Objects of one worker, which jobs may use only while they run."""

    mesh: Scratch = msgspec.field(default_factory=Scratch)  # working memory of the mesher
    each: Each = in_order  # runs the parts of a long job, with the help of free workers


class Job(msgspec.Struct, frozen=True, eq=False):
    """One piece of work."""

    key: Hashable  # names the work, for example ``("mesh", cell, revision)``
    # called once on a worker's thread; its value is returned unchanged
    work: Callable[[WorkerResources], Any]  # Any: each kind of job has its own result
    expected_s: float = 0.001  # approximate duration; a worker takes jobs until they add up to a slice


class JobResult(msgspec.Struct, frozen=True, eq=False):
    """The end of a job: its value, or the exception it raised with its traceback."""

    job: Job
    value: Any  # of Job.work
    error: Exception | None = None


class Runner(Protocol):
    """Runs jobs. Every method is called on the owner thread."""

    def replace(self, jobs: list[Job]) -> None:
        """Replaces the ready list, most urgent first; earlier jobs that are not started are forgotten."""

    def collect(self, most: int | None = None) -> list[JobResult]:
        """Finished results, in the order of finishing, at most ``most``; the rest waits to be collected."""

    def drop(self, keys: Collection[Hashable]) -> None:
        """Discards results of these jobs: of finished ones now, of running ones at their end."""

    @property
    def begun(self) -> frozenset[Hashable]:
        """Keys of jobs that run or wait to be collected."""

    @property
    def running(self) -> frozenset[Hashable]:
        """Keys of jobs on workers; their inputs must stay unchanged."""

    @property
    def busy(self) -> int:
        """Number of jobs that are ready, running, or finished and not collected."""

    def wait(self, timeout_s: float) -> bool:
        """Waits for a result, or until no job is left; returns False if the time ran out."""

    def close(self) -> None:
        """Forgets the ready list, lets running jobs end, and ends the workers."""


def perform(job: Job, workshop: WorkerResources) -> JobResult:
    try:
        return JobResult(job, job.work(workshop))
    except Exception as error:
        return JobResult(job, None, error)


# ---------------------------------------------------------------- runners

LOG: Final = logging.getLogger("chunkscope.jobs")

SLICE_S: Final = 0.001
BACKLOG_S: Final = 0.008
"""Half a frame at 60 a second: the work that one worker should finish before the next frame."""


CLOSE_S: Final = 10.0
"""Wait for running jobs; one takes some milliseconds, light of a whole world a second."""


def most_workers() -> int:
    """One worker less than there are cores, so that the frame has one; but two on two cores, see rule 3."""
    cores = os.cpu_count() or 1
    return max(min(cores, 2), cores - 1)


class SyncRunner:
    """Runs everything on the calling thread, in ``collect``."""

    def __init__(self) -> None:
        self._ready: deque[Job] = deque()
        self._workshop = WorkerResources()

    def replace(self, jobs: list[Job]) -> None:
        self._ready = deque(_once(jobs, set()))

    def collect(self, most: int | None = None) -> list[JobResult]:
        finished: list[JobResult] = []
        while self._ready and (most is None or len(finished) < most):
            finished.append(perform(self._ready.popleft(), self._workshop))
        return finished

    def drop(self, keys: Collection[Hashable]) -> None:
        self._ready = deque(job for job in self._ready if job.key not in keys)

    @property
    def begun(self) -> frozenset[Hashable]:
        """See ``Runner``: jobs run only inside ``collect``, so it is always empty."""
        return frozenset()

    @property
    def running(self) -> frozenset[Hashable]:
        return frozenset()

    @property
    def busy(self) -> int:
        return len(self._ready)

    def wait(self, timeout_s: float) -> bool:
        """Returns at once: ``collect`` does the work."""
        del timeout_s
        return True

    def close(self) -> None:
        self._ready.clear()


class ThreadRunner:
    """Runs jobs on its own daemon threads.

    ``workers``: their number; all of them run whenever there is a job. None: ``most_workers``, of which one does so,
    and the others only during a backlog (rule 3). ``clock``: monotonic seconds.
    """

    def __init__(self, workers: int | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        count = most_workers() if workers is None else workers
        if count < 1:
            raise ValueError(f"{count} workers would run nothing")
        self._clock = clock
        self._always = 1 if workers is None else count
        self._ready: deque[Job] = deque()
        self._ready_s = 0.0
        self._shares: list[Share] = []
        self._taken: set[Hashable] = set()  # keys of jobs started and not collected
        self._dropped: set[Hashable] = set()  # running ones among them whose results are discarded
        self._finished: list[JobResult] = []
        self._changed = threading.Condition()
        self._closed = False
        self._threads = [
            threading.Thread(target=self._run, args=(number,), name=f"worker-{number}", daemon=True)
            for number in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def replace(self, jobs: list[Job]) -> None:
        with self._changed:
            if self._closed or not (jobs or self._ready):  # no worker has to wake up
                return
            self._ready = deque(_once(jobs, self._taken))
            self._ready_s = sum(job.expected_s for job in self._ready)
            self._changed.notify_all()

    def collect(self, most: int | None = None) -> list[JobResult]:
        with self._changed:
            count = len(self._finished) if most is None else most
            finished, self._finished = self._finished[:count], self._finished[count:]
            self._taken.difference_update(done.job.key for done in finished)
        return finished

    def drop(self, keys: Collection[Hashable]) -> None:
        with self._changed:
            self._ready = deque(job for job in self._ready if job.key not in keys)
            self._ready_s = sum(job.expected_s for job in self._ready)
            self._dropped.update(self._running().intersection(keys))
            self._taken.difference_update(done.job.key for done in self._finished if done.job.key in keys)
            self._finished = [done for done in self._finished if done.job.key not in keys]
            self._changed.notify_all()

    @property
    def begun(self) -> frozenset[Hashable]:
        with self._changed:
            return frozenset(self._taken)

    @property
    def running(self) -> frozenset[Hashable]:
        with self._changed:
            return frozenset(self._running())

    def _running(self) -> set[Hashable]:
        return self._taken.difference(done.job.key for done in self._finished)

    @property
    def busy(self) -> int:
        with self._changed:
            return len(self._ready) + len(self._taken)

    def wait(self, timeout_s: float) -> bool:
        with self._changed:
            return self._changed.wait_for(
                lambda: bool(self._finished) or not (self._ready or self._taken), max(timeout_s, 0.0)
            )

    def close(self) -> None:
        """See ``Runner``. Results not collected are dropped."""
        with self._changed:
            self._closed = True
            self._ready.clear()
            self._ready_s = 0.0
            self._changed.notify_all()
        deadline = self._clock() + CLOSE_S
        for thread in self._threads:
            thread.join(max(0.0, deadline - self._clock()))
            if thread.is_alive():
                LOG.warning(
                    "%s is still running its job %g s after the end and is no longer waited for", thread.name, CLOSE_S
                )

    def _run(self, number: int) -> None:
        scratch = WorkerResources().mesh
        while (work := self._take(number)) is not None:
            if isinstance(work, Share):
                work.help()
                continue
            for job in work:
                if self._closed:  # results are not collected any more
                    return
                done = perform(job, WorkerResources(scratch, partial(self._each, job.expected_s)))
                with self._changed:
                    if job.key in self._dropped:
                        self._dropped.remove(job.key)
                        self._taken.remove(job.key)
                    else:
                        self._finished.append(done)
                    self._changed.notify_all()

    def _each(self, expected_s: float, task: Task, count: int) -> None:
        """Runs the parts of a job on its worker, and on free workers."""
        share = Share(task, count, expected_s)
        with self._changed:
            self._shares.append(share)
            self._changed.notify_all()
        share.help()
        with self._changed:
            self._shares.remove(share)
        share.finish()

    def _take(self, number: int) -> list[Job] | Share | None:
        """The next slice of jobs, or a job to help with; None once the runner is closed."""
        with self._changed:
            self._changed.wait_for(lambda: self._closed or self._may_take(number))
            for share in self._shares:
                if share.open:
                    return share
            return self._slice() or None

    def _may_take(self, number: int) -> bool:
        shares = [share for share in self._shares if share.open]
        if not self._ready and not shares:
            return False
        behind_s = self._ready_s + sum(share.expected_s for share in shares)
        return number < self._always or behind_s > BACKLOG_S * number

    def _slice(self) -> list[Job]:
        jobs: list[Job] = []
        expected_s = 0.0
        while self._ready and (not jobs or expected_s + self._ready[0].expected_s <= SLICE_S):
            job = self._ready.popleft()
            expected_s += job.expected_s
            self._taken.add(job.key)
            jobs.append(job)
        self._ready_s = max(self._ready_s - expected_s, 0.0)
        return jobs


def _once(jobs: list[Job], taken: set[Hashable]) -> list[Job]:
    """The jobs whose key is neither taken nor already among them."""
    seen = set(taken)
    fresh = []
    for job in jobs:
        if job.key not in seen:
            seen.add(job.key)
            fresh.append(job)
    return fresh
