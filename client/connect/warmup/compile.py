"""``python -m client.connect.warmup.compile [--backwards] PACKAGE...``: imports all kernel modules, one JSON line each.

Runs in a process of its own; see ``WarmUp``. Importing is compiling: kernels have explicit signatures. A helper goes
through them backwards: what one of the two compiled the other loads, so they meet in the middle.

Ctrl-C in a terminal reaches every process there; this one ignores it, since an exception inside Numba's compiler is a
crash, and whoever started it ends it.
"""

import gc
import json
import os
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Final

from client.connect.warmup.cache import (
    ALL_PACKAGES,
    groups,
    has_image,
    image_file,
    is_apart,
    kernel_modules,
    mark_warm,
    use_cache,
    use_compiled,
)
from net.kernels.place import APART_VARIABLE, IMAGE_VARIABLE

BACKWARDS: Final = "--backwards"
LATE: Final = ("render.capture.", "render.scene.")
"""Packages that import half of the program."""
COLLECT_AFTER: Final = (200_000, 20, 1000)
"""Objects until garbage is looked for: a fifth of the time goes into that otherwise (33.0 against 26.3 s of processor
time for all kernels; memory 460 MB, 720 with no collection at all)."""


def main(words: list[str]) -> None:
    """Compiles all and leaves the markers that say so; a helper leaves none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.set_threshold(*COLLECT_AFTER)
    use_cache()
    backwards = BACKWARDS in words
    packages = [word for word in words if word != BACKWARDS]
    if packages and all(map(is_apart, packages)):
        use_compiled(ALL_PACKAGES)  # all other kernels are there, and need no Numba
    else:
        os.environ.pop(IMAGE_VARIABLE, None)
    os.environ.pop(APART_VARIABLE, None)
    modules = in_order(kernel_modules(packages), backwards)
    for done, module in enumerate(modules, 1):
        start = time.perf_counter()
        import_module(module)
        seconds = round(time.perf_counter() - start, 3)
        line = json.dumps({"module": module, "done": done, "total": len(modules), "seconds": seconds})
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    for group in groups(packages) if not backwards else ():
        mark_warm(group, with_image=has_image(group) and leave_image(kernel_modules(group), group))


def leave_image(modules: Sequence[str], group: Sequence[str] = ALL_PACKAGES) -> bool:
    """Whether there is machine code of a group of ours; where there is not, a process loads each by itself."""
    from net.kernels.compiled import write_image_of  # noqa: PLC0415 - Numba and all; by now it is here
    from net.kernels.machine_code import BadImage  # noqa: PLC0415 - as above

    with suppress(BadImage, OSError):
        write_image_of(image_file(group), map(import_module, modules))
    return image_file(group).exists()  # it may be another process's, which wrote at the same time


def in_order(modules: Sequence[str], backwards: bool) -> list[str]:
    """The order to compile in: what imports half of the program comes last, and is not for helpers."""
    late = [name for name in modules if name.startswith(LATE)]
    early = [name for name in modules if name not in late]
    return early[::-1] if backwards else early + late


if __name__ == "__main__":
    main(sys.argv[1:])
