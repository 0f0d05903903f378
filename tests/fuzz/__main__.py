"""The command line, see the package: one child process a target, ``--jobs`` of them at a time.

Prints a line a target and a total. A finding lies in ``findings/TARGET`` beside this file; the run goes on with the
next target and ends with the code of the first one that failed (77 crash, 70 hang, 71 memory). Inputs that reached
something new are kept under ``.cache/fuzz/TARGET``, libFuzzer's own words beside them as ``log``.

How much has been executed, over many runs: a small JSON file beside the corpora.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec

from tests.fuzz import planted
from tests.fuzz.engine import Run, fuzz, run_input
from tests.fuzz.targets import MODULES, load_target


# ruff: noqa: T201 - a command line talks
class Tally:
    """Executions and findings by target; ``add`` writes the file at once, so that a killed run has counted."""

    def __init__(self, path: Path) -> None:
        """Reads the file if there is one.

        Raises:
            ValueError: it is none of ours; the message names it.
        """
        self._path = path
        self._counts: dict[str, dict[str, int]] = {}
        if path.exists():
            try:
                self._counts = json.loads(path.read_text())
            except json.JSONDecodeError as error:
                raise ValueError(f"{path} does not hold totals: {error}") from None

    def add(self, target: str, executed: int, *, found: bool) -> None:
        """Counts one run of one target."""
        count = self._counts.setdefault(target, {"executions": 0, "findings": 0})
        count["executions"] += executed
        count["findings"] += found
        self._path.parent.mkdir(parents=True, exist_ok=True)
        whole = self._path.with_suffix(".new")
        whole.write_text(json.dumps(self._counts, indent=1, sort_keys=True) + "\n")
        whole.replace(self._path)

    def executions(self) -> int:
        """Of all targets."""
        return sum(count["executions"] for count in self._counts.values())

    def lines(self) -> list[str]:
        """A line a target and a last one for all, for people."""
        counts = sorted(self._counts.items())
        lines = [
            f"{name:<14}{count['executions']:>12,} executions, {count['findings']} findings" for name, count in counts
        ]
        findings = sum(count["findings"] for _, count in counts)
        return [*lines, f"{'total':<14}{self.executions():>12,} executions, {findings} findings"]


HERE = Path(__file__).parent
CACHE = HERE.parents[1] / ".cache" / "fuzz"
SHOWN_LINES = 40
_EXECUTED = re.compile(r"^stat::number_of_executed_units: *(\d+)", re.MULTILINE)


def main() -> int:
    """Runs what was chosen; the exit code."""
    chosen = _parser().parse_args()
    cache = chosen.into or CACHE
    findings = chosen.into / "findings" if chosen.into else HERE / "findings"
    if chosen.target == "total":
        print("\n".join(Tally(cache / "total.json").lines()))
        return 0
    if chosen.input:
        os.environ |= _place_of_kernels(cache)
        run_input(chosen.target, chosen.input)
        return 0
    if chosen.minimise:
        _minimise(chosen.target, cache / chosen.target / "corpus")
        return 0
    if chosen.inside:
        run = Run(chosen.target, chosen.seconds, chosen.count, chosen.seed, chosen.hang_seconds, cache, findings)
        return fuzz(run)
    targets = MODULES if chosen.target == "all" else (chosen.target,)
    return _fuzz_all(targets, chosen.jobs, cache, findings)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m tests.fuzz", description="Fuzzes readers of strangers' bytes.")
    parser.add_argument("target", choices=[*MODULES, "all", "total", *planted.NAMES])
    parser.add_argument("--seconds", type=int, default=60, help="of each target")
    parser.add_argument("--jobs", type=int, default=1, help="targets at a time")
    parser.add_argument("--count", type=int, default=-1, help="executions of each target at most")
    parser.add_argument("--seed", type=int, default=0, help="of the mutations; 0 = another each time")
    parser.add_argument("--hang-seconds", type=int, default=10, help="an input that takes longer is a finding")
    parser.add_argument("--input", type=Path, help="run the target on this file, once")
    parser.add_argument("--minimise", action="store_true", help="commit what of the corpus is worth it (minimise)")
    parser.add_argument("--into", type=Path, help="folder for corpora, totals and findings instead of the usual ones")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    return parser


def _fuzz_all(targets: Iterable[str], jobs: int, cache: Path, findings: Path) -> int:
    tally = Tally(cache / "total.json")
    ended, in_all = 0, 0
    with ThreadPoolExecutor(jobs) as pool:
        for run in pool.map(lambda target: _fuzz_one(target, cache), targets):
            tally.add(run.target, run.executed, found=run.code != 0)
            in_all += run.executed
            print(run.line(), flush=True)
            if run.code:
                _explain(run.target, run.said, findings / run.target)
                ended = ended or run.code
    print(f"{'this run':<14}{in_all:>12,} executions; all runs: {tally.executions():,}", flush=True)
    return ended


class _Ended(msgspec.Struct, frozen=True):
    """What became of one target's child."""

    target: str
    code: int
    said: str
    took_s: float

    @property
    def executed(self) -> int:
        return int((_EXECUTED.findall(self.said) or ["0"])[-1])

    def line(self) -> str:
        failed = "   FAILED" if self.code else ""
        return f"{self.target:<14}{self.executed:>12,} executions in {self.took_s:.0f} s{failed}"


def _fuzz_one(target: str, cache: Path) -> _Ended:
    started = time.monotonic()
    _plant_seeds(target, cache / target / "corpus")
    code, said = _run_child(target, cache)
    return _Ended(target, code, said, time.monotonic() - started)


def _plant_seeds(target: str, corpus: Path) -> None:
    """Writes the seeds; here, since the child must import everything instrumented."""
    from tests.fuzz.seeds import SEEDS  # noqa: PLC0415 - all that is fuzzed is imported with it

    corpus.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS[target]() if target in SEEDS else ()):
        (corpus / f"seed-{number}").write_bytes(seed)
    for kept in (HERE / "corpus" / target).glob("*"):
        (corpus / kept.name).write_bytes(kept.read_bytes())


def _minimise(target: str, corpus: Path) -> None:
    """Puts what is worth keeping of a corpus, and of what is kept already, into ``corpus/TARGET``."""
    from tests.fuzz.minimise import chosen  # noqa: PLC0415 - all that is fuzzed is imported with it
    from tests.fuzz.seeds import SEEDS  # noqa: PLC0415 - as above

    place = HERE / "corpus" / target
    place.mkdir(parents=True, exist_ok=True)
    inputs = [path.read_bytes() for folder in (corpus, place) for path in folder.glob("*")]
    kept = chosen(load_target(target), SEEDS[target](), inputs)
    for path in place.glob("*"):
        path.unlink()
    for data in kept:
        (place / hashlib.sha1(data, usedforsecurity=False).hexdigest()[:16]).write_bytes(data)
    print(f"{target}: {len(kept)} of {len(inputs)} inputs, {sum(map(len, kept)):,} bytes")


def _place_of_kernels(cache: Path) -> dict[str, str]:
    """Where ``./check`` compiled those with bounds checks, else a folder of their own."""
    from client.kernel_cache.cache import fingerprint  # noqa: PLC0415 - it imports much of what the child instruments

    return {"NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR") or str(cache / "kernels" / fingerprint())}


def _run_child(target: str, cache: Path) -> tuple[int, str]:
    """Fuzzes in a child with the same arguments; its exit code and what it said."""
    log, environment = cache / target / "log", os.environ | _place_of_kernels(cache)
    arguments = [target if argument == "all" else argument for argument in sys.argv[1:]]
    with log.open("w") as file:
        command = [sys.executable, "-m", "tests.fuzz", *arguments, "--inside"]
        code = subprocess.run(command, check=False, stdout=file, stderr=file, env=environment).returncode
    return code, log.read_text(errors="replace")


def _explain(target: str, said: str, findings: Path) -> None:
    lines = [line for line in said.splitlines() if not line.startswith(("INFO: Instrumenting", "#"))]
    print("\n".join(lines[-SHOWN_LINES:]))
    newest = max(findings.glob("*"), key=lambda path: path.stat().st_mtime, default=None)
    if newest is None:
        print("no input was kept: the target did not get as far as running one")
        return
    print(f"input:     {newest}\nreproduce: python -m tests.fuzz {target} --input {newest}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
