"""``python -m client SOURCE``: joins, waits until nothing is missing, prints statistics as JSON.

Exit codes as in interfaces.md: 0 done, 2 wrong usage, 3 source absent or refusing, 4 the deadline passed.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from client.errors import DONE, INCOMPLETE, INTERRUPTED, ConnectError

if TYPE_CHECKING:
    from client.kernel_cache import WarmProgress


def main(arguments: list[str]) -> int:
    """Runs it; returns the exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m client", description="Joins a SOURCE and prints statistics as JSON."
    )
    parser.add_argument("source", metavar="SOURCE", help="embedded[:hills|bench|flat[:SEED]], FILE.cscope, HOST[:PORT]")
    parser.add_argument("--at", metavar="X,Y,Z", help="eye position in blocks (default: the world spawn)")
    parser.add_argument("--radius", type=int, default=8, help="view distance in chunks (8)")
    parser.add_argument("--mode", default="limited", help="mode of an embedded server: limited, limitless or full")
    parser.add_argument("--profile", default="bedrock", help="wire profile: bedrock, documented")
    parser.add_argument("--timeout", type=float, default=60.0, help="seconds to wait for the world to settle (60)")
    parser.add_argument(
        "--cache",
        action=argparse.BooleanOptionalAction,
        help="keep terrain between visits (by default for servers)",
    )
    parser.add_argument(
        "--cache-dir", type=Path, metavar="PATH", help="folder of the cache (default: the user's cache folder)"
    )
    given = parser.parse_args(arguments)
    try:
        return _run(given)
    except ConnectError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    except KeyboardInterrupt:
        sys.stderr.write("\nInterrupted.\n")
        return INTERRUPTED


def _run(given: argparse.Namespace) -> int:
    from client.connection import connect  # noqa: PLC0415 - so that --help loads no kernel
    from client.kernel_cache import compile_missing  # noqa: PLC0415 - as above
    from client.options import parse_at  # noqa: PLC0415 - as above
    from client.source import parse_source  # noqa: PLC0415 - as above

    # What cannot be meant is said before anybody waits for kernels.
    source, at = parse_source(given.source), parse_at(given.at) if given.at else None
    compile_missing(progress=_tell_compiled)
    with connect(
        source, at=at, radius=given.radius, mode=given.mode, profile=given.profile, timeout_s=given.timeout,
        cache=given.cache, cache_dir=given.cache_dir,
    ) as world:  # fmt: skip
        settled = world.wait_settled()
        statistics = msgspec.to_builtins(world.statistics(), enc_hook=str)
    sys.stdout.write(json.dumps({**statistics, "waiting_for": settled.waiting_for}, indent=2) + "\n")
    return DONE if settled else INCOMPLETE


def _tell_compiled(at: "WarmProgress") -> None:
    """One line that is overwritten, on stderr: stdout is for the JSON."""
    sys.stderr.write(f"\rcompiling kernels (first start only): {at.done} of {at.total}")
    sys.stderr.write("\n" if at.done == at.total else "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
