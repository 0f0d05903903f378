"""From errors to exit codes and sentences: the last place where an exception is caught.

0 done · 1 a check failed · 2 wrong usage · 3 source absent, refusing, or of another version
4 the deadline passed · 5 no usable GL or display · 6 a file is missing, or cannot be read or written
"""

import errno
import os
import sys
import traceback
from collections.abc import Sequence
from typing import TYPE_CHECKING

from client.errors import INTERRUPTED

if TYPE_CHECKING:
    import typer

DEBUG = "--debug"
DISK_FULL = (errno.ENOSPC, errno.EDQUOT)


def reported(app: "typer.Typer", arguments: Sequence[str]) -> int:
    """Runs a command and returns its exit code; prints one sentence on stderr where it failed."""
    debug = DEBUG in arguments
    try:
        outcome = app([a for a in arguments if a != DEBUG], standalone_mode=False)
        code = outcome if isinstance(outcome, int) else 0
        return _say("Interrupted.", INTERRUPTED) if code == INTERRUPTED else code  # typer's word for Ctrl-C
    except KeyboardInterrupt:
        return _say("Interrupted.", INTERRUPTED)
    except BrokenPipeError:  # the reader of our output went away; nothing is left to say, not even at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception as error:
        if debug:
            traceback.print_exc()
        code, sentence = _judged(error)
        return _say(sentence, code)


def _judged(error: Exception) -> tuple[int, str]:
    name = type(error).__name__
    own = getattr(error, "exit_code", None)
    wording = getattr(error, "format_message", None)  # typer's own errors: wrong options and values
    code, sentence = 1, f"This is a bug in chunkscope: {name}: {error}. Please report it with the output of --debug."
    if name == "Exit":
        code, sentence = own or 0, ""
    elif name == "Abort":
        code, sentence = INTERRUPTED, "Interrupted."
    elif wording is not None:
        code, sentence = 2, f"{wording()} (see chunkscope --help)" if wording() else ""  # no words: help was shown
    elif isinstance(own, int):
        code, sentence = own, str(error)
    elif name in ("UnsupportedGpu", "NoDisplay"):
        code, sentence = 5, str(error)
    elif isinstance(error, FileNotFoundError) and error.filename:
        code, sentence = 6, f"{error.filename} does not exist."
    elif isinstance(error, OSError) and error.filename:
        code, sentence = 6, f"{error.filename}: {error.strerror}."
    elif isinstance(error, OSError) and error.errno in DISK_FULL:  # a write that fails names no file
        code, sentence = 6, f"A file could not be written: {error.strerror}."
    return code, sentence


def _say(sentence: str, code: int) -> int:
    if sentence:
        print(f"chunkscope: {sentence}", file=sys.stderr)  # the one place that speaks for all commands
    return code
