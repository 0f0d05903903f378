"""Our server as a process that can be restarted on the same port.

Faulty server: a real server process with faults by a script, for clients that join over UDP.

Threaded server: our server on a thread of this process, for peers of other projects.

Ended scan: a scan that ends once the expected servers have answered, on a machine of any speed.

Broadcasting: an address at which a broadcast of this machine reaches a socket of this machine.
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

from net.bedrock.releases import ProtocolRange
from net.nethernet.lan import LanHost
from net.peer import Transports
from net.raknet.handshake import Address
from net.server.host import Host
from net.server.options import HostOptions
from net.server.worlds import ServerWorld
from net.transport import discovery
from net.transport.discovery import Sightings
from net.transport.udp_server import UdpHost


@contextmanager
def running(command: Sequence[str], **options: Any) -> Iterator[subprocess.Popen[str]]:  # Any: Popen's own
    """A process that speaks text; killed where the test fails, since ``Popen`` itself would wait for its end."""
    with subprocess.Popen(command, text=True, **options) as process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise


# ---------------------------------------------------------------- served


class Served:
    """One of them."""

    def __init__(self, world: str, *options: str) -> None:
        self._world = world
        self._options = options
        self._process: subprocess.Popen[str] | None = None
        self.port = 0  # on this machine; the same after each start
        self.start()

    def start(self, *more: str) -> None:
        """Returns when it can be joined; ``more`` options are of this life alone."""
        command = [sys.executable, "-c", "from render.cli import main; main()", "serve", f"embedded:{self._world}"]
        command += ["--port", str(self.port), "--json", "--name", "A test world", *self._options, *more]
        # Its words go nowhere: the pipe of a test that broke off would stay open as long as the server.
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self._process.stdout is not None
        self.port = json.loads(self._process.stdout.readline())["port"]

    def stop(self) -> None:
        """Ends it; clients get a disconnect message."""
        if self._process is None:
            return
        self._process.terminate()  # not an interrupt: who starts tests in the background has it ignored
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
    """The children of a process of /proc, of all its threads; one that ends meanwhile has none."""
    found: list[int] = []
    for task in process.glob("task/*/children"):
        with suppress(FileNotFoundError, ProcessLookupError):
            found += map(int, task.read_text().split())
    return found


@contextmanager
def served(world: str, *options: str) -> Iterator[Served]:
    """A server that lasts no longer than the block."""
    server = Served(world, *options)
    try:
        yield server
    finally:
        server.stop()


# ---------------------------------------------------------------- faulty server


@contextmanager
def faulty_server(folder: Path, script: str) -> Iterator[int]:
    """Serves the flat world as the script says; gives its port.

    Args:
        folder: where the script is written.
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
    world: ServerWorld, protocol: int, options: HostOptions, beside: Sequence[ServerWorld] = ()
) -> Iterator[int]:
    """A server of clients of one protocol, no longer than the block; gives its port on 127.0.0.1."""
    host = Host(world, options, ProtocolRange.only(protocol), time.monotonic(), time.time(), os.urandom, beside=beside)
    server = UdpHost(host, answerer=None if options.transports is Transports.RAKNET else host)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        yield server.address[1]
    finally:
        server.stop()
        thread.join()


@contextmanager
def announced_server(world: ServerWorld, protocol: int, options: HostOptions) -> Iterator[int]:
    """One that hosts a LAN game of NetherNet; gives the port of its LAN discovery on 127.0.0.1."""
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
"""How long it looks for those who never answer."""


def end_when_heard(monkeypatch: pytest.MonkeyPatch, servers: int = 1, answers: int = 1) -> None:
    """Its clock, the system's until then, passes every end once so many servers have answered so often."""
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
    """The LAN's where an interface carries broadcasts, else the loopback's."""
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
            return False  # no interface that broadcasts, or a firewall
        return bool(select.select([hears], [], [], 1.0)[0])
