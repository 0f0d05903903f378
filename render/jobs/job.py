"""What a worker is given and what it gives back.

Rules:
1. A job closes over immutable things: slots, tables, frozen batches. Whoever makes it keeps them alive until it has
   ended (``running``); once the result is collected, everything in it belongs to the owner.
2. Two jobs with one key are one piece of work: while one of them runs or waits to be collected, the other is not begun.
3. A job that raises is a result with an error; the worker goes on.
4. What nobody collects stays: whoever fills the ready list counts what is ``begun``, and drops what is not wanted.
"""

from collections.abc import Callable, Collection, Hashable
from dataclasses import field
from typing import Any, Protocol

from net.frozen import frozen
from render.jobs.sharing import Each, in_order
from render.mesh.build import Scratch


@frozen
class Workshop:
    """What belongs to one worker: things that jobs may use while they run, and not after.

    Attributes:
        mesh: scratch.
        each: runs the parts of a long job, with the help of workers that are free.
    """

    mesh: Scratch = field(default_factory=Scratch)
    each: Each = in_order


@frozen(eq=False)
class Job:
    """One piece of work.

    Attributes:
        key: names the work, for example ``("mesh", cell, revision)``.
        work: called once on a worker's thread; its value is handed back untouched.
        expected_s: about how long it takes; a worker takes jobs until they add up to a slice.
    """

    key: Hashable
    work: Callable[[Workshop], Any]  # results differ by kind of job; whoever made it knows
    expected_s: float = 0.001


@frozen(eq=False)
class Finished:
    """A job's end: its value, or the exception it raised with its traceback."""

    job: Job
    value: Any  # as Job.work
    error: Exception | None = None


class Runner(Protocol):
    """Where jobs run. Every method is the owner thread's."""

    def replace(self, jobs: list[Job]) -> None:
        """Makes this the whole ready list, most wanted first; what was ready before and is not begun is forgotten."""

    def collect(self, most: int | None = None) -> list[Finished]:
        """What has finished, in the order of finishing; ``most`` of it at a time, the rest waits to be collected."""

    def drop(self, keys: Collection[Hashable]) -> None:
        """Lets nobody collect results of these jobs: what has ended goes now, what runs when it ends."""

    @property
    def begun(self) -> frozenset[Hashable]:
        """Keys of jobs that run or wait to be collected."""

    @property
    def running(self) -> frozenset[Hashable]:
        """Keys of jobs that a worker has; what they read must stay as it is."""

    @property
    def busy(self) -> int:
        """Jobs ready, running, or finished and not collected. 0: nothing is left to wait for."""

    def wait(self, timeout_s: float) -> bool:
        """Blocks until there is something to collect or nothing left to wait for; False if the time ran out."""

    def close(self) -> None:
        """Forgets the ready list, lets running jobs end, and ends the workers."""


def perform(job: Job, workshop: Workshop) -> Finished:
    """Runs one job, whatever happens."""
    try:
        return Finished(job, job.work(workshop))
    except Exception as error:
        return Finished(job, None, error)
