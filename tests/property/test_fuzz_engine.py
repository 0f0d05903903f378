"""What the fuzzer is for, it notices: faults planted in tiny targets fail the run, with an input that shows them."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("atheris", reason="atheris has no wheel for this Python or this machine", exc_type=ImportError)
ROOT = Path(__file__).parents[2]


def fuzz(target: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.fuzz", target, *options]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("kind", "code", "said"),
    [
        ("crash", 77, "KeyError: 'planted'"),
        ("hang", 70, "libFuzzer: timeout"),
        pytest.param("hoard", 77, "MiB of memory", marks=pytest.mark.nightly),
        pytest.param("overrun", 77, "IndexError", marks=pytest.mark.nightly),
    ],
)
def test_a_planted_fault_fails_the_run_and_its_input_is_kept(tmp_path: Path, kind: str, code: int, said: str) -> None:
    target = f"planted-{kind}"
    hang_s = 1 if kind == "hang" else 60  # the first input of another may have a kernel to compile
    ended = fuzz(target, "--seconds=60", f"--hang-seconds={hang_s}", "--seed=1", f"--into={tmp_path}")
    assert ended.returncode == code, ended.stdout + ended.stderr
    (kept,) = (tmp_path / "findings" / target).iterdir()
    assert said in ended.stdout
    assert f"python -m tests.fuzz {target} --input {kept}" in ended.stdout
    assert json.loads((tmp_path / "total.json").read_text())[target]["findings"] == 1
    if kind == "crash":
        again = fuzz(target, f"--input={kept}")
        assert again.returncode == 1
        assert said in again.stderr


def test_runs_without_a_finding_are_counted_together(tmp_path: Path) -> None:
    for _ in range(2):
        ended = fuzz("planted-nothing", "--seconds=60", "--count=200", f"--into={tmp_path}")
        assert ended.returncode == 0, ended.stdout + ended.stderr
    counted = json.loads((tmp_path / "total.json").read_text())["planted-nothing"]
    assert counted == {"executions": 400, "findings": 0}
    assert "400 executions, 0 findings" in fuzz("total", f"--into={tmp_path}").stdout


def test_nothing_that_guides_the_fuzzer_is_imported_before_it_is_instrumented() -> None:
    checked = "import tests.fuzz.__main__; from tests.fuzz.engine import check_imports; check_imports()"
    for first, code, said in (("pass", 0, ""), ("import net.raknet", 1, "imported before it is instrumented: net.")):
        ended = subprocess.run(
            [sys.executable, "-c", f"{first}; {checked}"], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert ended.returncode == code
        assert said in ended.stderr
