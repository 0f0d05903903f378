"""The only code that draws; see README.md beside this file. Here: where the console script begins.

Ctrl-C is one sentence from the first line on: commands say it themselves (``cli.failures``), but before them modules
are imported, and after them the interpreter ends.
"""

import gc
import os
import signal
import sys
from typing import Final

COLLECT_AFTER: Final = (200_000, 20, 100)
"""Objects until garbage is looked for: what is imported stays, and to look through it again and again costs a tenth of
a start."""


def main() -> None:
    """Runs the command line (``cli.main``). A process that is to ignore Ctrl-C goes on doing so."""
    gc.set_threshold(*COLLECT_AFTER)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    from render.cli import main as run  # noqa: PLC0415 - an eighth of a second

    try:
        if signal.getsignal(signal.SIGINT) is _end:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        run()
    except KeyboardInterrupt:
        _end()
    finally:
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, _end)
        gc.freeze()  # else the interpreter looks through all that it is about to leave: a tenth of a second


def _end(*_signal: object) -> None:
    """Nothing was begun, or all is done: there is nothing to undo. 130 is ``client.errors.INTERRUPTED``."""
    sys.stderr.write("chunkscope: Interrupted.\n")
    sys.stderr.flush()
    os._exit(130)
