"""Property tests: which examples they get, in runs of pytest of their own."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PROPERTIES = """
from hypothesis import given, settings, strategies as st
import {module}

@given(st.integers())
def test_many(number):
    print(number, file=open("drawn_many", "a"))

@settings(max_examples=7)
@given(st.integers())
def test_few(number):
    print(number, file=open("drawn_few", "a"))
"""
Drawn = tuple[list[str], list[str]]
Run = Callable[..., Drawn]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    def drawn(*options: str, module: str = "os", salt: int = 1) -> Drawn:
        """What both properties were given, where a module is imported, and strings' hashes have a salt."""
        (tmp_path / "numbers_of_its_own.py").write_text("\n".join(f"{n * n * 7919}" for n in range(200)))
        (tmp_path / "test_properties.py").write_text(PROPERTIES.format(module=module))
        files = tmp_path / "drawn_many", tmp_path / "drawn_few"
        for file in files:
            file.unlink(missing_ok=True)
        subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-p", "tests.conftest", "test_properties.py", *options],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": f"{ROOT}:{tmp_path}", "PYTHONHASHSEED": str(salt)},
            check=True,
            stdout=subprocess.DEVNULL,
        )
        many, few = (file.read_text().split() for file in files)
        return many, few

    return drawn


def test_repeatable_examples_are_the_same_whatever_was_imported(run: Run) -> None:
    repeatable = "--hypothesis-profile=repeatable"
    assert run(repeatable) == run(repeatable, module="numbers_of_its_own", salt=2)


def test_random_ones_are_not(run: Run) -> None:
    assert run()[0] != run()[0]


def test_a_factor_multiplies_what_a_test_asks_for_itself(run: Run) -> None:
    many, few = run("--examples=3", "--hypothesis-profile=repeatable")
    assert (len(many), len(few)) == (300, 21)
