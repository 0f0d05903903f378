"""Our compiler of kernels beside Numba's own: the same results, less work.

Random kernels: Kernels that seeds make up: as we compile them and as Numba does, the same to the last bit.

Random kernels: Kernels that a seed makes up, as Python's source: whatever ours use, in orders that nobody would write.

Rules:
1. A kernel takes what ``SIGNATURE`` says, and gives a number. Every variable holds something before it is used, every
   loop ends, and every index lies within its array, from the front or from the end: nothing else is undefined, and
   two compilers that are right agree to the last bit.
2. Numbers of 64 bits with and without a sign meet only through casts, as in our kernels.
3. What may stand where is a grammar: ``<name>`` in a text is replaced by one of the texts of that name, where a line
   begins with the same indent; ``END`` holds those that end.
"""

import linecache
import re
from collections.abc import Callable, Iterator
from random import Random
from types import FunctionType
from typing import Any, Final

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError, UnsupportedError

from net.arrays import BlockIds
from net.kernels import jit as nb
from net.kernels.compiled import called
from net.kernels.jit import OPTIONS, UNWRAPPED, inlined, inner, kernel, refined
from net.kernels.pipeline import KernelCode, KernelCompiler
from net.subchunk.storage import Numbers

# ---------------------------------------------------------------- pipeline

OURS = OPTIONS | UNWRAPPED | {"cache": False, "pipeline_class": KernelCompiler}
NUMBAS = OPTIONS | {"cache": False}
WIDTHS = (3, 5)


def _longer(values: Numbers, least: int) -> int:
    count = nb.int64(0)
    for value in values:
        if value > least and (count := count + 1) > 90:
            break
    return count


def _packed(values: Numbers, out: BlockIds, WIDTH: int) -> None:  # noqa: N803 - a constant where it is inlined
    for i in range(values.shape[0] // WIDTH):
        word = np.uint16(0)
        for k in range(WIDTH):
            word |= np.uint16(values[i * WIDTH + k] & 1) << np.uint16(k)
        out[i] = word


longer = inner(_longer)
packed = inlined(_packed)
numba_longer = njit(**NUMBAS)(_longer)
numba_packed = njit(inline="always", **NUMBAS)(_packed)


@kernel("int64(int64[::1], uint16[::1], int64)")
def ours(values: Numbers, out: BlockIds, width: int) -> int:
    """Inner functions, an inlined one, views, a table, extremes."""
    if width == 3:
        packed(values, out, 3)
    else:
        packed(values, out, 5)
    halves = out[:8].view(np.uint32)
    return longer(values, WIDTHS[nb.int64(width == 5)]) + max(halves[0], halves[1]) + min(values[0], 7)


@njit(**NUMBAS)
def numbas(values: Numbers, out: BlockIds, width: int) -> int:
    """The same."""
    if width == 3:
        numba_packed(values, out, 3)
    else:
        numba_packed(values, out, 5)
    halves = out[:8].view(np.uint32)
    return numba_longer(values, WIDTHS[nb.int64(width == 5)]) + max(halves[0], halves[1]) + min(values[0], 7)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("seed", range(20))
def test_a_kernel_does_what_numbas_own_does(seed: int, width: int) -> None:
    values = np.random.default_rng(seed).integers(-9, 9, 200)
    written, wanted = np.zeros(100, np.uint16), np.zeros(100, np.uint16)
    assert ours(values, written, width) == numbas(values, wanted, width)
    assert np.array_equal(written, wanted)


@pytest.mark.parametrize(
    ("old", "new"), [("bool", "uint64"), ("uint64", "int8"), ("uint16", "float32"), ("int64",) * 2]
)
def test_an_array_is_seen_as_another_as_numpy_sees_it(old: str, new: str) -> None:
    """A part of it, so that it begins somewhere within, with one axis and with two."""
    wanted = np.dtype(new).type

    def look(of: Any, shape: Numbers, strides: Numbers, flat: Any, out: Any) -> None:
        part = of[1].view(wanted)
        line = part[2].view(np.uint8)
        shape[0], shape[1], shape[2] = part.shape[0], part.shape[1], line.size
        strides[0], strides[1], strides[2] = part.strides[0], part.strides[1], line.strides[0]
        for x in range(part.shape[0]):
            for y in range(part.shape[1]):
                out[x, y] = part[x, y]
        for i in range(line.shape[0]):
            flat[i] = line[i]

    held = np.random.default_rng(7).integers(0, 256, (3, 4, 32)).astype(np.uint8)
    given = (held & 1).view(bool) if old == "bool" else held.view(old)
    seen = given[1].view(new)
    out, shape, strides, flat = (
        np.zeros_like(seen),
        np.zeros(3, np.int64),
        np.zeros(3, np.int64),
        np.zeros(32, np.uint8),
    )
    kind = old.replace("bool", "boolean")
    signature = f"void({kind}[:,:,::1],int64[::1],int64[::1],uint8[::1],{new}[:,::1])"
    seeing = called(njit(signature, **OURS)(look), signature)
    seeing(given, shape, strides, flat, out)
    assert tuple(shape) == (*seen.shape, 32)
    assert tuple(strides) == (*seen.strides, 1)
    assert out.tobytes() == seen.tobytes()
    assert flat.tobytes() == seen[2].tobytes()


@pytest.fixture
def compiled_anew() -> None:
    """The kernel without its cache: what comes from there needs no inner functions."""

    def again(values: Numbers, out: BlockIds) -> int:
        packed(values, out, 3)
        packed(values, out, 5)
        return longer(values, 2) + longer(values, 4)

    njit("int64(int64[::1], uint16[::1])", **OURS)(again)


@pytest.mark.usefixtures("compiled_anew")
def test_no_machine_code_is_made_of_inner_functions() -> None:
    (library,) = (result.library for result in longer.overloads.values())
    assert isinstance(library, KernelCode)
    assert not library._finalized
    assert library.get_pointer_to_function("nothing of that name") == 0
    assert not library._finalized


@pytest.mark.usefixtures("compiled_anew")
def test_a_function_is_compiled_once_whatever_constants_it_is_given() -> None:
    assert len(packed.overloads) == len(longer.overloads) == 1


def test_what_is_refined_goes_through_all_passes_before_a_kernel_takes_it() -> None:
    def total(values: Numbers) -> int:
        found = nb.int64(0)
        for i in range(4):
            found += values[i]
        return found

    def again(values: Numbers) -> int:
        return plain(values) - 2 * quick(values)

    plain, quick = inner(total), refined(FunctionType(total.__code__, globals(), "quick"))
    signature = "int64(int64[::1])"
    both = called(njit(signature, **OURS)(again), signature)  # without a cache, which would make the machine code
    assert both(np.array([3, 4, 5, 6])) == -18
    texts = [str(result.library._final_module) for each in (plain, quick) for result in each.overloads.values()]
    assert ["phi" in text for text in texts] == [True, False], "a short loop is unrolled, by all passes alone"


def _catching(values: Numbers) -> None:
    try:
        values[0] = 3
        if values[1]:
            raise ValueError
    except Exception:
        values[0] = 4


def _closing(values: Numbers) -> None:
    def add(value: int) -> int:
        return value + values[1]

    values[0] = add(3)


def _yielding(values: Numbers) -> Iterator[int]:
    yield values[0]


def _fetching(values: Numbers) -> None:
    for value in numba_yielding(values):
        values[0] = value


numba_yielding = njit(**OURS)(_yielding)


@pytest.mark.parametrize("function", [_catching, _closing, _fetching])
def test_what_our_compiler_cannot_do_does_not_compile(function: Callable[[Numbers], None]) -> None:
    """Numba's own does all of it; ours must not do something else."""
    with pytest.raises((UnsupportedError, TypingError, NotImplementedError)):
        njit("void(int64[::1])", **OURS)(function)


# ---------------------------------------------------------------- random kernels

# ---------------------------------------------------------------- random kernels

SIGNATURE: Final = (
    "float64(int64, uint32, float64, uint8[:,:,::1], int64[:,:], uint16[::1], float64[::1], boolean[::1], int64[::1])"
)
"""``bytes3[4, 3, 8], gaps[5, 4], words[16], reals[6], flags[7], out[9]`` are the arrays."""
HEAD: Final = """
def made(a, u, f, bytes3, gaps, words, reals, flags, out):
    b, c, d = a ^ 5, nb.int64(3), nb.int64(0)
    u = nb.uint64(u) * nb.uint64(0x9E3779B97F4A7C15)
    v, g = u + nb.uint64(1), f * 0.5
    yes = a > 3
    pair = (a, f)
"""
RESULT: Final = "f + np.float64(a ^ b) + g - c * 0.25 + np.float64(v >> nb.uint64(40)) + d + pair[0] + pair[1] + yes"
INDENT: Final = "    "
MOST_DEPTH: Final = 5
STATEMENTS: Final = 5

END: Final[dict[str, str]] = {
    "int": "a b c d 7 -3 nb.int64(flags[2]) 0 2 pair[0]",
    "small": "words[3] bytes3[1,-1,2] np.int8(-3)",
    "unsigned": "u v nb.uint64(7)",
    "real": "f g pair[1] 0.75 reals[-1]",
    "truth": "yes a>b f<1.5 flags[0]",
    "line": "a+=1 b^=c out[-1]+=a yes=not&yes f*=0.5",
}
GRAMMAR: Final[dict[str, str]] = {
    "int": """
        (<int> <sign> <int>)
        (<int> <sign> <small>)
        (<int> <divide> <int>)
        (<int> <divide> (<int> & 3))
        (<int> << (<int> & 31))
        (<int> >> (<int> & 31))
        nb.int64(<small>)
        nb.int64(<unsigned>)
        nb.int64(<truth>)
        min(<int>, <int>)
        max(<int>, <small>)
        (-<int>)
        (~<int>)
        abs(<int>)
        (<int> if <truth> else <int>)
        gaps[<of5>, <of4>]
        gaps[<of5>][<of4>]
        out[<of9>]
        pair[0]
        PAIRS[<int> & 1][0]
        bytes3.shape[1]
        gaps.shape[-1]
        gaps[<of5>].size
        bytes3[<of4>].shape[1]
        a
        b
    """,
    "small": """
        np.uint8(<int>)
        np.int8(<int>)
        nb.uint16(<int>)
        nb.int32(<int>)
        nb.uint32(<unsigned>)
        bytes3[<of4>, <of3>, <of8>]
        bytes3[<of4>, <of3>][<of8>]
        bytes3[<of4>][<of3>][<of8>]
        bytes3[<of4>, <of3>].view(np.uint16)[<of4>]
        words[<few>:][<of8>]
        words[<of8>]
    """,
    "unsigned": """
        nb.uint64(<int>)
        (<unsigned> <sign> <unsigned>)
        (<unsigned> >> (<unsigned> & nb.uint64(63)))
        (<unsigned> << (<unsigned> & nb.uint64(63)))
        (<unsigned> // <unsigned>)
        (<unsigned> % <unsigned>)
        u
    """,
    "real": """
        (<real> + <real>)
        (<real> * <real>)
        (<real> / <real>)
        (<int> / <int>)
        (<int> * <real>)
        np.float64(<int>)
        reals[<of6>]
        PAIRS[<int> & 1][1]
        (<real> if <truth> else <real>)
        f
    """,
    "truth": """
        (<int> <compare> <int>)
        (<small> <compare> <int>)
        (<unsigned> <compare> <unsigned>)
        (<real> <compare> <real>)
        (<int> < <int> <= <int>)
        (<truth> and <truth>)
        (<truth> or <truth>)
        (not <truth>)
        flags[<of7>]
        yes
    """,
    "line": """
        <name> = <int>
        <name> <sign>= <int>
        u = <unsigned>
        v <sign>= <unsigned>
        f = <real>
        g += <real>
        yes = <truth>
        pair = (<int>, <real>)
        <name>, f = pair
        <name>, g = PAIRS[<int> & 1]
        a, b = b, a
        b, c, d = c, d, b
        out[<of9>] = <int>
        out[<of9>] <sign>= <int>
        gaps[<of5>, <of4>] = <int>
        gaps[<of5>][<of4>] = <small>
        bytes3[<of4>, <of3>, <of8>] = <int>
        bytes3[<of4>][<of3>, <of8>] = <small>
        words[<of8>] |= nb.uint16(<small>)
        reals[<of6>] = <real>
        reals[<of6>] += <int>
        flags[<of7>] = <truth>
        if <truth>:;    <line>
        if <truth>:;    <line>;    <line>;else:;    <line>
        if <truth>:;    <line>;elif <truth>:;    <line>;else:;    <line>
        if <truth>:;    late = <int>;    <line>;else:;    late = <int>;<name> ^= late
        if <truth>:;    return <real>
        for <new> in <range>:;    <name> += <last>;    <line>;    <line>
        for <new> in <range>:;    <line>;    if <truth>:;        <leave>;    <line>
        for <new> in <range>:;    <line>;    if <truth>:;        break;    <line>;else:;    <line>
        for <new> in <range>:;    for <new> in <range>:;        <name> -= <last>;        <line>;    <line>
        <new> = 0;while <last> < 6 and <truth>:;    <last> += 1;    <line>;    <line>
        <new> = 0;while <last> < 6:;    <last> += 2;    if <truth>:;        <leave>;    <line>;else:;    <line>
        <new> = 9;while True:;    <last> -= 1;    if <last> < 3:;        break;    <line>
    """,
    "leave": "break|continue|continue|return <real>".replace("|", "\n"),
    "range": """
        range(<few>)
        range(-3, <few>)
        range(<few>, <few>)
        range(-4, <few>, 3)
        range(<few>, -2, -1)
        range(<few>, -5, -2)
        range(<few>, 9, <few> + 1)
        range(<few>, -3, -1 - <few>)
        range(nb.int32(<few>))
        words
        bytes3[<of4>, <of3>]
        gaps[<of5>]
    """,
    "few": "((<int>) % 7)",
    "sign": "+ - * & | ^".replace(" ", "\n"),
    "divide": "// %".replace(" ", "\n"),
    "compare": "< <= > >= == !=".replace(" ", "\n"),
    "name": "a b c d".replace(" ", "\n"),
}
INDEX: Final = (
    "{n} % OF",
    "{n} % OF - OF",
    "np.int8({n} % (2 * OF) - OF)",
    "nb.uint64({n} % OF)",
    "nb.int32({n} % OF)",
    "np.uint8({n} % OF)",
)
_PLACE: Final = re.compile(r"<(\w+)>")


class RandomKernel:
    """Writes one."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        self._loops: list[str] = []
        lines = [line for _ in range(STATEMENTS) for line in self._one("line", 0).split("\n")]
        # of a function called ``made``; it needs ``np``, ``nb`` and ``PAIRS``, a tuple of
        # pairs of a whole number and a float
        self.source = HEAD + "".join(f"{INDENT}{line}\n" for line in [*lines, f"return {RESULT}"])

    def _one(self, name: str, depth: int) -> str:
        """One text of a name, with all that stands in it; lines of a statement within others are indented by them."""
        if name == "new":
            self._loops.append(f"n{len(self._loops)}")
        if name in {"new", "last"}:
            return self._loops[-1]
        if name.startswith("of"):
            return self._index(int(name[2:]), depth)
        if depth > MOST_DEPTH - (3 if name == "line" else 0) and name in END:
            return self._random.choice(END[name].split(" ")).replace("&yes", " yes")
        text = self._random.choice([each.strip() for each in GRAMMAR[name].strip().split("\n")])
        filled = [self._filled(line, depth + 1) for line in (text.split(";") if name == "line" else [text])]
        return "\n".join(filled)

    def _filled(self, line: str, depth: int) -> str:
        within = _PLACE.sub(lambda place: self._one(place.group(1), depth), line.lstrip())
        indent = line[: len(line) - len(line.lstrip())]
        return "\n".join(indent + each for each in within.split("\n"))

    def _index(self, length: int, depth: int) -> str:
        """From the front or from the end, known or not, of any kind of number."""
        if self._random.random() < 0.3:
            return str(self._random.randrange(-length, length))
        text = self._random.choice(INDEX)
        return text.replace("OF", str(length)).format(n=f"({self._one('int', max(depth, MOST_DEPTH - 1))})")


# ---------------------------------------------------------------- random kernels

RANDOM_KERNELS_OURS = NUMBAS | UNWRAPPED | {"pipeline_class": KernelCompiler}
SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.nightly) for seed in range(4, 10))]
"""Some ninety others were tried when it was written; each takes a second or two."""


def function_of(source: str, name: str) -> Callable[..., Any]:
    """What a source defines; Numba wants to read it again when it reports an error."""
    linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
    found: dict[str, Any] = {"np": np, "nb": nb, "PAIRS": ((1, 2.5), (-3, -0.5)), "__name__": __name__}
    exec(compile(source, name, "exec"), found)
    made: Callable[..., Any] = found["made"]
    return made


def given(seed: int) -> list[Any]:
    """What such a kernel takes."""
    random = np.random.default_rng(seed)
    return [
        int(random.integers(-9, 400)),
        int(random.integers(0, 2**32)),
        float(random.normal() * 5),
        random.integers(0, 256, (4, 3, 8)).astype(np.uint8),
        random.integers(-(2**40), 2**40, (5, 8))[:, ::2],
        random.integers(0, 2**16, 16).astype(np.uint16),
        random.normal(size=6),
        random.integers(0, 2, 7).astype(bool),
        random.integers(-99, 99, 9),
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_a_kernel_of_a_seed_does_what_numbas_does(seed: int) -> None:
    source = RandomKernel(seed).source
    function = function_of(source, f"<kernel of seed {seed}>")
    ours = called(njit(SIGNATURE, **RANDOM_KERNELS_OURS)(function), SIGNATURE)
    numbas = njit(SIGNATURE, **NUMBAS)(function)
    for world in range(6):
        mine, its = given(world), given(world)
        assert same(np.array(ours(*mine)), np.array(numbas(*its))), source
        assert all(map(same, mine[3:], its[3:])), source


def same(one: np.ndarray, other: np.ndarray) -> bool:
    """To the last bit, but for those of what is no number, which LLVM may choose."""
    return (
        np.array_equal(np.isnan(one), np.isnan(other))
        and one[~np.isnan(one)].tobytes() == other[~np.isnan(other)].tobytes()
    )
