"""Ticks of a process that does nothing else, started with ``-m``: how late they are is the machine's doing.

It ticks 20 times a second until its standard input is closed, then prints one line of JSON.
"""

import json
import os
import selectors
import sys
import time

import numpy as np

TICK_S = 0.05


def main() -> None:
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
    main()
