"""Both ways of drawing are told the same runs."""

import numpy as np
import pytest

from render.gpu.draw_command_kernels import COMMAND_WORDS, write_commands, write_runs

STARTS = np.array([600, 900], np.int32)
"""First indices of two patterns."""


@pytest.mark.parametrize(
    ("said", "firsts"), [([], [600, 600, 600]), ([-1, -2, -1], [600, 900, 600]), ([-2, 0, 36], [900, 0, 36])]
)
def test_runs_are_told_alike_in_both_ways(said: list[int], firsts: list[int]) -> None:
    units, quads = np.array([3, 64, 1 << 20], np.int32), np.array([1, 5, 7], np.int32)
    commands, offsets = np.full((3, COMMAND_WORDS), -1, np.int32), np.full(3, -1, np.int64)
    counts_and_bases = np.full((2, 3), -1, np.int32)
    told = units, quads, np.array(said, np.int32), STARTS, 8
    write_commands(*told, commands)
    write_runs(*told, counts_and_bases, offsets)
    wanted = [[6, 1, firsts[0], 24, 0], [30, 1, firsts[1], 512, 0], [42, 1, firsts[2], 8 << 20, 0]]
    assert commands.tolist() == wanted
    assert counts_and_bases.T.tolist() == [[row[0], row[3]] for row in wanted]
    assert offsets.tolist() == [4 * first for first in firsts]
