"""What makes no progress ends as a failure, with stacks: a test by pytest's own limit, a stage by what it says."""

import io
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.data import guarded

LONGEST_TEST_S = 300.0
HANGS = "import threading\ndef test_waits(): threading.Event().wait()\n"
HANGING = "import threading; print('begun', flush=True); threading.Event().wait()"

CHECK = Path(__file__).parents[2] / "check"


def test_every_run_of_pytest_in_a_check_is_guarded_but_the_search() -> None:
    """The search has a limit for each test: with many examples it may print nothing for an hour."""
    lines = [line.strip() for line in CHECK.read_text("utf-8").splitlines() if not line.lstrip().startswith("#")]
    runs = [line for line in lines if re.search(r"(^|[ \"])(-m )?pytest ", line) and '"${search[@]}"' not in line]
    assert len(runs) >= 8
    assert [line for line in runs if not re.search(r'(^| )(guarded|"\$\{GUARD\[@\]\}") ', line)] == []


def test_no_test_may_take_longer_than_five_minutes(pytestconfig: pytest.Config) -> None:
    assert float(pytestconfig.getini("faulthandler_timeout")) == LONGEST_TEST_S
    assert pytestconfig.getini("faulthandler_exit_on_timeout")


def test_a_test_that_hangs_fails_with_its_stacks(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\nfaulthandler_timeout = 1\nfaulthandler_exit_on_timeout = true\n")
    (tmp_path / "test_planted.py").write_text(HANGS)
    own = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "1", "-p", "no:cacheprovider", str(tmp_path)]
    done = subprocess.run(command, cwd=tmp_path, env=own, capture_output=True, text=True, check=False)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "crashed while running 'test_planted.py::test_waits'" in done.stdout
    assert "Timeout (0:00:01)!" in done.stderr
    assert "most recent call first" in done.stderr


def test_a_stage_that_falls_silent_fails_with_its_stacks() -> None:
    out = io.BytesIO()

    def ready(file: int, within_s: float) -> bool:
        """Time passes only once it hangs, and its last words are waited for."""
        hangs = b"begun" in out.getvalue() and b"Its stacks" not in out.getvalue()
        return not hangs and guarded.ready(file, within_s)

    code = guarded.run([sys.executable, "-c", HANGING], 300.0, out, ready)
    said = out.getvalue().decode()
    assert code == guarded.GIVEN_UP
    assert "Nothing was printed for 300 s" in said
    assert 'File "<string>", line 1 in <module>' in said.partition("Its stacks:")[2]


def test_a_stage_that_is_told_to_end_ends_what_it_runs() -> None:
    command = [sys.executable, "-m", "tests.support.data.guarded", "300", sys.executable, "-c", HANGING]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=Path(__file__).parents[2]) as stage:
        assert stage.stdout is not None
        assert stage.stdout.readline() == b"begun\n"
        stage.terminate()
        assert stage.wait(LONGEST_TEST_S) == 128 + signal.SIGTERM
        assert stage.stdout.read() == b"", "its end: nobody can say anything any more"


@pytest.mark.parametrize("code", [0, 3])
def test_a_stage_that_ends_keeps_its_code_and_words(code: int) -> None:
    out = io.BytesIO()
    command = [sys.executable, "-c", f"import sys; print('a'); print('b', file=sys.stderr); sys.exit({code})"]
    assert guarded.run(command, 300.0, out) == code
    assert sorted(out.getvalue().decode().split()) == ["a", "b"]


def test_a_process_that_outlives_its_stage_is_ended_with_it() -> None:
    out = io.BytesIO()
    orphan = f"import subprocess, sys; subprocess.Popen([sys.executable, '-c', {HANGING!r}])"

    def ready(file: int, within_s: float) -> bool:
        return b"begun" not in out.getvalue() and guarded.ready(file, within_s)

    assert guarded.run([sys.executable, "-c", orphan], 300.0, out, ready) == guarded.GIVEN_UP
