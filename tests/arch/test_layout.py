"""Rules of the layout that no other tool checks.

Modules with kernels import Numba only where they compile: a process that finds machine code shall not load it.
"""

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("assets", "client", "net", "render", "shaders")
MODULE = "chunkscope.py"
"""What users import."""
TOP_LEVEL = {*PACKAGES, MODULE, "tests", "docs", "pyproject.toml", "LICENSE", "run", "check", ".ci"} | {
    f"{page}.md" for page in ("README", "CHANGELOG", "CONTRIBUTING")
}


def _tracked() -> list[str]:
    done = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode:
        pytest.skip("not a git checkout")
    return done.stdout.splitlines()


def _modules() -> list[Path]:
    return [ROOT / MODULE, *(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))]


def test_nothing_new_stands_at_the_top_level() -> None:
    tops = {name.split("/")[0] for name in _tracked()}
    assert {t for t in tops if not t.startswith(".git")} <= TOP_LEVEL


def test_a_silenced_check_says_why() -> None:
    silenced = re.compile(r"# (?:noqa|type: ignore)\b(?!(?:: [A-Z0-9, ]++|\[[a-z, -]++\]) *+(?<= )[-#] ?\S)")
    bare = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in _modules()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if silenced.search(line)
    ]
    assert not bare


def test_a_module_of_kernels_says_which_indices_come_from_outside_and_who_checked_them() -> None:
    silent = [
        path.relative_to(ROOT).as_posix()
        for path in _modules()
        if re.search(r"^@(?:kernel\b|inner$)", source := path.read_text(encoding="utf-8"), re.MULTILINE)
        and "Indices." not in (ast.get_docstring(ast.parse(source)) or "")
    ]
    assert not silent


def test_only_where_check_looks_for_them_are_tests_with_a_gl_context() -> None:
    """``./check tests`` collects no others in that stage; benchmarks have a stage of their own."""
    said = re.search(r"set -- ([\w/ ]+) # no others have one", (ROOT / "check").read_text(encoding="utf-8"))
    assert said is not None
    marked = re.compile(r"\bmark\.(?:gpu|golden)\b")
    found = [name for name in _tracked() if name.startswith("tests/") and name.endswith(".py")]
    found = [name for name in found if marked.search((ROOT / name).read_text(encoding="utf-8"))]
    assert found
    assert not [name for name in found if not name.startswith((*said[1].split(), "tests/bench/"))]


def test_every_package_is_typed_and_shipped() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert tuple(project["project"]["import-names"]) == ("chunkscope", *PACKAGES)
    assert tuple(project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]) == (*PACKAGES, MODULE)
    assert project["tool"]["check-wheel-contents"]["toplevel"] == [MODULE, *PACKAGES]
    assert all((ROOT / package / "py.typed").exists() for package in PACKAGES)


def test_no_package_imports_what_users_import() -> None:
    """import-linter knows packages alone."""
    found = [
        path.relative_to(ROOT).as_posix()
        for path in _modules()
        if path.name != MODULE and re.search(r"^\s*(?:from|import) chunkscope\b", path.read_text("utf-8"), re.MULTILINE)
    ]
    assert not found


def test_no_clock_socket_thread_or_chance_outside_the_rooms_that_own_them() -> None:
    """Core code takes ``now`` and an entropy function (architecture: rules of time)."""
    forbidden = {"socket", "select", "selectors", "threading", "time", "random", "asyncio"}
    owners = (
        "net/transport/",
        "net/storage/",
        "net/server/__main__.py",
        "net/server/mods.py",  # mods run in a thread of their own
        "client/connection/",
        "client/recording/",
        "client/report/",
        "client/kernel_cache/",
        "client/embedded_server.py",
        "client/lan.py",
        "client/background_task.py",
        "render/jobs/",
    )
    found = []
    for path in [*(ROOT / "net").rglob("*.py"), *(ROOT / "client").rglob("*.py")]:
        name = path.relative_to(ROOT).as_posix()
        if name.startswith(owners):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            modules = (
                [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            found += [f"{name} imports {m}" for m in modules if m.split(".")[0] in forbidden]
    assert not found


# --------------------------------------------------------------------- test kernels without numba

COMPILERS = {f"net/kernels/{name}.py" for name in ("jit", "checked", "compiled", "pipeline")}
MODULES = sorted(
    str(path.relative_to(ROOT))
    for package in ("net", "client", "render")
    for path in (ROOT / package).rglob("*.py")
    if "numba" in path.read_text(encoding="utf-8")
)


@pytest.mark.parametrize("module", [name for name in MODULES if name not in COMPILERS])
def test_numba_is_not_imported_at_the_head_of_a_module(module: str) -> None:
    for statement in ast.parse((ROOT / module).read_text(encoding="utf-8")).body:
        names = []
        if isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        elif isinstance(statement, ast.ImportFrom):
            names = [statement.module or ""]
        assert not any(name.split(".")[0] == "numba" for name in names), "take casts from net.kernels.jit"


def loaded_of(names: set[str], code: str) -> str:
    """Which modules of these are loaded after the code has run in another process."""
    shown = f"{code}; import sys; print(*sorted({names} & set(sys.modules)))"
    return subprocess.run(
        [sys.executable, "-c", shown], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.strip()


def test_a_command_line_is_read_without_numpy_and_packets() -> None:
    """They take almost half of the time until the child process of our server is started."""
    code = "import client.options, render.draw_options, client.embedded_server"
    assert loaded_of({"numpy", "net.bedrock"}, code) == ""


def test_a_window_opens_before_anything_that_draws_or_joins_is_loaded() -> None:
    """NumPy and what reads image files are a quarter of the time until the first frame."""
    code = "import render.cli.view, render.viewer.window.startup"
    assert loaded_of({"numpy", "moderngl", "PIL", "net.bedrock"}, code) == ""
