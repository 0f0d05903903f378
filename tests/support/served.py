"""Our server as a process that ends and comes back on the same port, as one that somebody restarts."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


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
        """Ends it, with a goodbye to whoever is on it."""
        if self._process is None:
            return
        self._process.terminate()  # not an interrupt: who starts tests in the background has it ignored
        self._forget()

    def kill(self) -> None:
        """Kills it and its child: nobody is told anything. Linux only."""
        assert self._process is not None
        for task in Path(f"/proc/{self._process.pid}/task").iterdir():
            for child in (task / "children").read_text().split():
                os.kill(int(child), signal.SIGKILL)
        self._process.kill()
        self._forget()

    def _forget(self) -> None:
        assert self._process is not None
        self._process.wait()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._process = None


@contextmanager
def served(world: str, *options: str) -> Iterator[Served]:
    """A server that lasts no longer than the block."""
    server = Served(world, *options)
    try:
        yield server
    finally:
        server.stop()
