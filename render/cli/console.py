"""What the command line writes on stderr: progress of anything over a second, and errors as one sentence each.

``compile_kernels``: kernels ready before they are called, with a progress line on the first start, nothing afterwards.

``starting``: that, then the servers of embedded sources; a command that joins imports and runs its report inside.

``reported``: from errors to exit codes and sentences, the last place where an exception is caught:

0 done · 1 a check failed · 2 wrong usage · 3 source absent, refusing, or of another version
4 the deadline passed · 5 no usable GL or display · 6 a file is missing, or cannot be read or written
"""

import errno
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from client.errors import INTERRUPTED

if TYPE_CHECKING:
    import typer

    from client.options import Options
    from client.source import Source

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
    """A progress bar on a terminal; elsewhere one line a step, so that logs show what takes minutes."""
    if not sys.stderr.isatty():
        yield lambda _share, what: print(f"{title}: {what}", file=sys.stderr, flush=True)
        return
    with progress(title) as tell:
        yield tell


def compile_kernels(quiet: bool = False) -> None:
    """Compiles what is missing in a child process, behind a progress bar, or one line where stderr is no terminal."""
    from client.kernel_cache import WarmProgress, WarmUp, use_cache, use_compiled
    from client.kernel_cache.cache import ALL_PACKAGES

    use_cache()
    if use_compiled(ALL_PACKAGES):
        return
    if not quiet and not sys.stderr.isatty():  # no bar is drawn there, and the wait is long
        print("chunkscope: compiling kernels. This takes about half a minute, once.", file=sys.stderr, flush=True)
    warm_up = WarmUp(ALL_PACKAGES)
    try:
        with progress("compiling kernels (first start only)", quiet=quiet) as tell:

            def step(at: WarmProgress) -> None:
                tell(at.done / at.total, at.module)

            warm_up.wait(step)
    finally:
        warm_up.close()


@contextmanager
def starting(title: str, *sources: "tuple[Source, Options]", quiet: bool = False) -> Iterator[Tell]:
    """``progress`` for a command that joins sources: kernels are ready, and our own servers start meanwhile.

    What the command needs is imported inside: that takes as long as a server takes to start.
    """
    compile_kernels(quiet=quiet)
    from client.embedded_server import start_ahead

    with ExitStack() as undo:
        for source, options in sources:
            undo.enter_context(start_ahead(source, options))
        yield undo.enter_context(progress(title, quiet=quiet))


# --------------------------------------------------------------------- failures

DEBUG = "--debug"
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)
NO_MEMORY = "There is not enough free memory. Close other programs, or draw less: a smaller --radius or --size"


def reported(app: "typer.Typer", arguments: Sequence[str]) -> int:
    """Runs a command and returns its exit code; prints one sentence on stderr where it failed."""
    debug = DEBUG in arguments
    try:
        outcome = app([a for a in arguments if a != DEBUG], standalone_mode=False)
        code = outcome if isinstance(outcome, int) else 0
        return _say("Interrupted.", INTERRUPTED) if code == INTERRUPTED else code  # typer's word for Ctrl-C
    except KeyboardInterrupt:
        return _say("Interrupted.", INTERRUPTED)
    except (BrokenPipeError, SystemExit) as error:  # typer makes an exit with code 1 of a broken pipe
        if not isinstance(error, BrokenPipeError) and not isinstance(error.__context__, BrokenPipeError):
            raise
        # The reader of our output has closed it: nothing can be written any more, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if debug:
            traceback.print_exc()
        code, sentence = _judged(error)
        return _say(sentence, code)


def _path_of(error: Exception) -> str:
    """The command whose options are wrong, as it is written."""
    context = getattr(error, "ctx", None)
    return "chunkscope" if context is None else str(context.command_path)


def _judged(error: Exception) -> tuple[int, str]:
    """The exit code, and the sentence; empty where nothing is left to say."""
    name, own = type(error).__name__, getattr(error, "exit_code", None)
    wording = getattr(error, "format_message", None)  # typer's own errors: wrong options and values
    file = error.filename if isinstance(error, OSError) else None
    if name == "Exit":
        found = own or 0, ""
    elif name == "Abort":
        found = INTERRUPTED, "Interrupted."
    elif wording is not None:  # no words: help was shown
        found = 2, f"{wording()} (see {_path_of(error)} --help)" if wording() else ""
    elif isinstance(own, int):
        found = own, str(error)
    elif name in ("UnsupportedGpu", "NoDisplay"):
        found = 5, str(error)
    elif file and isinstance(error, FileNotFoundError):
        found = 6, f"{file} does not exist."
    elif file and isinstance(error, OSError):
        found = 6, f"{file}: {error.strerror}."
    elif isinstance(error, OSError) and error.errno in DISK_FULL:  # a write that fails names no file
        found = 6, f"A file could not be written: {error.strerror}."
    elif isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM):
        found = 1, f"{NO_MEMORY}."
    elif isinstance(error, FileNotFoundError) and not file and not _has_folder():
        found = 6, "The current folder does not exist any more. Change to one that does."
    else:
        found = 1, f"This is a bug in chunkscope: {name}: {error}. Please report it with the output of --debug."
    return found


def _has_folder() -> bool:
    """Whether the current folder still exists."""
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _say(sentence: str, code: int) -> int:
    if sentence:
        print(f"chunkscope: {sentence}", file=sys.stderr)  # the one place that speaks for all commands
    return code
