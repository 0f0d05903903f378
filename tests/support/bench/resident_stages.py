"""A process that joins, settles, lights and unloads a world, and prints its memory after each stage as a line of JSON.

    python -m tests.support.bench.resident_stages MODE RADIUS LEAVING

MODE is the embedded server's; LEAVING is how the terrain is unloaded: ``dimension`` (the server changes the player's
dimension) or ``columns`` (each is evicted). The package coverage is blocked: Numba imports it where it is installed,
which takes 4 MB that users do not have.
"""

import gc
import json
import sys
import time
from pathlib import Path

import msgspec

STATUS = Path("/proc/self/status")
FIELDS = ("VmRSS", "RssAnon", "RssFile", "VmHWM")
IDLE_S = 0.002


def resident() -> dict[str, float]:
    """This process's memory in MiB, by the field names of /proc/self/status."""
    lines = dict(line.split(":", 1) for line in STATUS.read_text().splitlines() if ":" in line)
    return {name: int(lines[name].split()[0]) / 1024 for name in FIELDS}


def say(stage: str, **more: object) -> None:
    """Prints one stage's line."""
    gc.collect()
    sys.stdout.write(json.dumps({"stage": stage, **resident(), **more}) + "\n")
    sys.stdout.flush()


def main(mode: str, radius: int, leaving: str) -> None:
    """Goes through all stages."""
    say("python")
    sys.modules["coverage"] = None  # so that its import fails
    import numba  # noqa: F401, PLC0415 - imports are what is measured here

    say("python, NumPy, Numba")
    from client.connection import connect  # noqa: PLC0415 - as above

    connection = connect("embedded:bench", radius=radius, mode=mode, timeout_s=300)
    say("joined", columns=len(connection.session.dimension.store.row_of))
    while connection.unsettled() is not None:
        if not connection.pump():
            time.sleep(IDLE_S)
    say("settled, dark")
    connection.wait_settled()
    statistics = connection.statistics()
    pools = [msgspec.to_builtins(pool) for pool in statistics.memory]
    say("lit", pools=pools, states=statistics.session.states)
    unload(connection, leaving)
    say("unloaded")
    connection.close()


def unload(connection, leaving: str) -> None:
    """Removes all terrain and runs the drains that follow."""
    from net.bedrock import ChangeDimension  # noqa: PLC0415 - as above
    from net.peer import Received  # noqa: PLC0415 - as above

    session = connection.session
    if leaving == "dimension":
        session.handle(Received(ChangeDimension(1, (0.0, 70.0, 0.0), False), 0.0, 0, 0), time.monotonic())
    else:
        for column in list(session.dimension.store.row_of):
            session.dimension.store.forget(column)
    for _ in range(3):
        connection.pump()


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3])
