"""Where compiled kernels lie, and whether they are all there. Cheap: imports no Numba and no kernel.

The folder is ``<user cache>/chunkscope/kernels/<version>-numba<version>-<processor>``. When all kernel modules were
compiled, a file ``warm-<fingerprint>`` is written there; the fingerprint covers name, size and time of every kernel
source, which is what Numba's index goes by, so an edit makes the cache cold again.
"""

import hashlib
import os
import platform
import sys
from collections.abc import Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import platformdirs

PACKAGES: Final = ("net", "client")
"""Where kernels are looked for; whoever draws adds its own package."""


def cache_directory() -> Path:
    """The folder of this version, this Numba and this processor; not created here."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return Path(given)
    name = f"{_version('chunkscope')}-numba{_version('numba')}-{_processor()}"
    return Path(platformdirs.user_cache_dir("chunkscope", appauthor=False)) / "kernels" / name


def use_cache() -> Path:
    """Makes this process and its children keep compiled kernels in ``cache_directory``.

    Call it before the first kernel module is imported; a ``NUMBA_CACHE_DIR`` that the user set is respected.
    """
    directory = cache_directory()
    directory.mkdir(parents=True, exist_ok=True)
    os.environ["NUMBA_CACHE_DIR"] = str(directory)
    numba = sys.modules.get("numba")
    if numba is not None:  # it has read the environment already
        numba.config.CACHE_DIR = str(directory)
    return directory


def kernel_modules(packages: Sequence[str] = PACKAGES) -> tuple[str, ...]:
    """Names of all modules that hold kernels: ``*_kernels.py``, and all in a folder ``kernels``."""
    return tuple(name for name, _ in _kernel_files(tuple(packages)))


def is_warm(packages: Sequence[str] = PACKAGES) -> bool:
    """Whether every kernel of these packages was compiled by this version on this machine."""
    return marker(packages).exists()


def marker(packages: Sequence[str] = PACKAGES) -> Path:
    """The file that says so."""
    digest = hashlib.sha256()
    for name, path in _kernel_files(tuple(packages)):
        status = path.stat()
        digest.update(f"{name} {status.st_size} {status.st_mtime_ns}\n".encode())
    return cache_directory() / f"warm-{digest.hexdigest()[:16]}"


@cache
def _kernel_files(packages: tuple[str, ...]) -> tuple[tuple[str, Path], ...]:
    found = []
    for package in packages:
        spec = find_spec(package)
        for root in map(Path, (spec.submodule_search_locations or []) if spec else []):
            for path in root.rglob("*.py"):
                if path.stem.endswith("_kernels") or (path.parent.name == "kernels" and path.stem != "__init__"):
                    relative = path.relative_to(root).with_suffix("")
                    found.append((".".join((package, *relative.parts)), path))
    return tuple(sorted(found))


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "unknown"


@cache
def _processor() -> str:
    """A short name of this kind of processor: code compiled for one may use what another lacks."""
    described = f"{platform.machine()} {platform.processor()}"
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        lines = cpuinfo.read_text(errors="replace").splitlines()
        described += " ".join(sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))}))
    return f"{platform.machine() or 'cpu'}-{hashlib.sha256(described.encode()).hexdigest()[:8]}"
