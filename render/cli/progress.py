"""Progress on stderr, for anything over a second.

Warm: Kernels ready before they are called: a progress line on the first start, nothing afterwards.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Tell = Callable[[float, str], None]
"""(share done 0..1, what is being done or waited for)."""


@contextmanager
def progress(title: str, quiet: bool = False) -> Iterator[Tell]:
    """A progress bar that is gone when the block ends; silent where stderr is no terminal or ``quiet``."""
    if quiet or not sys.stderr.isatty():
        yield lambda _share, _what: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[what]}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task(title, total=1.0, what="")
        yield lambda share, what: bars.update(task, completed=share, what=what)


@contextmanager
def steps(title: str) -> Iterator[Tell]:
    """A progress bar, or where stderr is no terminal a line a step: who waits minutes wants to know for what."""
    if not sys.stderr.isatty():
        yield lambda _share, what: print(f"{title}: {what}", file=sys.stderr, flush=True)
        return
    with progress(title) as tell:
        yield tell


def compile_kernels(quiet: bool = False) -> None:
    """Compiles what is missing in a child process, behind a progress line; returns at once when all is there."""
    from client.kernel_cache import WarmProgress, WarmUp, use_cache, use_compiled
    from client.kernel_cache.cache import ALL_PACKAGES

    use_cache()
    if use_compiled(ALL_PACKAGES):
        return
    warm_up = WarmUp(ALL_PACKAGES)
    try:
        with progress("compiling kernels (first start only)", quiet=quiet) as tell:

            def step(at: WarmProgress) -> None:
                tell(at.done / at.total, at.module)

            warm_up.wait(step)
    finally:
        warm_up.close()
