"""What stands between Python and a kernel: arguments are taken as they are declared, or refused by name.

Jit: The bit instructions, and the undocumented compiler option that the kernels' speed rests on.
"""

import gc
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from numba import njit

from net.kernels import image as machine_code
from net.kernels.call import Parameter, parse
from net.kernels.compiled import write_image_of
from net.kernels.image import BadImage, MachineCode, load_image, write_image
from net.kernels.jit import OPTIONS, clz, ctz, inner, kernel, popcount

# ---------------------------------------------------------------- call

HERE = sys.modules[__name__]


@inner
def _doubled(value):
    return value * 2


@kernel("void(uint16[:,::1], int32[:], int64)")
def _fill(table, row, value):
    for i in range(table.shape[0]):
        for j in range(table.shape[1]):
            table[i, j] = _doubled(value) + row[i]


@kernel("int64(int32, uint32, boolean, float64)")
def _summed(small, positive, one_more, real):
    return small + positive + (1 if one_more else 0) + int(real)


@kernel("boolean(int64)")
def _is_odd(number):
    return number % 2 == 1


@kernel("float64(float64[::1])")
def _mean(values):
    return values.sum() / values.shape[0]


@kernel("int64(int64[::1])")
def _corner(values):
    return values.reshape(3, 4)[2, 1]


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory) -> MachineCode:
    """The same kernels, loaded as a process without Numba does."""
    path = tmp_path_factory.mktemp("image") / "kernels"
    write_image_of(path, [HERE])
    assert list(path.parent.iterdir()) == [path]
    return load_image(path)


@pytest.fixture(params=["compiled here", "from an image"])
def kernels(request: pytest.FixtureRequest, image: MachineCode) -> Any:
    if request.param == "compiled here":
        return lambda name: getattr(HERE, name)
    return lambda name: image.function(f"{__name__}.{name}", getattr(HERE, name).__self__.signature)


def test_arrays_and_numbers_arrive_and_results_come_back(kernels: Any) -> None:
    table, row = np.zeros((3, 4), np.uint16), np.arange(6, dtype=np.int32)[::2]
    assert kernels("_fill")(table, row, np.int16(5)) is None
    assert table.tolist() == [[10] * 4, [12] * 4, [14] * 4]
    assert kernels("_summed")(-7, 2**32 - 1, np.True_, 2.9) == 2**32 - 7 - 1 + 1 + 2
    assert kernels("_summed")(np.int64(-7), 0, [], -1) == -8
    assert kernels("_is_odd")(3) is True
    assert kernels("_is_odd")(4) is False
    assert kernels("_mean")(np.array([1.0, 2.0])) == 1.5
    assert kernels("_corner")(np.arange(12)) == 9


def _read_only() -> npt.NDArray[np.int64]:
    array = np.arange(12)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ((np.arange(12, dtype=np.int32),), "argument 1 must be int64[::1], not int32[12]"),
        ((np.arange(12, dtype=np.uint64),), "not uint64[12]"),
        ((np.arange(12, dtype=">i8"),), "not >i8[12]"),
        ((np.zeros((3, 4), np.int64),), r"not int64[3,4]"),
        ((np.arange(24)[::2],), "that is not contiguous"),
        ((_read_only(),), "that is read-only"),
        (([1, 2],), "not list"),
        ((None,), "not NoneType"),
        ((), "takes 1 arguments, 0 were given"),
        ((np.arange(12), 1), "takes 1 arguments, 2 were given"),
    ],
)
def test_what_a_kernel_cannot_take_is_named(kernels: Any, given: tuple[Any, ...], words: str) -> None:
    with pytest.raises(TypeError) as told:
        kernels("_corner")(*given)
    assert words in str(told.value)
    assert "test_call._corner" in str(told.value)


def test_a_number_that_is_none_raises_as_python_does(kernels: Any) -> None:
    with pytest.raises(TypeError, match="integer"):
        kernels("_is_odd")(1.5)
    with pytest.raises(OverflowError):
        kernels("_is_odd")(2**63)
    with pytest.raises(TypeError, match="real number"):
        kernels("_summed")(0, 0, False, "1")


def test_references_are_neither_kept_nor_lost(kernels: Any) -> None:
    array, refused = np.arange(12), [1]
    gc.collect()  # garbage of other tests that goes meanwhile would take thousands of references to None along
    before = sys.getrefcount(array), sys.getrefcount(None), sys.getrefcount(refused)
    for _ in range(1000):
        kernels("_corner")(array)
        with pytest.raises(TypeError):
            kernels("_corner")(refused)
    after = sys.getrefcount(array), sys.getrefcount(None), sys.getrefcount(refused)
    assert after[0] == before[0]
    assert abs(after[1] - before[1]) < 500
    assert after[2] == before[2]


@pytest.mark.parametrize("text", ["void()", "int64(uint16[:,::1],boolean)", "float64(int8[:],int32[:,:,::1],float64)"])
def test_signatures_are_read_and_said(text: str) -> None:
    signature = parse(text)
    assert f"{signature.gives}({','.join(map(str, signature.takes))})" == text


@pytest.mark.parametrize(
    "text", ["", "void", "void(int64", "void(str)", "list(int64)", "void(uint64)", "void(int64[2])"]
)
def test_signatures_that_cannot_be_called_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="not a kernel signature"):
        parse(text)


def test_spaces_and_order_say_the_same() -> None:
    assert parse("void( int64[:, ::1] , uint8)").takes == (Parameter("int64", 2, True), Parameter("uint8"))


def test_a_kernel_that_an_image_lacks_is_named(image: MachineCode) -> None:
    with pytest.raises(ImportError, match=r"client.nothing is not one of the compiled kernels"):
        image.function("client.nothing", parse("void()"))


def test_a_kernel_that_takes_something_else_by_now_is_not_called(image: MachineCode) -> None:
    """A process of new sources that was handed an old image: a server of a window that has been open for long."""
    with pytest.raises(ImportError, match=r"_corner changed after the kernels were compiled"):
        image.function(f"{__name__}._corner", parse("int64(int32[::1])"))


def test_an_image_is_of_what_was_compiled_here_whatever_the_cache_holds_by_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another process that compiles at the same time writes the same cache, under symbols of its own."""
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    path = tmp_path / "own.py"
    path.write_text(
        'from net.kernels.jit import kernel\n\n\n@kernel("int64(int64)")\ndef next_of(number):\n    return number + 1\n'
    )
    described = spec_from_file_location("own", path)
    assert described is not None
    assert described.loader is not None
    own = module_from_spec(described)
    described.loader.exec_module(own)
    monkeypatch.setattr(own.next_of.__self__.code.dispatcher._cache, "_cache_file", None)
    write_image_of(tmp_path / "kernels", [own])
    assert load_image(tmp_path / "kernels").function("own.next_of", parse("int64(int64)"))(3) == 4


@pytest.mark.parametrize("spoil", ["short", "flipped", "other"])
def test_a_spoiled_image_is_refused(tmp_path: Path, spoil: str) -> None:
    path = tmp_path / "kernels"
    write_image_of(path, [HERE])
    held = bytearray(path.read_bytes())
    held[len(held) // 2] ^= 1
    path.write_bytes({"short": bytes(held[:100]), "flipped": bytes(held), "other": b"PK"}[spoil])
    with pytest.raises(BadImage):
        load_image(path)


def test_machine_code_that_cannot_be_linked_leaves_no_image(tmp_path: Path) -> None:
    """Its kernels are not in it, so what calls them calls nothing."""
    with pytest.raises(BadImage, match="cannot be linked"):
        write_image(tmp_path / "kernels", [], {"nowhere": ("nowhere", "void()")})
    assert not list(tmp_path.iterdir())


def test_code_that_is_not_linked_in_time_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine_code, "LINK_S", 0.0)
    with pytest.raises(BadImage, match="not be linked within 0 s"):
        write_image(tmp_path / "kernels", [b""], {})
    assert not list(tmp_path.iterdir())


# ---------------------------------------------------------------- jit


@kernel("void(int64[::1], int64[:,::1])")
def _bits(values, out):
    for i in range(values.shape[0]):
        out[i, 0] = ctz(values[i])
        out[i, 1] = clz(values[i])
        out[i, 2] = popcount(values[i])


@pytest.mark.parametrize("value", [1, 2, 3, 40, 2**62, -1, -(2**63)])
def test_bit_instructions_agree_with_plain_python(value: int) -> None:
    out = np.zeros((1, 3), np.int64)
    _bits(np.array([value]), out)
    bits = value & (2**64 - 1)
    assert out[0].tolist() == [(bits & -bits).bit_length() - 1, 64 - bits.bit_length(), bits.bit_count()]


def test_numba_still_takes_the_option_that_drops_reference_counts() -> None:
    assert OPTIONS["_nrt"] is False
    assert njit(_nrt=False)(lambda: 1)() == 1
