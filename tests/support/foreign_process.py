"""A child process that nobody here wrote a protocol for, talked to in lines of JSON.

Rules:
1. It says {"port": N} on stdout once it listens, and one line {"event": ...} for whatever a test wants to know; other
   lines are somebody's log and are skipped.
2. It ends when its stdin closes; one that does not within ten seconds is killed.
3. Where the tool or the package it needs is missing, the test is skipped with the reason, and fails with
   ``CHUNKSCOPE_REQUIRE_PEERS=1``.
"""

import json
import os
import queue
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import pytest

READY_WITHIN_S = 200.0
CACHE = Path(__file__).parents[2] / ".cache"


def missing_peer(reason: str) -> None:
    """Ends the test: a skip, or a failure where peers are required."""
    if os.environ.get("CHUNKSCOPE_REQUIRE_PEERS") == "1":
        pytest.fail(reason)
    pytest.skip(reason)


class ForeignProcess:
    """One running peer, as a context manager."""

    def __init__(
        self, command: Sequence[str], folder: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        """Says what to run; it starts on entering.

        Args:
            command: program and arguments.
            folder: where it runs.
            environment: added to this process's own.
        """
        self._command = list(command)
        self._folder = folder
        self._environment = {**os.environ, **(environment or {})}
        self._ports: queue.SimpleQueue[int | None] = queue.SimpleQueue()
        self._log = tempfile.TemporaryFile("w+", errors="replace")  # noqa: SIM115 - closed on leaving
        self.events: list[dict[str, Any]] = []
        self._told = threading.Condition()  # notified of each event
        self.port = 0

    @property
    def source(self) -> str:
        """As SOURCE on a command line."""
        return f"127.0.0.1:{self.port}"

    def __enter__(self) -> Self:
        self._child = subprocess.Popen(
            self._command,
            cwd=self._folder,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        port = self._ports.get(timeout=READY_WITHIN_S)
        if port is None:
            log = self.log()
            self.__exit__(None, None, None)
            pytest.fail(f"{self._command[0]} ended before it listened:\n{log}")
        self.port = port
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        self._child.stdin.close()
        try:
            self._child.wait(10)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._reader.join()
        self._child.stdout.close()
        self._log.close()

    def log(self) -> str:
        """What it wrote to stderr so far."""
        self._log.seek(0)
        return self._log.read()

    def events_called(self, name: str) -> list[dict[str, Any]]:
        """The events of one kind so far."""
        return [event for event in self.events if event["event"] == name]

    def wait_event(self, name: str, within_s: float = READY_WITHIN_S) -> None:
        """Waits until it has told an event of that name."""
        with self._told:
            assert self._told.wait_for(lambda: self.events_called(name), within_s), f"no '{name}':\n{self.log()}"

    def wait_ended(self, within_s: float) -> None:
        """Waits until it has ended by itself and everything it said is in ``events``."""
        self._child.wait(within_s)
        self._reader.join()

    def _read(self) -> None:
        assert self._child.stdout is not None
        for line in self._child.stdout:
            if not line.startswith("{"):
                continue  # a native RakNet prints a harmless line about a socket
            try:
                said = json.loads(line)
            except ValueError:
                continue  # a log that looks like JSON
            if "port" in said:
                self._ports.put(said["port"])
            elif "event" in said:
                with self._told:
                    self.events.append(said)
                    self._told.notify_all()
        self._ports.put(None)
