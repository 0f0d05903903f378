"""Progress on stderr, for anything over a second."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Tell = Callable[[float, str], None]
"""(share done 0..1, what is being done or waited for)."""


@contextmanager
def progress(title: str, quiet: bool = False) -> Iterator[Tell]:
    """A progress bar that is gone when the block ends; silent where stderr is no terminal or ``quiet``."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    console = Console(stderr=True)
    if quiet or not console.is_terminal:
        yield lambda _share, _what: None
        return
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
