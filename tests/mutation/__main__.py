"""Plants defects in all scenes of a folder, and reports those in view that the comparison missed.

    python -m tests.mutation [DIR] [--only GLOB] [--seed N] [--defects N] [--jobs N] [--json FILE]
    python -m tests.mutation --program

Exit code 1, and a line each, where the comparison missed one that is in view, or told one that no ray meets. With
``--program`` the defects of ``tests.mutation.program`` are planted instead, one after the other; exit code 1 where the
pixels of a scene that should tell one are what was accepted.
"""

# ruff: noqa: T201 - a command line talks

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

from client.kernel_cache import compile_missing
from client.kernel_cache.cache import ALL_PACKAGES
from render.gpu import Gpu
from render.scene_tests.scene import SceneFile
from render.scene_tests.suite import open_suite
from render.scene_tests.worker import default_jobs
from tests.mutation.check import MUTATIONS, Crew, check_suite, told_check
from tests.mutation.program import check_program, defects

SCENES = Path(__file__).parents[1] / "golden" / "scenes"


def main(arguments: Sequence[str] | None = None) -> int:
    """All of it; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.mutation", description="Does the comparison see defects?")
    parser.add_argument("folder", type=Path, nargs="?", default=SCENES, help="of scenes (tests/golden/scenes)")
    parser.add_argument("--only", action="append", help="scenes whose name fits; repeatable")
    parser.add_argument("--seed", type=int, default=0, help="of all choices (0)")
    parser.add_argument("--defects", type=int, default=MUTATIONS, help=f"how many ({MUTATIONS})")
    parser.add_argument("--jobs", type=int, default=default_jobs(), help="processes (one per core)")
    parser.add_argument("--json", type=Path, help="where to write what was found")
    parser.add_argument("--program", action="store_true", help="defects of the program instead")
    asked = parser.parse_args(arguments)
    compile_missing(ALL_PACKAGES)
    suite = open_suite(asked.folder)
    if asked.program:
        return _plant_in_program({scene.name: scene for scene in suite.scenes})
    if asked.only:
        suite = suite.only(*asked.only)
    with Crew(asked.jobs) as crew:
        report = check_suite(
            suite.scenes,
            crew,
            asked.seed,
            asked.defects,
            lambda done, all_, name: print(f"{done}/{all_} {name}", file=sys.stderr),
        )
    if asked.json is not None:
        asked.json.write_text(json.dumps(report.as_json(), indent=1) + "\n", encoding="utf-8")
    print("\n".join([*told_check(report), *map(str, suite.bad)]))
    return 0 if report.passed and not suite.bad else 1


def _plant_in_program(scenes: Mapping[str, SceneFile]) -> int:
    gpu, missed = Gpu.standalone(), 0
    try:
        for found in check_program(defects(), scenes, gpu):
            print(found.words, flush=True)
            missed += bool(found.missed)
    finally:
        gpu.release()
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
