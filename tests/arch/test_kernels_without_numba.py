"""Modules with kernels import Numba only where they compile: a process that finds machine code shall not load it."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
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
