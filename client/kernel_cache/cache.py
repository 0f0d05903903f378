"""Finds the folder of compiled kernels, and whether all are compiled. Cheap: imports no Numba and no kernel.

The folder is ``<user cache>/chunkscope/kernels/<version>-numba<version>-<processor>-<fingerprint>``, or what the user
sets with ``NUMBA_CACHE_DIR``. When all kernel modules of some packages were compiled, a file ``warm-<key>`` is written
there; when all of ours were, the machine code is written before that as ``image-<key>``. Keys cover the fingerprint,
Numba, LLVM, Python, the processor and Numba's environment variables.

A fingerprint covers the kernel modules and all modules of ours that they import, directly or not: Numba itself checks
only the file of a kernel, and would use code with outdated constants and inner functions of other modules.
"""

import hashlib
import os
import platform
import re
import sys
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import platformdirs

from net.kernels.place import IMAGE_VARIABLE, folder_of_code

PACKAGES: Final = ("net", "client")  # packages searched for kernels; callers that draw add their own package
ALL_PACKAGES: Final = (*PACKAGES, "render")  # all packages with kernels; one folder serves them all
WITH_IMAGE: Final = "image"  # content of a marker for which an image was written

_KERNELS: Final = "_kernels.py"
_OURS: Final = "|".join(ALL_PACKAGES)
_IMPORT: Final = re.compile(rf"\n *(?:from|import) ((?:{_OURS})[\w.]*)(?: import ([\w, ]+))?")
"""Begins with a line end, which is found three times as fast as ``^``."""


def cache_directory() -> Path:
    """The folder for this version, this Numba and this processor; not created here."""
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return Path(folder_of_code(given))
    name = f"{_version('chunkscope')}-numba{_version('numba')}-{_processor()}-{fingerprint()}"
    folder = Path(platformdirs.user_cache_dir("chunkscope", appauthor=False)) / "kernels" / name
    return Path(folder_of_code(str(folder)))


def use_cache() -> Path:
    """Makes this process and its children keep compiled kernels in ``cache_directory``.

    Call it before the first kernel module is imported. If the folder cannot be written and is not complete, a new
    temporary folder is used, which is removed with this process.
    """
    directory = cache_directory()
    if not (_is_writable(directory) or is_warm(ALL_PACKAGES)):
        directory = _passing()
    os.environ["NUMBA_CACHE_DIR"] = str(directory)
    numba = sys.modules.get("numba")
    if numba is not None:  # it has read the environment already
        numba.config.CACHE_DIR = str(directory)
    return directory


def kernel_modules(packages: Sequence[str] = PACKAGES) -> tuple[str, ...]:
    """Names of all kernel modules: ``*_kernels.py``."""
    return tuple(name for name, _ in _kernel_files(tuple(packages)))


def is_warm(packages: Sequence[str] = PACKAGES) -> bool:
    """Whether every kernel of these packages was compiled by this version on this machine."""
    return _is_marked(packages) or (set(packages) < set(ALL_PACKAGES) and _is_marked(ALL_PACKAGES))


def mark_warm(packages: Sequence[str], with_image: bool) -> None:
    """Marks the packages as compiled; a missing image is written again later. Raises OSError: it cannot be written."""
    _marker(packages).write_text(WITH_IMAGE if with_image else "")


def use_compiled(packages: Sequence[str] = PACKAGES) -> bool:
    """Whether every kernel is compiled; if so, this process and its children load them from one file, without Numba.

    Call it before the first kernel module is imported.
    """
    os.environ.pop(IMAGE_VARIABLE, None)
    if (file := image_file()).exists():
        os.environ[IMAGE_VARIABLE] = str(file)
    return is_warm(packages)


def image_file() -> Path:
    """The file that holds the machine code of all our kernels (``net.kernels.image``)."""
    return cache_directory() / f"image-{_key(ALL_PACKAGES)}"


def _is_marked(packages: Sequence[str]) -> bool:
    try:
        said = _marker(packages).read_text()
    except OSError:
        return False
    return said != WITH_IMAGE or image_file().exists()


def _marker(packages: Sequence[str]) -> Path:
    return cache_directory() / f"warm-{_key(packages)}"


def _key(packages: Sequence[str]) -> str:
    """16 hexadecimal digits of everything that affects the machine code of these packages' kernels."""
    told = sorted(item for item in os.environ.items() if item[0].startswith("NUMBA_") and item[0] != "NUMBA_CACHE_DIR")
    made_by = f"{_version('numba')} {_version('llvmlite')} {_processor()} {sys.version} {told}"
    return hashlib.sha256(f"{fingerprint(packages)} {made_by}".encode()).hexdigest()[:16]


def _is_writable(directory: Path) -> bool:
    """Whether files can be written there; creates the folder if possible."""
    trial = directory / f"trial-{os.getpid()}"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        trial.touch()
        trial.unlink()
    except OSError:
        return False
    return True


def _passing() -> Path:
    import atexit  # noqa: PLC0415 - rarely needed
    import shutil  # noqa: PLC0415 - as above
    import tempfile  # noqa: PLC0415 - as above

    directory = Path(tempfile.mkdtemp(prefix="chunkscope-kernels-"))
    atexit.register(shutil.rmtree, directory, ignore_errors=True)
    return directory


def fingerprint(packages: Sequence[str] = ()) -> str:
    """16 hexadecimal digits of the sources that affect these packages' kernels; of all of ours by default."""
    digest = hashlib.sha256()
    for name, text in sorted(_sources(tuple(packages) or ALL_PACKAGES).items()):
        digest.update(f"{name} {len(text)}\n".encode() + text)
    return digest.hexdigest()[:16]


@cache
def _sources(packages: tuple[str, ...]) -> dict[str, bytes]:
    """Contents by name of the kernel modules and of our modules that they import."""
    found: dict[str, bytes] = {}
    waiting = dict(_kernel_files(packages))
    while waiting:
        name, path = waiting.popitem()
        found[name], names = _read(path)
        for imported in names:
            if imported not in found and (file := _file_of(imported)) is not None:
                waiting[imported] = file
    return found


@cache
def _read(path: str) -> tuple[bytes, tuple[str, ...]]:
    """The content of a file, and all names in it that may be modules of ours."""
    held = Path(path).read_bytes()
    pairs = _IMPORT.findall(f"\n{held.decode()}")
    inside = (f"{module}.{one.split()[0]}" for module, names in pairs for one in names.split(",") if one.strip())
    return held, (*(module for module, _ in pairs), *inside)


@cache
def _file_of(name: str) -> str | None:
    """The file of a module of ours, without importing it."""
    package, *parts = name.split(".")
    for root in _roots(package):
        path = os.path.join(root, *parts)  # there are a thousand; a Path costs ten times as much
        for file in (f"{path}.py", f"{path}/__init__.py"):
            if os.path.isfile(file):
                return file
    return None


@cache
def _roots(package: str) -> tuple[str, ...]:
    spec = find_spec(package)
    return tuple(spec.submodule_search_locations or []) if spec else ()


@cache
def _kernel_files(packages: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    """Names and files of the kernel modules."""
    found = []
    for package in packages:
        for root in _roots(package):
            for folder, _, files in os.walk(root):
                within = ".".join((package, *folder[len(root) :].split(os.sep)[1:]))
                names = [file for file in files if file.endswith(_KERNELS)]
                found += [(f"{within}.{name.removesuffix('.py')}", os.path.join(folder, name)) for name in names]
    return tuple(sorted(found))


@cache
def _version(distribution: str) -> str:
    """A version from the name of its dist-info folder, if there is one: ``importlib.metadata`` is slow."""
    for place in sys.path:
        found = [path.name for path in Path(place).glob(f"{distribution}-*.dist-info")]
        if len(found) == 1:
            return found[0].removesuffix(".dist-info").split("-", 1)[1]
    from importlib.metadata import PackageNotFoundError, version  # noqa: PLC0415 - see above

    try:
        return version(distribution)
    except PackageNotFoundError:
        return "unknown"


@cache
def _processor() -> str:
    """A short name of this kind of processor: code compiled for one may use instructions that another lacks."""
    described = f"{platform.machine()} "
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():  # more precise than ``platform.processor``, which starts a process here
        lines = cpuinfo.read_text(errors="replace").splitlines()
        described += " ".join(sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))}))
    else:
        from llvmlite import binding  # noqa: PLC0415 - it asks the processor, for 0.04 s

        described += f"{platform.processor()}{binding.get_host_cpu_name()} {binding.get_host_cpu_features().flatten()}"
    return f"{platform.machine() or 'cpu'}-{hashlib.sha256(described.encode()).hexdigest()[:8]}"
