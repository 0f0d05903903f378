"""``import chunkscope``: what it offers is there, and every example runs."""

import doctest
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import chunkscope
import client
from client.connection.connection import Connection

ROOT = Path(__file__).parents[2]
OF_A_WORLD = ("blocks", "light", "biomes", "find", "ids", "ids_in", "request")


@pytest.fixture(scope="module")
def world() -> Iterator[Connection]:
    with chunkscope.connect("embedded:hills", radius=2) as world:
        assert world.wait_settled()
        yield world


def test_every_public_name_is_there_and_documented() -> None:
    assert chunkscope.__all__ == sorted(chunkscope.__all__)
    assert set(chunkscope.__all__) <= set(dir(chunkscope))
    assert [name for name in chunkscope.__all__ if not getattr(chunkscope, name).__doc__] == []
    assert chunkscope.connect is client.connect, "the older name goes on working"
    with pytest.raises(AttributeError, match="'chunkscope' has no attribute 'conect'"):
        _ = chunkscope.conect  # type: ignore[attr-defined]  # that is what is tested


def test_importing_it_loads_no_kernel_and_no_window() -> None:
    code = "import chunkscope, sys; print({'numba', 'moderngl', 'pyglet'} & {*sys.modules})"
    assert subprocess.check_output([sys.executable, "-c", code], cwd=ROOT, text=True) == "set()\n"


def examples() -> list[doctest.DocTest]:
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = finder.find(chunkscope) + finder.find(Connection, "Connection")
    return [test for test in found if test.examples]


def test_what_reads_a_world_has_an_example() -> None:
    named = {test.name for test in examples()}
    assert {"chunkscope", "chunkscope.why", *(f"Connection.{name}" for name in OF_A_WORLD)} <= named


@pytest.mark.parametrize("example", examples(), ids=lambda test: test.name)
def test_an_example_gives_what_it_shows(example: doctest.DocTest, world: Connection) -> None:
    example.globs = {"chunkscope": chunkscope, "np": np, "world": world}
    shown: list[str] = []
    failed, _ = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, out=shown.append)
    assert not failed, "".join(shown)


@pytest.mark.parametrize("page", ["README.md", "docs/howto/python.md"])
def test_the_python_of_a_page_prints_what_its_comments_show(
    page: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    code = "\n".join(re.findall(r"```python\n(.*?)```", (ROOT / page).read_text("utf-8"), re.DOTALL))
    exec(compile(code, page, "exec"), {"__name__": page})
    assert capsys.readouterr().out.splitlines() == re.findall(r"^ *print\(.*\)  # (.*)$", code, re.MULTILINE)
