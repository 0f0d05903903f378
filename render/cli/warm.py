"""Kernels ready before they are called: a progress line on the first start, nothing afterwards."""

from typing import Final

PACKAGES: Final = ("net", "client", "render")
"""Packages that hold kernels."""
WITH_ORACLE: Final = (*PACKAGES, "render.capture.oracle")
"""The same for commands that follow rays through the world."""


def compile_kernels(quiet: bool = False, packages: tuple[str, ...] = PACKAGES) -> None:
    """Compiles what is missing in a child process, behind a progress line; returns at once when all is there."""
    from client.kernel_cache import WarmProgress, WarmUp, use_cache, use_compiled
    from render.cli.progress import progress

    use_cache()
    if use_compiled(packages):
        return
    warm_up = WarmUp(packages)
    try:
        with progress("compiling kernels (first start only)", quiet=quiet) as tell:

            def step(at: WarmProgress) -> None:
                tell(at.done / at.total, at.module)

            warm_up.wait(step)
    finally:
        warm_up.close()
