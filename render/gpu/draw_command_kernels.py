"""Makes draw commands of runs of quads, in one pass. NumPy, with one array a word, took three times as long.

Indices. None comes from outside: runs are of meshes that the scene shows, patterns the drawer's own.
"""

from typing import Final

from net.arrays import I32, I64
from net.kernels import jit as nb
from net.kernels.jit import inner, kernel

COMMAND_WORDS: Final = 5
"""Indices, instances, first index, base vertex, first instance: int32 each, as the driver reads them."""
OF_QUAD: Final = 6
"""Indices."""
INDEX_BYTES: Final = 4


@inner
def _first_index(firsts: I32, starts: I32, run: int) -> int:
    """Where a run's indices begin: said, or by a pattern, the first one unless another is said."""
    if len(firsts) == 0:
        return nb.int64(starts[0])
    first = nb.int64(firsts[run])
    return nb.int64(starts[-1 - first]) if first < 0 else first


@kernel("void(int32[::1], int32[::1], int32[::1], int32[::1], int64, int32[:,::1])")
def write_commands(
    first_units: I32,  # [n] where each begins
    quads: I32,  # [n]
    firsts: I32,  # [n] first indices, -1 - k for those of pattern k; empty: all are by pattern 0
    starts: I32,  # [patterns] first index of each pattern
    vertices: int,  # of a unit
    commands: I32,  # [n, ``COMMAND_WORDS``], written
) -> None:
    """Runs as ``glMultiDrawElementsIndirect`` reads them."""
    for run in range(len(quads)):
        commands[run, 0], commands[run, 1] = quads[run] * OF_QUAD, 1
        commands[run, 2] = _first_index(firsts, starts, run)
        commands[run, 3], commands[run, 4] = first_units[run] * vertices, 0


@kernel("void(int32[::1], int32[::1], int32[::1], int32[::1], int64, int32[:,::1], int64[::1])")
def write_runs(
    first_units: I32, quads: I32, firsts: I32, starts: I32, vertices: int, counts_and_bases: I32, offsets: I64
) -> None:
    """Runs as ``glMultiDrawElementsBaseVertex`` reads them.

    Args:
        first_units: as for ``write_commands``, like the next four.
        counts_and_bases: int32[2, n], written: how many indices, and what is added to each.
        offsets: int64[n], written: of the first index, in bytes.
    """
    for run in range(len(quads)):
        counts_and_bases[0, run], counts_and_bases[1, run] = quads[run] * OF_QUAD, first_units[run] * vertices
        offsets[run] = _first_index(firsts, starts, run) * INDEX_BYTES
