"""One target inside atheris, and one input without it.

Rules:
1. Kernels are imported before anything is instrumented, since Numba cannot compile instrumented bytecode, and with
   bounds checks (``net.kernels.checked``); that holds for the whole process, so a process fuzzes and does nothing else.
   What else of ``FUZZED`` is imported before it is instrumented guides nothing: that is an error.
2. A planted target needs none of the product but that.

What stands between libFuzzer and a target: memory that one input makes grow, and a safe way out.

libFuzzer looks at the resident size once a second and at a bound for the whole process; here each input is looked at,
against a bound for one. What is measured is the process's peak, so that memory given back at once counts too.
"""

import os
import resource
import signal
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Final

import msgspec

from net.kernels.place import CHECKED_VARIABLE, IMAGE_VARIABLE
from tests.fuzz import planted
from tests.fuzz.targets import load_target

MOST_GROWTH_KB: Final = 32 << 10
"""Inputs have at most 16 KiB, and the readers' limits are set low. Growth of the first inputs (caches, libraries that
load themselves) is some 5 MiB."""
OF_RECORDINGS_KB: Final = 96 << 10
"""A block of a recording may say that it inflates to 68 MiB (``recording.limits``)."""

OF_PACKS_KB: Final = 256 << 10
"""A picture of a pack has at most 4096 x 4096 pixels, which a few KiB can say; it is decoded, then converted."""
GROWTH_KB: Final = {"recordings": OF_RECORDINGS_KB, "packs": OF_PACKS_KB}


def watched(name: str, target: Callable[[bytes], None]) -> Callable[[bytes], None]:
    """The target, raising for an input that takes more memory than any may."""
    most_kb = GROWTH_KB.get(name, MOST_GROWTH_KB)

    def run(data: bytes) -> None:
        try:
            before_kb = peak_kb()
            target(data)
            grown_kb = peak_kb() - before_kb
            if grown_kb > most_kb:
                raise AssertionError(f"{len(data)} bytes of input took {grown_kb >> 10} MiB of memory")
        except BaseException:
            # libFuzzer writes the input down while the process exits, and its alarm for hangs goes on: one that came
            # after Python had given its handlers back ended the process before (seen as signal 14, nothing kept).
            signal.setitimer(signal.ITIMER_REAL, 0)
            raise

    return run


def peak_kb() -> int:
    """The largest resident size of this process so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


FUZZED: Final = ("net", "render", "client.entities")
"""Packages whose branches guide the fuzzer, but for kernels: atheris takes whole packages."""
FUZZED_KERNELS: Final = ("client.entities.move_kernels",)
"""Their package imports what shall guide, so they cannot be imported before it: they are left out by name."""
LONGEST_BYTES: Final = {
    **{"datagrams": 1 << 12, "batches": 1 << 12, "packets": 1 << 11, "entities": 1 << 11, "nbt": 1 << 11},
    **{"nethernet": 1 << 12, "dtls": 1 << 11},
}
"""Inputs beyond it are not tried: several datagrams, or one packet. The rest holds whole sub-chunks."""
MOST_BYTES: Final = 1 << 14
RESIDENT_MB: Final = 4096
"""For a whole run. Atheris keeps about 3 kB of what instrumented code compares with each input of ``subchunks``
(measured; nothing stays without the instrumentation); what one input may add is ``watch``'s to say."""
OBJECTS_BYTES: Final = 1 << 16
"""Of one packet, where the product allows 160 MiB."""
NBT_TAGS: Final = 256
"""Of one root, where the product allows a million."""


class Run(msgspec.Struct, frozen=True):
    """What to do."""

    target: str  # its name
    seconds: int  # to go on for
    count: int  # executions at most; -1 for any number
    seed: int  # of the mutations; 0 for another each time
    hang_seconds: int  # an input that takes longer is a finding
    cache: Path  # folder of corpora
    findings: Path  # folder of folders of findings


def fuzz(run: Run) -> int:
    """Fuzzes in this process, which libFuzzer ends."""
    import atheris  # noqa: PLC0415 - only this process needs it

    check_bounds()
    if run.target in planted.NAMES:
        target = atheris.instrument_func(planted.target(run.target))
    else:
        check_imports()
        import_kernels()
        with atheris.instrument_imports(include=FUZZED, exclude=FUZZED_KERNELS, enable_loader_override=False):
            target = _product_target(run.target)
    found = run.findings / run.target
    found.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_total_time={run.seconds}",
        f"-runs={run.count}",
        f"-max_len={LONGEST_BYTES.get(run.target, MOST_BYTES)}",
        f"-timeout={run.hang_seconds}",
        f"-rss_limit_mb={RESIDENT_MB}",
        f"-seed={run.seed}",
        f"-artifact_prefix={found}/",
        "-print_final_stats=1",
        str(run.cache / run.target / "corpus"),
    ]
    atheris.Setup([sys.argv[0], *options], watched(run.target, target))
    atheris.Fuzz()
    return 0


def run_input(name: str, path: Path) -> None:
    """Runs a target on one file; what it raises is the finding."""
    check_bounds()
    target = planted.target(name) if name in planted.NAMES else _product_target(name)
    watched(name, target)(path.read_bytes())


def check_bounds() -> None:
    """Lets kernels that are imported from now on check their indices.

    Raises:
        RuntimeError: some are imported already.
    """
    if "net.kernels.jit" in sys.modules:
        raise RuntimeError("kernels that check no index are imported already")
    os.environ.pop(IMAGE_VARIABLE, None)
    os.environ[CHECKED_VARIABLE] = "1"
    import_module("net.kernels.jit")  # guards are compiled before any input is timed


def check_imports() -> None:
    """Nothing that is fuzzed may be imported yet.

    Raises:
        RuntimeError: something is; atheris would not see its branches.
    """
    early = [name for name in sys.modules if name.startswith(tuple(f"{package}." for package in FUZZED))]
    if early := sorted(name for name in early if not name.startswith("net.kernels")):
        raise RuntimeError(f"imported before it is instrumented: {', '.join(early)}")


def import_kernels() -> None:
    """Compiles those that read sub-chunks, and the checksum of world folders."""
    for package in ("subchunk", "saved_world"):
        for kernels in sorted((Path(__file__).parents[2] / "net" / package).glob("*_kernels.py")):
            import_module(f"net.{package}.{kernels.stem}")


def _product_target(name: str) -> Callable[[bytes], None]:
    """The target, in a process in which small inputs reach the limits that only large ones would."""
    from net import nbt as reading  # noqa: PLC0415 - here all of it is instrumented
    from net.saved_world.checksum_kernels import masked_crc  # noqa: PLC0415 - as above
    from net.wire import cursor as reader  # noqa: PLC0415 - as above
    from tests.support.reference import leveldb as leveldb_twin  # noqa: PLC0415 - as above

    vars(leveldb_twin)["masked"] = masked_crc  # the twin's goes bit by bit, which took most of the time
    vars(reader)["OBJECTS_BYTES"] = OBJECTS_BYTES
    vars(reading)["NBT_TAGS"] = NBT_TAGS
    return load_target(name)
