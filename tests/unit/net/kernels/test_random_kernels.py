"""Kernels that seeds make up: as we compile them and as Numba does, the same to the last bit.

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
from collections.abc import Callable
from random import Random
from typing import Any, Final

import numpy as np
import pytest
from numba import njit
from numba.core.compiler_lock import global_compiler_lock

from net.kernels import casts as nb
from net.kernels.compiled import called
from net.kernels.jit import OPTIONS, UNWRAPPED
from net.kernels.pipeline import KernelCompiler

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

NUMBAS = OPTIONS | {"cache": False}
OURS = NUMBAS | UNWRAPPED | {"pipeline_class": KernelCompiler}
SEEDS = range(10)
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
    with global_compiler_lock:  # which is held anyhow where a kernel goes into the cache
        ours = called(njit(SIGNATURE, **OURS)(function), SIGNATURE)
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
