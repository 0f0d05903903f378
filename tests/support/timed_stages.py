"""Stages of the bench pipeline, timed a round for each line read: ``python -m tests.support.timed_stages COLUMNS``."""

import json
import sys
from time import process_time

from tests.support.bench_pipeline import BenchPipeline, Workers


def main() -> None:
    pipeline, workers = BenchPipeline(int(sys.argv[1])), Workers(1)
    stages = {
        "decode": pipeline.decode_and_masks,
        "connectivity": pipeline.connectivity,
        "light": pipeline.relight,
        "mesh": pipeline.mesh,
    }
    for run in stages.values():
        run(workers)
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    for _line in sys.stdin:
        taken_s = {}
        for name, run in stages.items():
            before_s = process_time()
            run(workers)
            taken_s[name] = process_time() - before_s
        sys.stdout.write(json.dumps(taken_s) + "\n")
        sys.stdout.flush()
    workers.close()


if __name__ == "__main__":
    main()
