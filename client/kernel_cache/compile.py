"""``python -m client.kernel_cache.compile [--backwards] [--with-stdin] PACKAGE...``: compiles all kernel modules.

It prints one JSON line a module. Runs in a process of its own; see ``WarmUp``. Kernels have explicit signatures; each
is compiled on import of its module and ``compiled()``. A helper goes through them in reverse order: each of the two
processes reads the other's kernels from Numba's cache, so they meet in the middle.

Ctrl-C in a terminal reaches every process there; this one ignores it, since an exception inside Numba's compiler is a
crash. The process that started it ends it.
"""

import gc
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Final

from client.kernel_cache.cache import ALL_PACKAGES, image_file, kernel_modules, mark_warm, use_cache
from net.kernels.place import IMAGE_VARIABLE, LATER_VARIABLE

BACKWARDS: Final = "--backwards"
WITH_STDIN: Final = "--with-stdin"
"""With this it ends when its stdin closes, however the parent process ended."""
ALONE: Final = ("render.bench.", "render.scene.")
"""Packages that import half of the program: only one of the two processes compiles them."""


def main(words: list[str]) -> None:
    """Compiles all and writes the marker; a helper writes none."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    gc.disable()  # saves 0.7 of 11 s of processor time, for 90 MB
    use_cache()
    backwards = BACKWARDS in words
    if WITH_STDIN in words:
        threading.Thread(target=_end_with_stdin, name="stdin", daemon=True).start()
    packages = [word for word in words if word not in (BACKWARDS, WITH_STDIN)]
    os.environ.pop(IMAGE_VARIABLE, None)
    os.environ[LATER_VARIABLE] = "1"
    modules = in_order(kernel_modules(packages), backwards)
    for done, module in enumerate(modules, 1):
        start = time.perf_counter()
        compile_module(module, backwards)
        seconds = round(time.perf_counter() - start, 3)
        line = json.dumps({"module": module, "done": done, "total": len(modules), "seconds": seconds})
        sys.stdout.write(line + "\n")
        sys.stdout.flush()
    if not backwards:
        mark_warm(packages, with_image=set(packages) >= set(ALL_PACKAGES) and leave_image(modules))


def _end_with_stdin() -> None:
    """Ends this process when the parent's end of the pipe is closed."""
    with suppress(OSError, ValueError):
        while os.read(sys.stdin.fileno(), 4096):
            pass
    os._exit(1)


def compile_module(name: str, backwards: bool = False) -> None:
    module = import_module(name)
    if "net.kernels.jit" in sys.modules:
        from net.kernels.compiled import kernels_of  # noqa: PLC0415 - Numba and all; by now it is here

        kernels = list(kernels_of(module).values())
        for kernel in kernels[::-1] if backwards else kernels:
            kernel.compiled()


def leave_image(modules: Sequence[str]) -> bool:
    """Writes the machine code of all our kernels (else each is loaded alone); returns whether there is a file."""
    from net.kernels.compiled import write_image_of  # noqa: PLC0415 - Numba and all; by now it is here
    from net.kernels.image import BadImage  # noqa: PLC0415 - as above

    with suppress(BadImage, OSError):
        write_image_of(image_file(), map(import_module, modules))
    return image_file().exists()  # it may be of another process that wrote at the same time


def in_order(modules: Sequence[str], backwards: bool) -> list[str]:
    """The order to compile in: modules of ``ALONE`` come first; a helper skips them."""
    alone = [name for name in modules if name.startswith(ALONE)]
    shared = [name for name in modules if name not in alone]
    return shared[::-1] if backwards else alone + shared


if __name__ == "__main__":
    main(sys.argv[1:])
