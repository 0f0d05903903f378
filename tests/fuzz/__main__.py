"""``python -m tests.fuzz TARGET --seconds N``: fuzzes one target, or all of them one after the other.

Prints libFuzzer's own lines, the number of executions last. A finding ends the run with code 77 and lies in
``findings/TARGET`` beside this file. New inputs that reached something new are kept under ``.cache/fuzz/TARGET``.
"""

import argparse
import subprocess
import sys
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
CORPUS = HERE.parents[1] / ".cache" / "fuzz"
NAMES = ("datagrams", "batches", "packets", "nbt", "subchunks", "recordings")
FUZZED = [
    *("net.raknet", "net.bedrock", "net.nbt", "net.wire", "net.transport.recording"),
    *("net.subchunk.named", "net.subchunk.biomes", "net.subchunk.entities", "net.subchunk.decode"),
]
"""Modules whose branches guide the fuzzer: all readers but kernels."""
LONGEST_BYTES = 1 << 14


def main() -> int:
    """Runs the chosen targets; the exit code of the first that failed."""
    parser = argparse.ArgumentParser("python -m tests.fuzz", description="Fuzzes readers of strangers' bytes.")
    parser.add_argument("target", choices=[*NAMES, "all"])
    parser.add_argument("--seconds", type=int, default=60, help="of each target")
    parser.add_argument("--seed", type=int, default=1, help="of the mutations")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.inside:
        return fuzz(chosen.target, chosen.seconds, chosen.seed)
    from tests.fuzz.seeds import SEEDS  # noqa: PLC0415 - the fuzzing process must import all of it instrumented

    for target in NAMES if chosen.target == "all" else [chosen.target]:
        corpus = CORPUS / target
        corpus.mkdir(parents=True, exist_ok=True)
        for number, seed in enumerate(SEEDS[target]()):
            (corpus / f"seed-{number}").write_bytes(seed)
        command = [sys.executable, "-m", "tests.fuzz", target, "--inside"]
        command += ["--seconds", str(chosen.seconds), "--seed", str(chosen.seed)]
        if code := subprocess.run(command, check=False).returncode:
            return code
    return 0


def fuzz(target: str, seconds: int, seed: int) -> int:
    """Fuzzes in this process, which libFuzzer ends."""
    import atheris  # noqa: PLC0415 - the parent needs none

    for kernels in sorted((HERE.parents[1] / "net" / "subchunk").glob("*_kernels.py")):
        import_module(f"net.subchunk.{kernels.stem}")  # before: Numba cannot compile instrumented bytecode
    with atheris.instrument_imports(include=FUZZED, enable_loader_override=False):
        from tests.fuzz.targets import TARGETS  # noqa: PLC0415 - here it is instrumented

    findings = HERE / "findings" / target
    findings.mkdir(parents=True, exist_ok=True)
    options = [
        f"-max_total_time={seconds}",
        f"-max_len={LONGEST_BYTES}",
        "-timeout=10",
        "-rss_limit_mb=2048",
        f"-seed={seed}",
        f"-artifact_prefix={findings}/",
        "-print_final_stats=1",
        str(CORPUS / target),
    ]
    atheris.Setup([sys.argv[0], *options], TARGETS[target])
    atheris.Fuzz()
    return 0


if __name__ == "__main__":
    sys.exit(main())
