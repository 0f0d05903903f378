"""Ctrl-C at the console script, before and after a command: one sentence and 130, never a traceback.

Extras: The line that installs what is missing names this interpreter and a package of an index, so it works as typed.
"""

import os
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from client.errors import INTERRUPTED
from net.errors import install_line

# ---------------------------------------------------------------- interrupts

ROOT = Path(__file__).parents[3]
INTERRUPT = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
COMMAND = [sys.executable, "-c", "from render import main; main()"]


def ran(folder: Path, *words: str, before: str = "") -> tuple[int, str, str]:
    command = [*COMMAND[:2], before + COMMAND[2], *words]
    paths = os.pathsep.join([str(folder), str(ROOT)])
    done = subprocess.run(command, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_while_modules_are_imported(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text(INTERRUPT + "for _ in range(9):\n    pass\nraise AssertionError('too late')\n")
    assert ran(tmp_path, "ping") == (INTERRUPTED, "", "chunkscope: Interrupted.\n")


def test_while_the_interpreter_ends(tmp_path: Path) -> None:
    before = "import atexit, os, signal; atexit.register(os.kill, os.getpid(), signal.SIGINT); "
    code, said, complained = ran(tmp_path, "--help", before=before)
    assert "Usage" in said
    assert (code, complained) == (INTERRUPTED, "chunkscope: Interrupted.\n")


@pytest.mark.parametrize("when", ["import", "end"])
def test_not_where_it_is_to_be_ignored(when: str, tmp_path: Path) -> None:
    ignoring = (
        f"import atexit, os, signal; signal.signal(signal.SIGINT, signal.SIG_IGN); kill = os.kill; at = {when!r}; "
    )
    ignoring += (
        "kill(os.getpid(), signal.SIGINT) if at == 'import' else atexit.register(kill, os.getpid(), signal.SIGINT); "
    )
    code, said, complained = ran(tmp_path, "--help", before=ignoring)
    assert (code, complained) == (0, "")
    assert "Usage" in said


DROPPED = """
import os, signal
put = signal.signal
class Gone:
    def __del__(self):
        os.kill(os.getpid(), signal.SIGINT)
        list(range(9))
def putting(number, handler):
    before = put(number, handler)
    if handler is signal.default_int_handler:
        Gone()
    return before
signal.signal = putting
"""


def test_while_something_is_deleted_which_drops_what_is_raised(tmp_path: Path) -> None:
    assert ran(tmp_path, "--help", before=DROPPED) == (INTERRUPTED, "", "chunkscope: Interrupted.\n")


HEARD = """
import ctypes, os, signal, sys
def hear(*_signal):
    raise KeyboardInterrupt
def called_by_c():
    os.kill(os.getpid(), signal.SIGINT)
    list(range(9))
    return 0
signal.signal(signal.SIGINT, hear)
ctypes.CFUNCTYPE(ctypes.c_int)(called_by_c)()
sys.exit(7)
"""


def test_nothing_is_printed_where_c_drops_what_a_handler_raised_that_heard_it(tmp_path: Path) -> None:
    (tmp_path / "typer.py").write_text(HEARD)
    assert ran(tmp_path, "ping") == (7, "", "")


# ---------------------------------------------------------------- a reader that goes


def test_a_reader_that_has_read_enough_is_no_error() -> None:
    """As ``chunkscope packets FILE | head -1``."""
    command = [*COMMAND, "packets", str(ROOT / "tests/recordings/serenity-975.cscope")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT) as running:
        assert running.stdout is not None
        assert running.stderr is not None
        assert "RequestNetworkSettings" in running.stdout.readline()
        running.stdout.close()
        assert running.stderr.read() == ""
    assert running.returncode == 0


# ---------------------------------------------------------------- extras


def test_it_is_a_line_of_a_shell_that_names_the_interpreter_that_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/home/ann b/.venv/bin/python")
    assert shlex.split(install_line("matplotlib")) == [
        "/home/ann b/.venv/bin/python", "-m", "pip", "install", "matplotlib",
    ]  # fmt: skip


def test_every_package_that_a_sentence_names_is_one_of_our_extras() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    wanted = {line.partition(">")[0] for lines in extras.values() for line in lines}
    assert {"imageio-ffmpeg", "matplotlib", "flip-evaluator"} <= wanted
    assert not [path for path in ROOT.glob("render/**/*.py") if "install 'chunkscope[" in path.read_text("utf-8")]


def test_little_is_imported_before_interrupts_are_handled() -> None:
    """Ctrl-C meanwhile prints a traceback; ``-S``: without what an installation imports by itself."""
    code = f"import sys; sys.path.insert(0, {str(ROOT)!r}); import render; print('typing' in sys.modules)"
    done = subprocess.run([sys.executable, "-S", "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout == "False\n"
