import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from client.errors import ConnectError
from client.kernel_cache import WarmProgress, WarmUp, cache, child, is_warm, kernel_modules, use_cache, use_compiled
from client.kernel_cache.compile import BACKWARDS, WITH_STDIN, in_order, leave_image
from net.kernels.place import IMAGE_VARIABLE


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package with two kernel modules, and a cache folder of its own."""
    root = tmp_path / "tinykernels"
    (root / "deep").mkdir(parents=True)
    for name in ("__init__.py", "deep/__init__.py", "plain.py", "sky_kernels.py", "deep/flood_kernels.py"):
        (root / name).write_text('"""Nothing."""\n')
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}:{Path(__file__).parents[4]}")
    monkeypatch.syspath_prepend(str(tmp_path))
    forget_files()
    return "tinykernels"


def forget_files() -> None:
    """Reads sources anew, as another process would."""
    for remembered in (cache._kernel_files, cache._sources, cache._roots, cache._read, cache._file_of):
        remembered.cache_clear()


def test_kernels_are_found_by_name_without_importing_them(package: str) -> None:
    assert kernel_modules([package]) == ("tinykernels.deep.flood_kernels", "tinykernels.sky_kernels")


def test_a_child_compiles_them_all_and_leaves_a_mark(package: str) -> None:
    assert not is_warm([package])
    seen: list[WarmProgress] = []
    warm_up = WarmUp([package])
    warm_up.wait(seen.append)
    warm_up.close()
    assert [(p.module, p.done, p.total) for p in seen] == [
        ("tinykernels.deep.flood_kernels", 1, 2),
        ("tinykernels.sky_kernels", 2, 2),
    ]
    assert warm_up.done
    assert is_warm([package])


def test_a_helper_goes_the_other_way_and_ends_with_the_child(
    package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """It leaves its own trace, since it says nothing."""
    trace = tmp_path / "trace"
    for name in ("sky_kernels.py", "deep/flood_kernels.py"):
        (tmp_path / package / name).write_text(
            f"import sys\nif {BACKWARDS!r} in sys.argv:\n    open({str(trace)!r}, 'a').write({name!r} + ' ')\n"
        )
    forget_files()
    monkeypatch.setattr("os.cpu_count", lambda: 2)
    warm_up = WarmUp([package])
    assert warm_up._helper is not None
    assert warm_up._helper.wait() == 0
    warm_up.wait()
    assert is_warm([package])
    warm_up.close()
    assert trace.read_text() == "sky_kernels.py deep/flood_kernels.py "
    monkeypatch.setattr("os.cpu_count", lambda: 1)
    alone = WarmUp([package])
    assert alone._helper is None
    alone.wait()
    alone.close()


def test_ctrl_c_does_not_reach_into_the_compiler(package: str, tmp_path: Path) -> None:
    """The terminal interrupts the child as well; who waits for it decides what that means."""
    interrupting = "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n"
    (tmp_path / package / "sky_kernels.py").write_text(interrupting)
    forget_files()
    warm_up = WarmUp([package])
    warm_up.wait()
    warm_up.close()
    assert is_warm([package])


def test_what_imports_much_is_compiled_first_and_by_the_child_alone() -> None:
    modules = [
        "client.light.a_kernels",
        "net.b_kernels",
        "render.scene.reach_kernels",
        "render.mesh.mesh_kernels",
    ]
    early = ["client.light.a_kernels", "net.b_kernels", "render.mesh.mesh_kernels"]
    assert in_order(modules, backwards=False) == ["render.scene.reach_kernels", *early]
    assert in_order(modules, backwards=True) == early[::-1]


def test_an_edit_makes_it_cold_again(package: str, tmp_path: Path) -> None:
    warm_up = WarmUp([package])
    warm_up.wait()
    warm_up.close()
    (tmp_path / package / "sky_kernels.py").write_text('"""Something else."""\n')
    forget_files()
    assert not is_warm([package])


def test_what_kernels_import_counts_as_part_of_them() -> None:
    """Numba looks at a kernel's own file only: it once went on checking against a limit that had been raised."""
    forget_files()
    sources = cache._sources(cache.ALL_PACKAGES)
    assert {"net.subchunk.decode_kernels", "net.subchunk.storage", "net.kernels.jit"} <= set(sources)
    assert {"client.light.simd", "render.mesh.mesh_kernels", "render.mesh.simd"} <= set(sources)
    before = cache.fingerprint(cache.ALL_PACKAGES)
    sources["net.subchunk.storage"] += b"PALETTE_LIMIT = 1"
    assert cache.fingerprint(cache.ALL_PACKAGES) != before
    forget_files()


def test_a_kernel_that_does_not_compile_is_one_sentence(package: str, tmp_path: Path) -> None:
    (tmp_path / package / "sky_kernels.py").write_text("raise RuntimeError('bad kernel')\n")
    warm_up = WarmUp([package])
    with pytest.raises(ConnectError, match="bad kernel"):
        warm_up.wait()
    warm_up.close()
    assert not is_warm([package])


def test_the_folder_is_named_by_version_compiler_and_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    directory = cache.cache_directory()
    assert directory.parent.name == "kernels"
    assert "numba" in directory.name
    assert directory.name.endswith(cache.fingerprint())


def test_an_image_serves_every_package_and_is_made_anew_where_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert not use_compiled(cache.ALL_PACKAGES)
    assert IMAGE_VARIABLE not in os.environ
    cache.mark_warm(cache.ALL_PACKAGES, with_image=False)
    assert use_compiled(cache.ALL_PACKAGES)
    assert use_compiled(cache.PACKAGES)
    assert IMAGE_VARIABLE not in os.environ
    cache.mark_warm(cache.ALL_PACKAGES, with_image=True)
    assert not use_compiled(cache.ALL_PACKAGES)
    cache.image_file().touch()
    assert use_compiled(cache.PACKAGES)
    assert os.environ[IMAGE_VARIABLE] == str(cache.image_file())


def test_kernels_of_some_packages_are_no_image_for_a_process_that_may_import_the_rest(package: str) -> None:
    """``connect`` compiles what net and client have; whoever calls it may draw afterwards."""
    warm_up = WarmUp([package])
    warm_up.wait()
    warm_up.close()
    assert is_warm([package])
    assert not cache.image_file().exists()


@pytest.mark.parametrize(
    ("module", "name", "value"),
    [(cache, "_processor", lambda: "another"), (cache, "_version", lambda _of: "2"), (cache.sys, "version", "3.99")],
    ids=["processor", "Numba and LLVM", "Python"],
)
def test_nothing_is_believed_of_another(
    module: object, name: str, value: object, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.use_cache()
    cache.mark_warm([package], with_image=False)
    image = cache.image_file()
    assert is_warm([package])
    monkeypatch.setattr(module, name, value)
    assert not is_warm([package])
    assert cache.image_file() != image


def test_what_numba_is_told_by_the_environment_counts(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    image = cache.image_file()
    monkeypatch.setenv("NUMBA_CPU_NAME", "generic")
    assert cache.image_file() != image


def test_where_no_folder_can_be_written_there_is_a_temporary_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a file").touch()
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "a file" / "kernels"))
    gone: list[Path] = []
    monkeypatch.setattr("atexit.register", lambda _remove, folder, **_how: gone.append(folder))
    made = use_cache()
    assert made.is_dir()
    assert gone == [made]
    assert cache.cache_directory() == made
    made.rmdir()


def test_an_image_that_another_process_wrote_meanwhile_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two that write, the later one sweeps away what the other has begun."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path))
    assert not leave_image([])  # no kernels, so none is written
    cache.image_file().touch()
    assert leave_image([])


@pytest.mark.parametrize("ask", [WarmUp.wait, WarmUp.poll])
def test_a_compiler_that_says_nothing_is_given_up(
    ask: Callable[[WarmUp], object], package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(child, "SILENT_S", 0.0)
    warm_up = WarmUp([package])
    with pytest.raises(ConnectError, match="sent nothing for"):
        ask(warm_up)
    warm_up.close()


def test_a_compiler_ends_with_whoever_started_it(package: str, tmp_path: Path) -> None:
    endless = '"""Takes longer to compile than anybody waits."""\nimport threading\n\nthreading.Event().wait(600.0)\n'
    (tmp_path / package / "sky_kernels.py").write_text(endless)
    command = [sys.executable, "-m", "client.kernel_cache.compile", WITH_STDIN, package]
    compiler = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    assert compiler.stdin is not None
    compiler.stdin.close()
    assert compiler.wait(60.0) == 1
    assert not is_warm([package])
