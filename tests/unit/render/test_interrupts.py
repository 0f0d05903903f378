"""Ctrl-C at the console script, before and after a command: one sentence and 130, never a traceback."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from client.errors import INTERRUPTED

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
