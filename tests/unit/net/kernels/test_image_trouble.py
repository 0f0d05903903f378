"""Whatever becomes of the file with all kernels, a process has kernels: those, or Numba's."""

import json
import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from net.kernels import call, compiled, jit
from net.kernels.image import MAGIC, BadImage, write_image
from net.kernels.place import IMAGE_VARIABLE

MODULE = """
from net.kernels.jit import inner, kernel

@inner
def _doubled(value):
    return value * 2

@kernel("int64(int64)")
def twice(value):
    return _doubled(value)
"""
ASKING = """
import sys
import somekernels
print(somekernels.twice(21), "numba" in sys.modules)
if len(sys.argv) > 1:
    from pathlib import Path
    from net.kernels.compiled import write_image_of
    write_image_of(Path(sys.argv[1]), [somekernels])
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "somekernels.py").write_text(MODULE)
    return tmp_path


def asked(folder: Path, image: Path | str, *words: str, program: str = ASKING, **environment: str) -> list[str]:
    """What a process of its own says with an image: the kernel's result, and whether Numba was loaded."""
    paths = os.pathsep.join([str(folder), str(Path(__file__).parents[4])])
    settings = {IMAGE_VARIABLE: str(image), "NUMBA_CACHE_DIR": str(folder / "cache"), "PYTHONPATH": paths}
    command = [sys.executable, "-c", program, *words]
    done = subprocess.run(command, env=os.environ | settings | environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def sealed(header: object, rest: bytes = b"") -> bytes:
    """A file whose checksum is right."""
    told = json.dumps(header).encode()
    return MAGIC + struct.pack("<II", len(told), zlib.crc32(told + rest)) + told + rest


BESIDE = """
import numpy
from net.kernels.jit import numba_kernel

@numba_kernel("void(int64[::1])")
def doubled(values):
    for index in range(len(values)):
        values[index] *= 2
"""
BESIDE_FIRST = """
import beside
values = beside.numpy.array([1, 20])
beside.doubled(values)
print(values[1])
"""


def test_a_kernel_that_a_single_command_needs_is_numbas_beside_an_image_that_lacks_it(folder: Path) -> None:
    """It is kept in Numba's cache; no other kernel is compiled for its sake."""
    image = folder / "kernels"
    assert asked(folder, "", str(image)) == ["42", "True"]
    (folder / "beside.py").write_text(BESIDE)
    telling = f"{BESIDE_FIRST}{ASKING}print(type(somekernels.twice).__name__, len(beside.doubled.stats.cache_hits))"
    assert asked(folder, image, program=telling) == ["40", "42", "True", "builtin_function_or_method", "0"]
    assert asked(folder, image, program=telling) == ["40", "42", "True", "builtin_function_or_method", "1"]


MEETING = """
import os, subprocess, sys
os.environ["CHUNKSCOPE_KERNELS_LATER"] = "1"
import somekernels
from net.kernels import compiled
looked = compiled._cached
another = "import somekernels as s, net.kernels.compiled as c; [each.compiled() for each in c.kernels_of(s).values()]"

def late(*about):
    found = looked(*about)
    if found is None:
        subprocess.run([sys.executable, "-c", another], check=True)
    return found

compiled._cached = late
(kernel,) = compiled.kernels_of(somekernels).values()
made = kernel.compiled()
print(made.symbol.encode() in made.machine_object, looked(kernel._dispatcher, kernel._text) is not None)
"""


def test_two_processes_that_compile_one_kernel_at_once_both_have_it(folder: Path) -> None:
    """The other wrote it after this one had looked: what Numba reads from its cache it can give nobody else."""
    assert asked(folder, "", program=MEETING) == ["True", "True"]


@pytest.mark.parametrize(
    ("ending", "does"),
    [
        pytest.param("nbi", lambda held: b"", id="index-emptied"),
        pytest.param("nbi", lambda held: b"x" * len(held), id="index-overwritten", marks=pytest.mark.nightly),
        pytest.param("nbc", lambda held: held[:-9], id="data-cut", marks=pytest.mark.nightly),
    ],
)
def test_a_damaged_file_of_numbas_cache_is_written_anew(
    ending: str, does: Callable[[bytes], bytes], folder: Path
) -> None:
    assert asked(folder, "", program=MEETING) == ["True", "True"]
    (damaged,) = (folder / "cache").rglob(f"*.{ending}")
    damaged.write_bytes(does(damaged.read_bytes()))
    assert asked(folder, "", program=MEETING) == ["True", "True"]


def test_a_process_with_an_image_has_no_numba_and_one_without_has(folder: Path) -> None:
    image = folder / "kernels"
    assert asked(folder, "", str(image)) == ["42", "True"]
    assert asked(folder, image) == ["42", "False"]
    held = image.read_bytes()
    for debugging in jit.DEBUGGING:
        assert asked(folder, image, **{debugging: "1"}) == ["42", "True"]
    assert image.read_bytes() == held
    image.write_bytes(held[:-1])
    assert asked(folder, image) == ["42", "True"]
    assert not image.exists()
    assert asked(folder, image) == ["42", "True"]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param("import numba.core.typed_passes as there\ndel there.NativeLowering", marks=pytest.mark.nightly),
        pytest.param("import numba.core.codegen as there\ndel there.JITCodeLibrary", marks=pytest.mark.nightly),
        "import numba\nnumba.__version__ = '0.69.0'",
    ],
)
def test_with_another_numba_that_one_does_all(other: str, folder: Path) -> None:
    """One without a name that our compiler uses, or of a version in which it may mean another thing."""
    telling = "from numba.core.dispatcher import Dispatcher\nprint(isinstance(somekernels.twice, Dispatcher))\n"
    assert asked(folder, "", program=ASKING + telling) == ["42", "True", "False"]
    assert asked(folder, "", program=f"{other}\n{ASKING}{telling}") == ["42", "True", "True"]
    no_image = (
        "try:\n    " + "\n    ".join(ASKING.strip().splitlines()) + "\nexcept Exception as error:\n    print(error)"
    )
    said = asked(folder, "", str(folder / "image"), program=f"{other}\n{no_image}")
    assert " ".join(said) == "42 True none of our functions calls a kernel"
    assert not (folder / "image").exists()


@pytest.mark.parametrize(
    "held",
    [
        b"",
        MAGIC,
        MAGIC + b"\0" * 8,
        MAGIC + b"\xff" * 8,
        b"\x7fELF",
        sealed([]),
        sealed({"kernels": {}}),
        sealed({"kernels": {"a.b": ["c"]}, "sizes": []}),
        sealed({"kernels": {"a.b": ["c", "void(str)"]}, "sizes": []}),
        sealed({"kernels": {}, "sizes": "no"}),
        sealed({"kernels": {}, "sizes": [8]}, b"no object"),
        sealed({"kernels": {}, "sizes": [-5, 14]}, b"no object"),
    ],
)
def test_what_is_no_image_is_taken_away_and_nothing_else_happens(
    held: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = tmp_path / "kernels"
    image.write_bytes(held)
    monkeypatch.setenv(IMAGE_VARIABLE, str(image))
    assert jit._image() is None
    assert not image.exists()


@pytest.mark.parametrize("place", ["nowhere", "folder"])
def test_a_file_that_cannot_be_read_is_left_alone(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "folder").mkdir()
    monkeypatch.setenv(IMAGE_VARIABLE, str(tmp_path / place))
    assert jit._image() is None
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_no_image_is_loaded_where_this_machine_lays_its_objects_out_otherwise(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = tmp_path / "kernels"
    image.write_bytes(b"of a machine like this one")
    monkeypatch.setenv(IMAGE_VARIABLE, str(image))
    monkeypatch.setattr(jit, "NOT_HERE", True)
    assert jit._image() is None
    assert image.exists()


def test_kernels_that_numba_calls_make_no_image(tmp_path: Path) -> None:
    """In bounds-checked runs, say; an image without kernels would be believed."""
    with pytest.raises(BadImage, match="none of our functions calls a kernel"):
        compiled.write_image_of(tmp_path / "kernels", [call])
    assert not list(tmp_path.iterdir())


def test_what_a_killed_writer_left_is_swept(tmp_path: Path) -> None:
    image = tmp_path / "kernels"
    (tmp_path / "kernels.4711").write_bytes(MAGIC)
    calling_code = compiled.compile_callers({}, alone=True)
    write_image(image, [calling_code], {})
    assert list(tmp_path.iterdir()) == [image]


@pytest.mark.parametrize("does", [Path.unlink, lambda path: path.write_bytes(b"")], ids=["swept", "cut"])
def test_a_writer_that_is_disturbed_leaves_what_was_there(
    does: Callable[[Path], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By another that starts to write, or a disk that fills up."""
    image = tmp_path / "kernels"
    image.write_bytes(b"an older one")
    run = subprocess.run

    def disturbed(command: list[str], **how: object) -> object:
        does(Path(command[-1]))
        return run(command, **how)

    monkeypatch.setattr(subprocess, "run", disturbed)
    with pytest.raises((BadImage, OSError)):
        write_image(image, [compiled.compile_callers({}, alone=True)], {})
    assert [path.name for path in tmp_path.iterdir()] == ["kernels"]
    assert image.read_bytes() == b"an older one"
