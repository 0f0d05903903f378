"""Both runners give every job's result once; failures are results; the ready list is replaced whole."""

import math
import threading
from collections.abc import Iterator

import pytest

from render.jobs.workers import (
    BACKLOG_S,
    SLICE_S,
    Job,
    JobResult,
    Runner,
    SyncRunner,
    ThreadRunner,
    WorkerResources,
    most_workers,
)

PATIENCE_S = 200.0


@pytest.fixture(params=["sync", "one thread", "three threads"])
def runner(request: pytest.FixtureRequest) -> Iterator[Runner]:
    made: Runner = {
        "sync": SyncRunner,
        "one thread": lambda: ThreadRunner(1),
        "three threads": lambda: ThreadRunner(3),
    }[request.param]()
    yield made
    made.close()


def everything(runner: Runner) -> list[JobResult]:
    finished: list[JobResult] = []
    while runner.busy:
        assert runner.wait(PATIENCE_S)
        finished += runner.collect()
    return finished


def answer(number: int) -> Job:
    return Job(("answer", number), lambda _workshop: number, 0.0001)


def test_every_job_ends_once(runner: Runner) -> None:
    runner.replace([answer(n) for n in range(50)] + [answer(3)])
    assert sorted(done.value for done in everything(runner)) == list(range(50))
    assert runner.collect() == []


def test_a_job_that_raises_is_a_result_and_the_next_one_runs(runner: Runner) -> None:
    def fail(_workshop: WorkerResources) -> None:
        raise ValueError("no such cell")

    runner.replace([Job("fails", fail), answer(1)])
    by_key = {done.job.key: done for done in everything(runner)}
    assert str(by_key["fails"].error) == "no such cell"
    assert by_key["fails"].value is None
    assert by_key["answer", 1].value == 1
    runner.replace([answer(2)])
    assert [done.value for done in everything(runner)] == [2]


def test_what_is_not_collected_waits_and_is_not_begun_again(runner: Runner) -> None:
    runner.replace([answer(1), answer(2)])
    done: list[JobResult] = []
    while len(done) < 2:
        assert runner.wait(PATIENCE_S)
        one = runner.collect(1)
        assert len(one) <= 1
        done += one
        runner.replace([answer(n) for n in (1, 2) if n not in {end.value for end in done}])
    assert sorted(end.value for end in done) == [1, 2]
    assert runner.busy == 0


def test_close_forgets_what_was_not_begun() -> None:
    runner = SyncRunner()
    runner.replace([answer(1)])
    runner.close()
    assert runner.collect() == []
    threads = ThreadRunner(1)
    threads.close()
    threads.replace([answer(1)])
    assert threads.busy == 0


class Gate:
    """A job that says it has begun and ends when it is let go."""

    def __init__(self, key: str, expected_s: float = SLICE_S) -> None:
        self.begun = threading.Event()
        self.go = threading.Event()
        self.job = Job(key, self.work, expected_s)

    def work(self, _workshop: WorkerResources) -> str:
        self.begun.set()
        assert self.go.wait(PATIENCE_S)
        return str(self.job.key)


def test_replacing_the_ready_list_lets_near_work_overtake_far_work() -> None:
    runner = ThreadRunner(1)
    gate = Gate("gate")
    runner.replace([gate.job, answer(1)])
    assert gate.begun.wait(PATIENCE_S)
    runner.replace([gate.job, answer(2), answer(3)])  # the gate runs already: it is not begun again
    gate.go.set()
    assert [done.value for done in everything(runner)] == ["gate", 2, 3]
    runner.close()


def test_a_worker_takes_a_slice_and_no_more() -> None:
    runner = ThreadRunner(1)
    gate = Gate("gate", SLICE_S / 2)
    runner.replace(
        [gate.job, Job("half", lambda _workshop: "half", SLICE_S / 2), Job("more", lambda _workshop: "more")]
    )
    assert gate.begun.wait(PATIENCE_S)
    runner.replace([])  # "more" was not taken yet; "half" was
    gate.go.set()
    assert [done.value for done in everything(runner)] == ["gate", "half"]
    runner.close()


def test_wait_gives_up() -> None:
    runner = ThreadRunner(1)
    gate = Gate("gate")
    runner.replace([gate.job])
    assert not runner.wait(0.0)
    gate.go.set()
    assert everything(runner)
    runner.close()


def test_a_worker_keeps_its_scratch_to_itself() -> None:
    runner = ThreadRunner(2)
    gates = [Gate("a"), Gate("b")]
    seen: list[WorkerResources] = []

    def work(gate: Gate) -> Job:
        def run(workshop: WorkerResources) -> None:
            seen.append(workshop)
            gate.work(workshop)

        return Job(gate.job.key, run)

    runner.replace([work(gate) for gate in gates])
    for gate in gates:
        assert gate.begun.wait(PATIENCE_S)
    for gate in gates:
        gate.go.set()
    everything(runner)
    assert seen[0].mesh is not seen[1].mesh
    runner.close()


@pytest.fixture
def on_two_cores(monkeypatch: pytest.MonkeyPatch) -> Iterator[ThreadRunner]:
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    runner = ThreadRunner()
    yield runner
    runner.close()


def test_a_second_worker_takes_part_only_while_a_backlog_exists(on_two_cores: ThreadRunner) -> None:
    first, second, third = Gate("first"), Gate("second", BACKLOG_S), Gate("third")
    on_two_cores.replace([first.job])
    assert first.begun.wait(PATIENCE_S)
    on_two_cores.replace([second.job])
    assert not on_two_cores._may_take(1), "half a frame of work is no backlog"
    on_two_cores.replace([second.job, third.job])
    assert second.begun.wait(PATIENCE_S), "more than that is"
    assert not third.begun.is_set(), "what is left is no backlog any more"
    for gate in (first, second, third):
        gate.go.set()
    assert {done.value for done in everything(on_two_cores)} == {"first", "second", "third"}


def test_free_workers_help_with_a_long_job(on_two_cores: ThreadRunner) -> None:
    """Two parts that wait for each other: one worker alone would never end them."""
    meet = threading.Barrier(2, timeout=PATIENCE_S)
    done: list[int] = []

    def part(number: int) -> None:
        meet.wait()
        done.append(number)

    on_two_cores.replace([Job("long", lambda workshop: workshop.each(part, 2), 2 * BACKLOG_S)])
    assert [end.error for end in everything(on_two_cores)] == [None]
    assert sorted(done) == [0, 1]


@pytest.mark.parametrize("workers", [1, 3])
def test_a_part_that_raises_fails_its_job_and_no_worker(workers: int) -> None:
    runner = ThreadRunner(workers)

    def part(number: int) -> None:
        if number == 2:
            raise ValueError("no such channel")

    runner.replace([Job("shared", lambda workshop: workshop.each(part, 64)), answer(1)])
    by_key = {done.job.key: done for done in everything(runner)}
    assert str(by_key["shared"].error) == "no such channel"
    assert by_key["answer", 1].value == 1
    runner.replace([answer(n) for n in range(5)])
    assert len(everything(runner)) == 5
    runner.close()


def test_there_is_always_a_worker(monkeypatch: pytest.MonkeyPatch) -> None:
    cores = {None: 1, 1: 1, 2: 2, 3: 2, 8: 7}
    for count, workers in cores.items():
        monkeypatch.setattr("os.cpu_count", lambda count=count: count)
        assert most_workers() == workers
    with pytest.raises(ValueError, match="0 workers"):
        ThreadRunner(0)


def test_what_is_dropped_is_collected_by_nobody_and_read_until_it_ends() -> None:
    runner = ThreadRunner(1)
    gate = Gate("gate")
    runner.replace([answer(1), answer(2)])
    assert runner.wait(PATIENCE_S)
    while runner.running:
        assert runner.wait(PATIENCE_S)
    assert runner.begun == {("answer", 1), ("answer", 2)}
    runner.replace([gate.job])
    assert gate.begun.wait(PATIENCE_S)
    assert runner.running == {"gate"}
    runner.drop({("answer", 1), "gate"})
    assert (runner.begun, runner.running) == ({("answer", 2), "gate"}, {"gate"})
    assert [done.value for done in runner.collect()] == [2]
    gate.go.set()
    assert everything(runner) == []
    assert runner.busy == 0
    runner.close()


class Expired:
    """A clock on which all the time there is has passed at its second look."""

    def __init__(self) -> None:
        self._now = 0.0

    def __call__(self) -> float:
        now, self._now = self._now, math.inf
        return now


def test_close_gives_all_workers_together_so_long_and_no_longer(caplog: pytest.LogCaptureFixture) -> None:
    runner = ThreadRunner(2, Expired())
    gates = [Gate("a"), Gate("b")]
    runner.replace([gate.job for gate in gates])
    for gate in gates:
        assert gate.begun.wait(PATIENCE_S)
    runner.close()
    assert [message.split(" is ")[0] for message in caplog.messages] == ["worker-0", "worker-1"]
    for gate in gates:
        gate.go.set()
    for thread in runner._threads:
        thread.join(PATIENCE_S)
        assert not thread.is_alive()


def test_a_worker_begins_nothing_more_of_its_slice_once_it_is_closed() -> None:
    runner = ThreadRunner(1, Expired())
    gate, begun = Gate("gate", SLICE_S / 2), []
    runner.replace([gate.job, Job("half", lambda _workshop: begun.append("half"), SLICE_S / 2)])
    assert gate.begun.wait(PATIENCE_S)
    runner.close()
    gate.go.set()
    runner._threads[0].join(PATIENCE_S)
    assert not runner._threads[0].is_alive()
    assert not begun
