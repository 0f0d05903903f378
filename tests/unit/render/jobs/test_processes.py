"""Processes of this machine, and of a Dask cluster on it."""

import logging
import multiprocessing
import signal
import socket
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from multiprocessing import connection
from pathlib import Path

import pytest

from client.errors import SourceError, UsageError
from render.jobs import processes
from render.jobs.processes import Cluster, Outcome, Place, Processes, ProcessesFailed, expect_address, run_tasks
from tests.support.data import process_tasks
from tests.support.data.process_tasks import named


@pytest.fixture(autouse=True)
def processes_may_start_slowly(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a machine twenty times overloaded three of them took longer than two minutes."""
    monkeypatch.setattr(processes, "START_S", 1e6)


def here(count: int, prepare: Callable[[], None] = process_tasks.ready) -> Processes:
    return Processes(count, prepare)


def done(place: Place, *words: str, limit_s: float = 1e6) -> dict[str, Outcome]:
    """What became of each word."""
    outcomes = run_tasks(place, named, words, lambda word: 0.3 if word == "hangs" else limit_s)
    return {words[outcome.number]: outcome for outcome in outcomes}


def test_each_task_is_done_once_by_so_many_processes() -> None:
    found = done(here(2), *"abcdef")
    assert [found[word].result[0] for word in "abcdef"] == list("abcdef")
    assert 1 <= len({outcome.result[1] for outcome in found.values()}) <= 2
    assert done(here(2)) == {}


def test_a_process_that_dies_costs_its_task_a_second_try_and_nothing_else(tmp_path: Path) -> None:
    once = str(tmp_path / "once")
    found = done(here(2), "a", "dies", "b", once, "c")
    assert [word for word, outcome in found.items() if outcome.result is None] == ["dies"]
    assert found["dies"].lost == "ended by itself with code 7, in two tries"
    assert {word: found[word].lost for word in ("a", "b", "c", once)} == {
        "a": "", "b": "", "c": "", once: "ended by itself with code 8",
    }  # fmt: skip
    assert found[once].result[0] == once


def test_a_task_that_does_not_end_is_ended_and_the_rest_runs() -> None:
    found = done(here(1), "hangs", "a")
    assert found["hangs"] == Outcome(0, lost="did not end in time and was stopped", late=True)
    assert found["a"].result is not None


def test_what_making_ready_and_a_task_raise_ends_the_run() -> None:
    with pytest.raises(LookupError, match="there is no GL"):
        done(here(2, process_tasks.unable), "a")
    with pytest.raises(LookupError, match="raises"):
        done(here(1), "raises", "a")


def test_processes_that_never_start_end_the_run() -> None:
    with pytest.raises(ProcessesFailed, match="do not start: the last one ended by itself"):
        done(here(1, process_tasks.stillborn), "a")


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals are those of POSIX")
def test_processes_never_hear_an_interrupt_and_this_one_does() -> None:
    assert done(here(1, process_tasks.deaf), "a")["a"].result is not None
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_whoever_stops_asking_ends_every_process() -> None:
    before = set(multiprocessing.active_children())
    with closing(run_tasks(here(2), named, ("hangs", "a"), lambda _word: 1e6)) as outcomes:
        assert next(outcomes).number == 1
        started = set(multiprocessing.active_children()) - before
    assert started
    # The executor's own thread waits for the process as well. Who comes second cannot read its exit code for a moment,
    # and is_alive() says true of a dead process: the sentinel is right at any time.
    assert all(connection.wait([process.sentinel], 60) for process in started)


# ---------------------------------------------------------------- cluster


@pytest.mark.parametrize(
    "address", ["127.0.0.1:8786", "tls://127.0.0.1:8786", "tcp://127.0.0.1", "tcp://:8786", "tcp://a:99 9", ""]
)
def test_an_address_that_is_none_is_refused(address: str) -> None:
    with pytest.raises(UsageError, match="is not the address of a Dask scheduler"):
        expect_address(address)


def test_without_the_extra_a_sentence_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UsageError, match=r"--cluster needs the extra 'cluster': .* -m pip install distributed\."):
        Cluster("tcp://127.0.0.1:8786")


def greeted(server: socket.socket, words: bytes) -> socket.socket:
    there, _ = server.accept()
    there.sendall(words)
    return there


def test_nobody_is_waited_for_for_long(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[socket.socket] = []
    pytest.importorskip("distributed", reason="the extra cluster is not installed")
    monkeypatch.setattr(processes, "CONNECT_S", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        for greeting in (b"", b"SSH-2.0-OpenSSH_9.2\r\n"):
            speaker = threading.Thread(target=lambda words=greeting: kept.append(greeted(silent, words)), daemon=True)
            speaker.start()
            with pytest.raises(SourceError, match=rf"^tcp://127.0.0.1:{port}: no Dask scheduler answered\.$"):
                Cluster(f"tcp://127.0.0.1:{port}")
            speaker.join(60)
            kept.pop().close()
    with pytest.raises(SourceError, match="no Dask scheduler answered"):
        Cluster(f"tcp://127.0.0.1:{port}")


@pytest.mark.nightly
def test_two_workers_of_a_scheduler_do_what_processes_do() -> None:
    distributed = pytest.importorskip("distributed", reason="the extra cluster is not installed")
    dask = pytest.importorskip("dask", reason="the extra cluster is not installed")
    there = {"host": "127.0.0.1", "dashboard_address": ":0", "silence_logs": logging.CRITICAL}
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        distributed.LocalCluster(n_workers=2, threads_per_worker=2, **there) as scheduler,
        closing(Cluster(scheduler.scheduler_address)) as place,
    ):
        assert place.count == 2
        found = done(place, "a", "b", "dies", "c")
        assert [found[word].result[0] for word in "abc"] == list("abc")
        assert found["dies"].lost == "died, as did others that tried it again"
        with pytest.raises(LookupError, match="raises"):
            done(place, "raises")
