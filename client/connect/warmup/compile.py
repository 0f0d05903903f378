"""``python -m client.connect.warmup.compile PACKAGE...``: imports every kernel module, one JSON line each.

Runs in a process of its own; see ``WarmUp``. Importing is compiling: kernels have explicit signatures.
"""

import json
import sys
import time
from importlib import import_module

from client.connect.warmup.cache import kernel_modules, marker, use_cache


def main(packages: list[str]) -> None:
    """Compiles all and leaves the marker that says so."""
    use_cache()
    modules = kernel_modules(packages)
    for done, module in enumerate(modules, 1):
        start = time.perf_counter()
        import_module(module)
        seconds = round(time.perf_counter() - start, 3)
        line = json.dumps({"module": module, "done": done, "total": len(modules), "seconds": seconds})
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    marker(packages).touch()


if __name__ == "__main__":
    main(sys.argv[1:])
