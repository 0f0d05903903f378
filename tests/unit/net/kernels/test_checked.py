"""``CHUNKSCOPE_CHECKED=1``: an index beyond its array and a write beside one are found, and said where."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from net.kernels import place

ROOT = Path(__file__).parents[4]
SOURCE = (ROOT / "tests" / "support" / "data" / "planted_kernels.py").read_text().splitlines()


def said_of(statement: str) -> str:
    """What is said of the one line that holds a statement."""
    return f"planted_kernels.py:{1 + SOURCE.index(f'    {statement}')}: an index lies beyond axis 0"


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a process with planted kernels found."""
    command = [sys.executable, "-m", "tests.support.data.planted_kernels", str(tmp_path_factory.mktemp("planted"))]
    environment = os.environ | {place.CHECKED_VARIABLE: "1", place.IMAGE_VARIABLE: "", "PYTHONPATH": str(ROOT)}
    ended = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert ended.returncode == 0, ended.stderr
    said: dict[str, Any] = json.loads(ended.stdout)
    return said


@pytest.mark.parametrize("where", ["compiled", "image"])
def test_an_index_beyond_its_axis_ends_the_kernel_and_is_said_with_its_line(found: dict[str, Any], where: str) -> None:
    inside, beyond, negative, far = found[where][:4]
    assert inside == ""
    for said in (beyond, negative, far):
        assert said.startswith("IndexError: __main__.write_at: ")
        assert said_of("values[at] = 1") in said
    assert found[f"{where} written"] == [0, 0, 0, 1]  # numbers from the end are none


@pytest.mark.parametrize("where", ["compiled", "image"])
def test_a_row_and_an_item_of_it_are_both_looked_at(found: dict[str, Any], where: str) -> None:
    inside, row, item, negative = found[where][4:]
    assert inside == ""
    assert said_of("found = rows[row]") in row
    assert said_of("return found[at]") in item
    assert said_of("return found[at]") in negative


def test_a_kernel_that_writes_one_row_beyond_a_pool_is_found(found: dict[str, Any]) -> None:
    assert found["before"] == ""
    assert "of 40960 bytes" in found["row beyond"]
    assert "0 bytes beyond its end" in found["row beyond"]
    assert found["said once"] == ""


def test_damage_beside_an_array_that_grew_and_is_gone_is_found(found: dict[str, Any]) -> None:
    assert "of 73728 bytes" in found["row beyond one that is gone"]
    assert "0 bytes beyond its end" in found["row beyond one that is gone"]


def test_a_byte_before_an_array_is_found_and_what_nobody_wrote_is_not_zero(found: dict[str, Any]) -> None:
    assert "8 bytes before its first byte" in found["before the first byte"]
    assert found["unwritten"] == [0xA5] * 3


def test_machine_code_that_is_checked_lies_in_a_folder_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(place.CHECKED_VARIABLE, raising=False)
    assert place.folder_of_code("/kernels") == "/kernels"
    monkeypatch.setenv(place.CHECKED_VARIABLE, "0")
    assert place.folder_of_code("/kernels") == "/kernels"
    monkeypatch.setenv(place.CHECKED_VARIABLE, "1")
    inside = place.folder_of_code("/kernels")
    assert inside == os.path.join("/kernels", "checked")
    assert place.folder_of_code(inside) == inside


@pytest.mark.parametrize("where", ["a.nbytes", "-1", "gone"])
def test_who_touches_a_page_beside_an_array_dies(where: str) -> None:
    words = [
        "import ctypes, numpy as np",
        "from net.kernels.checked import guard_memory",
        "guard_memory()",
        "a = np.zeros(3 * 4096, np.uint8)",
        "a[:] = 1",
        "assert np.sort(np.concatenate([a, a[:100]])).sum() == 3 * 4096 + 100",
        "at = a.ctypes.data",
        "print('begun', flush=True)",
        "del a" if where == "gone" else f"at += {where}",
        "ctypes.memset(at, 7, 1)",
        "print('never', flush=True)",
    ]
    environment = os.environ | {place.CHECKED_VARIABLE: "pages", place.IMAGE_VARIABLE: "", "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-c", "\n".join(words)]
    ended = subprocess.run(command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=300, check=False)
    assert (ended.returncode, ended.stdout) == (-signal.SIGSEGV, "begun\n"), ended.stderr
