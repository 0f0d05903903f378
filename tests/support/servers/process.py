"""Our server for tests that join over UDP.

- ``Served``: a process that can be restarted on the same port.
- ``faulty_server``: a process with a fault script.
- ``threaded_server``, ``announced_server``: a thread of this process, for clients of other projects.
- ``end_when_heard``: ends a scan when the expected servers have answered, so that it does not depend on speed.
- ``broadcast_address``: an address at which this machine receives its own broadcasts.
"""

import json
import os
import select
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from net.nethernet.lan import LanHost
from net.peer import Transports
from net.raknet.handshake import Address
from net.releases import ProtocolRange
from net.server.host import Host
from net.server.host_options import HostOptions
from net.server.worlds import ServerWorld
from net.transport import discovery
from net.transport.discovery import Sightings
from net.transport.udp_server import UdpHost


@contextmanager
def running(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[str]]:  # Any: Popen's own
    """A process with text pipes; killed if the test fails, since ``Popen`` alone would wait for its end."""
    with subprocess.Popen(command, text=True, **options) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise


# ---------------------------------------------------------------- served


class Served:
    """A server process."""

    def __init__(self, world: str, *options: str) -> None:
        self._world = world
        self._options = options
        self._process: subprocess.Popen[str] | None = None
        self.port = 0  # stays the same after each start
        self.start()

    def start(self, *more: str) -> None:
        """Starts it and returns when it can be joined; the options ``more`` are for this start only."""
        command = [sys.executable, "-c", "from render.cli import main; main()", "serve", f"embedded:{self._world}"]
        command += ["--port", str(self.port), "--json", "--name", "A test world", *self._options, *more]
        # stderr is dropped: a pipe to a test that was aborted would stay open as long as the server runs.
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self._process.stdout is not None
        self.port = json.loads(self._process.stdout.readline())["port"]

    def stop(self) -> None:
        """Ends it; clients get a disconnect message."""
        if self._process is None:
            return
        self._process.terminate()  # not SIGINT: it is ignored if tests run in the background
        self._forget()

    def kill(self) -> None:
        """Kills it and its child; clients get no message. Linux only."""
        assert self._process is not None
        for child in children_of(Path(f"/proc/{self._process.pid}")):
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)
        self._process.kill()
        self._forget()

    def _forget(self) -> None:
        assert self._process is not None
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process = None


def children_of(process: Path) -> list[int]:
    """Child processes of all threads of a process (its folder in /proc); empty if it ends meanwhile."""
    found: list[int] = []
    for task in process.glob("task/*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):
            found += map(int, task.read_text().split())
    return found


@contextmanager
def served(world: str, *options: str) -> Iterator[Served]:
    """A server process that is stopped at the end of the context."""
    server = Served(world, *options)
    try:
        yield server
    finally:
        server.stop()


# ---------------------------------------------------------------- faulty server


@contextmanager
def faulty_server(folder: Path, script: str) -> Iterator[int]:
    """Serves the flat world with a fault script; yields the port.

    Args:
        folder: the script is written into it.
        script: TOML (docs/reference/fault-scripts.md).
    """
    (folder / "faults.script").write_text(script)
    command = [sys.executable, "-m", "net.server", "--world", "flat:1", "--faults", str(folder / "faults.script")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdin
        assert process.stdout
        try:
            yield int(json.loads(process.stdout.readline())["port"])
        finally:
            process.stdin.close()


# ---------------------------------------------------------------- threaded server


@contextmanager
def threaded_server(
    world: ServerWorld, protocol: int, options: HostOptions, beside: Sequence[ServerWorld] = (), at: str = "127.0.0.1"
) -> Iterator[int]:
    """A server for clients of one protocol at the address ``at``; yields its port."""
    host = Host(world, options, ProtocolRange.only(protocol), time.monotonic(), time.time(), os.urandom, beside=beside)
    server = UdpHost(host, (at, 0), None if options.transports is Transports.RAKNET else host)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.address[1]
    finally:
        server.stop()
        thread.join()


@contextmanager
def announced_server(world: ServerWorld, protocol: int, options: HostOptions) -> Iterator[int]:
    """A server that hosts a LAN game of NetherNet; yields the port of its LAN discovery on 127.0.0.1."""
    host = Host(world, options, ProtocolRange.only(protocol), time.monotonic(), time.time(), os.urandom)
    server = UdpHost(host, answerer=host)
    port = server.announce(LanHost(host, int.from_bytes(os.urandom(8), "big"), "abc"), 0)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield port
    finally:
        server.stop()
        thread.join()


# ---------------------------------------------------------------- ended scan

LONG_S = 200.0
"""How long a scan waits for servers that never answer."""


def end_when_heard(monkeypatch: pytest.MonkeyPatch, servers: int = 1, answers: int = 1) -> None:
    """Once so many servers have answered so often, the scan's clock jumps past the end of the scan."""
    passed_s = 0.0
    receive = Sightings.receive

    def heard(found: Sightings, address: Address, datagram: bytes, now_ms: float) -> bool:
        nonlocal passed_s
        kept = receive(found, address, datagram, now_ms)
        if len(found.all()) >= servers and all(seen.answers >= answers for seen in found.all()):
            passed_s = 2 * LONG_S
        return kept

    monkeypatch.setattr(Sightings, "receive", heard)
    monkeypatch.setattr(discovery, "time", SimpleNamespace(monotonic=lambda: time.monotonic() + passed_s))


# ---------------------------------------------------------------- broadcasting

EVERYBODY = "255.255.255.255"
LOOPBACK = "127.255.255.255"


def broadcast_address() -> str:
    """The LAN's broadcast address if an interface carries broadcasts, else the loopback's."""
    return EVERYBODY if _comes_back(EVERYBODY) else LOOPBACK


def _comes_back(address: str) -> bool:
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as hears,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as says,
    ):
        hears.bind(("0.0.0.0", 0))
        says.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
        try:
            says.sendto(b"anybody", (address, hears.getsockname()[1]))
        except OSError:
            return False  # no interface has broadcasts, or a firewall drops them
        return bool(select.select([hears], [], [], 1.0)[0])
