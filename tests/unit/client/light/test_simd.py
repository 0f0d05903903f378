"""The vector steps of the light channels beside what they say, cell by cell."""

import numpy as np
import pytest

from client.light.propagate_kernels import STATE_WORDS
from client.light.simd import EDGE_WORDS, FREE, INCOME, LAST, OPEN, count_line, edges, enter, send, spread
from net.kernels.jit import kernel

Words = np.ndarray
Cells = np.ndarray  # bool[x, z, y]

AROUND = 5
"""Words before and behind what a step may write."""


@kernel("void(uint64[::1], int64, uint64[::1], int64)")
def edged(words: Words, at: int, out: Words, to: int) -> None:
    edges(words, at, out, to)


@kernel("void(uint64[::1], int64, uint64[::1])")
def spread_once(row: Words, now: int, found: Words) -> None:
    spread(row, now, found)


@kernel("int64(uint64[::1], uint64[::1], uint64[::1], uint64[::1], int64)")
def entered(found: Words, row: Words, edge: Words, lines: Words, at: int) -> int:
    return enter(found, row, edge, lines, at)


@kernel("boolean(uint64[::1], int64, uint64[::1], int64)")
def sent(edge: Words, side: int, row: Words, soon: int) -> bool:
    return send(edge, side, row, soon)


@kernel("void(uint64[::1], int64, int64, uint64[::1], int64)")
def counted(words: Words, at: int, level: int, bits: Words, to: int) -> None:
    count_line(words, at, level, bits, to)


def noise(seed: int, count: int) -> Words:
    return np.random.default_rng(seed).integers(0, 1 << 64, count, np.uint64)


def cells_of(words: Words) -> Cells:
    """Cells of a set; word 4 x + z // 4, bit 16 (z % 4) + y."""
    cells = np.zeros((16, 16, 16), np.bool_)
    for x, z, y in np.ndindex(cells.shape):
        cells[x, z, y] = int(words[4 * x + z // 4]) >> (16 * (z % 4) + y) & 1
    return cells


def words_of(cells: Cells) -> Words:
    """Any cells as words, the last axis first: a set, or one side of it."""
    flat = cells.reshape(-1, 64)
    return np.array([sum(int(bit) << i for i, bit in enumerate(word)) for word in flat], np.uint64)


def sides(cells: Cells) -> list[Cells]:
    """Cells at -x, +x, -z, +z, -y, +y, as they are in edges."""
    return [cells[0], cells[-1], cells[:, 0], cells[:, -1], cells[:, :, 0], cells[:, :, -1]]


def edges_of(words: Words) -> Words:
    return np.concatenate([words_of(side) for side in sides(cells_of(words))])


def test_edges_are_the_cells_at_each_side() -> None:
    words, out = noise(1, 70), noise(2, EDGE_WORDS + 2 * AROUND)
    before = out.copy()
    edged(words, 3, out, AROUND)
    assert (out[AROUND:-AROUND] == edges_of(words[3:67])).all()
    assert (out[:AROUND] == before[:AROUND]).all()
    assert (out[-AROUND:] == before[-AROUND:]).all()


@pytest.mark.parametrize("now", [INCOME, INCOME + EDGE_WORDS])
def test_light_spreads_to_free_cells_beside_lit_ones_and_where_it_comes_in(now: int) -> None:
    row = noise(3, STATE_WORDS)
    row[LAST - 8 : LAST] = row[LAST + 64 : LAST + 72] = 0
    row[LAST : LAST + 64] &= noise(4, 64) & noise(5, 64) & noise(6, 64)
    row[now : now + EDGE_WORDS] &= noise(7, EDGE_WORDS) & noise(8, EDGE_WORDS)
    before, found = row.copy(), noise(9, 64 + AROUND)
    behind = found[64:].copy()
    spread_once(row, now, found)
    last, lit = cells_of(before[LAST : LAST + 64]), np.zeros((16, 16, 16), np.bool_)
    for x, z, y in zip(*np.nonzero(last), strict=True):
        for axis in range(3):
            for step in (-1, 1):
                there = [x, z, y]
                there[axis] += step
                if 0 <= there[axis] < 16:
                    lit[tuple(there)] = True
    bits = [int(word) >> i & 1 for word in before[now : now + EDGE_WORDS] for i in range(64)]
    for side, income in zip(sides(lit), np.array(bits, np.bool_).reshape(6, 16, 16), strict=True):
        np.logical_or(side, income, out=side)
    assert 500 < lit.sum() < 3500
    assert (found[:64] == words_of(lit) & before[FREE : FREE + 64]).all()
    assert (found[64:] == behind).all()
    assert not row[now : now + EDGE_WORDS].any()
    kept = np.delete(np.arange(STATE_WORDS), range(now, now + EDGE_WORDS))
    assert (row[kept] == before[kept]).all()


@pytest.mark.parametrize("lines", [[], [0], [7], [1, 2, 6], list(range(8))])
def test_found_cells_become_the_last_plane_and_are_no_longer_free(lines: list[int]) -> None:
    found, row, edge, stored = noise(10, 64), noise(11, STATE_WORDS), noise(12, EDGE_WORDS), noise(13, 100)
    found.reshape(8, 8)[[k for k in range(8) if k not in lines]] = 0
    before, others = row.copy(), stored.copy()
    assert entered(found, row, edge, stored, 16) == sum(1 << k for k in lines)
    assert (edge == edges_of(found)).all()
    expected = before.copy()
    expected[LAST : LAST + 64] = found
    expected[FREE : FREE + 64] &= ~found
    expected[OPEN : OPEN + EDGE_WORDS] &= ~edge
    assert (row == expected).all()
    end = 16 + 8 * len(lines)
    assert (stored[16:end] == found.reshape(8, 8)[lines].reshape(-1)).all()
    assert (stored[:16] == others[:16]).all()
    assert (stored[80:] == others[80:]).all()


@pytest.mark.parametrize("side", range(6))
def test_light_is_sent_to_open_cells_on_the_other_side_of_a_border(side: int) -> None:
    edge, row, soon = noise(14, EDGE_WORDS), noise(15, STATE_WORDS), INCOME + EDGE_WORDS
    row[OPEN : OPEN + EDGE_WORDS] &= noise(16, EDGE_WORDS)
    expected, to = row.copy(), 4 * (side ^ 1)
    light = edge[4 * side : 4 * side + 4] & row[OPEN + to : OPEN + to + 4]
    expected[soon + to : soon + to + 4] |= light
    assert sent(edge, side, row, soon)
    assert (row == expected).all()
    row[OPEN + to : OPEN + to + 4] = 0
    before = row.copy()
    assert not sent(edge, side, row, soon)
    assert (row == before).all()


@pytest.mark.parametrize("level", [1, 6, 15])
def test_the_bits_of_a_level_are_set_for_its_cells(level: int) -> None:
    words, bits = noise(17, 30), noise(18, 300) & noise(19, 300)
    expected = bits.copy()
    for i in range(4):
        if level >> i & 1:
            expected[8 + 64 * i : 16 + 64 * i] |= words[5:13]
    counted(words, 5, level, bits, 8)
    assert (bits == expected).all()
