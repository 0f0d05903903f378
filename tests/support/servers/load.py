"""Processes that measure how late ticks begin, for ``bench/test_load``.

    python -m tests.support.servers.load serve

is a server: it prints its port as JSON, each byte on standard input resets the measurement, and when the input closes
it prints the result and ends.

    python -m tests.support.servers.load idle

only ticks 20 times a second, so its delays are the machine's; it prints them when its standard input closes.
"""

import gc
import json
import os
import selectors
import sys
import threading
import time

import numpy as np

from net.raknet import Address
from net.releases import ProtocolRange
from net.server.host import Host
from net.server.host_options import HostOptions
from net.server.worlds import open_worlds
from net.transport.udp_server import UdpHost
from tests.support.bench.resident_stages import resident

# ---------------------------------------------------------------- load server


class CountingHost(Host):
    """A host that records how late each tick was, and the processor time of the loop since the previous turn.

    The latter is how long a tick has to wait on a machine that does nothing else.
    """

    late_s: list[float]
    turns_s: list[float]
    _turned = 0.0

    def datagrams(self, now: float) -> list[tuple[Address, bytes]]:
        began, self._turned = self._turned, time.thread_time()
        if began and now >= self._next_tick:  # the first turn includes the start of the process
            self.turns_s.append(self._turned - began)
        return super().datagrams(now)

    def tick(self, now: float) -> None:
        self.late_s.append(now - self._next_tick)
        super().tick(now)


def say(what: dict[str, float]) -> None:
    """One line of JSON."""
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def main() -> None:
    options = HostOptions(warm_radius=-1)
    now = time.monotonic()
    host = CountingHost(open_worlds("hills:1")[0], options, ProtocolRange.only(486), now, time.time(), os.urandom)
    host.late_s, host.turns_s = [], []
    server = UdpHost(host)
    gc.collect()
    gc.freeze()  # as the server process does
    say({"port": server.address[1]})

    def obey() -> None:
        while os.read(sys.stdin.fileno(), 1):
            host.late_s.clear()
            host.turns_s.clear()
        server.stop()

    threading.Thread(target=obey, daemon=True).start()
    server.run()
    turns_ms = np.array(host.turns_s or [0.0]) * 1e3
    late_ms = np.array(host.late_s or [0.0]) * 1e3
    said = {
        "ticks": len(late_ms),
        "p50_ms": float(np.percentile(late_ms, 50)),
        "p99_ms": float(np.percentile(late_ms, 99)),
        "max_ms": float(late_ms.max()),
        "turn_p99_ms": float(np.percentile(turns_ms, 99)),
        "turn_max_ms": float(turns_ms.max()),
        "cpu_s": time.process_time(),
        "peak_mib": resident()["VmHWM"],  # not ru_maxrss, which includes the parent's
    }
    say(said)


# ---------------------------------------------------------------- idle ticks

TICK_S = 0.05


def be_idle() -> None:
    late_s = [0.0]
    with selectors.DefaultSelector() as selector:
        selector.register(sys.stdin, selectors.EVENT_READ)
        due = time.monotonic() + TICK_S
        while not selector.select(max(due - time.monotonic(), 0.0)) or os.read(sys.stdin.fileno(), 1):
            now = time.monotonic()
            if now >= due:
                late_s.append(now - due)
                due = max(due + TICK_S, now)
    sys.stdout.write(json.dumps({"p99_ms": float(np.percentile(late_s, 99)) * 1e3, "max_ms": max(late_s) * 1e3}) + "\n")


if __name__ == "__main__":
    {"serve": main, "idle": be_idle}[sys.argv.pop(1)]()
