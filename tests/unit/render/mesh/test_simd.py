"""The vector steps beside what they say, number by number."""

import numpy as np
import pytest

from net.kernels.jit import kernel
from render.mesh.simd import grow, reach, slice_bits, some64, stack, turn

Rows = np.ndarray


@kernel("void(uint32[::1], int64, int64)")
def turned(rows: Rows, at: int, to: int) -> None:
    turn(rows, at, to)


@kernel("void(uint32[::1], int64, int64)")
def sliced(rows: Rows, at: int, to: int) -> None:
    slice_bits(rows, at, to)


@kernel("int64(uint32[::1], int64, int64, int64)")
def reached(rows: Rows, at: int, bit: int, lane: int) -> int:
    return reach(rows, at, bit, lane)


@kernel("int64(uint32[::1], int64, int64)")
def some(rows: Rows, at: int, bits: int) -> int:
    return some64(rows, at, bits)


@kernel("int64(uint32[::1])")
def grown(rows: Rows) -> int:
    return grow(rows, 0, 512, 768, 1024)


@kernel("void(uint16[:,::1], int64, int64, int64, int64, int64[::1], int64)")
def stacked(masks: np.ndarray, below: int, low: int, high: int, above: int, out: np.ndarray, to: int) -> None:
    stack(masks, below, low, high, above, out, to)


def noise(seed: int, count: int) -> Rows:
    return np.random.default_rng(seed).integers(0, 1 << 32, count).astype(np.uint32)


def test_a_square_is_turned_wherever_it_lies() -> None:
    rows = noise(1, 700)
    before = rows.copy()
    turned(rows, 5, 400)
    assert (rows[400:656].reshape(16, 16) == before[5:261].reshape(16, 16).T).all()
    assert (np.delete(rows, range(400, 656)) == np.delete(before, range(400, 656))).all()


def test_bits_of_a_row_become_rows_of_bits() -> None:
    rows = noise(2, 64)
    sliced(rows, 3, 40)
    for b in range(16):
        for i in range(16):
            assert int(rows[40 + b]) >> i & 1 == int(rows[3 + i]) >> b & 1
            assert int(rows[40 + b]) >> (16 + i) & 1 == int(rows[3 + i]) >> (b + 16) & 1


@pytest.mark.parametrize("bits", [0xFFFFFFFF, 0xFFFF, 0xFFFF0000])
def test_numbers_that_have_some_of_these_bits(bits: int) -> None:
    rows = np.where(noise(4, 100) & 1, noise(5, 100) & 0x00010100, noise(6, 100) & 0x40000000).astype(np.uint32)
    said = some(rows, 7, bits)
    assert [said >> k & 1 for k in range(64)] == [int(number & bits != 0) for number in rows[7:71].tolist()]


@pytest.mark.parametrize(("lane", "expected"), [(0, 2), (1, 1), (2, 0), (3, 3), (6, 0), (14, 1), (15, 0)])
def test_a_run_reaches_as_far_as_its_bit_is_set(lane: int, expected: int) -> None:
    rows = np.zeros(32, np.uint32)
    rows[[1, 2, 4, 5, 6, 15, 16, 17]] = 1 << 31 | 1
    rows[[0, 3, 7]] = 2
    assert reached(rows, 0, 1 << 31, lane) == expected


def plainly(faces: Rows, same: Rows, joined: Rows) -> set[tuple[int, int, int, int, int]]:
    """Plane, row, bit, how many bits and rows more: runs taken one after the other, each as far as it goes."""
    left, quads = faces.astype(np.int64), set()
    for row in range(16):
        for plane in range(16):
            while left[row, plane]:
                bit = (int(left[row, plane]) & -int(left[row, plane])).bit_length() - 1
                height = 0
                while int(left[row, plane]) >> (bit + height + 1) & 1 and int(same[row, plane]) >> (bit + height) & 1:
                    height += 1
                run, end = (2 << height) - 1 << bit, row
                while end < 15 and left[end + 1, plane] & int(joined[end, plane]) & run == run:
                    end += 1
                left[row : end + 1, plane] &= ~run
                quads.add((plane, row, bit, height, end - row))
    return quads


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("share", [0.3, 0.8, 0.97, 1.0])
def test_planes_merge_as_they_do_one_run_after_the_other(seed: int, share: float) -> None:
    random = np.random.default_rng(seed)
    first, second, same, joined = (
        (random.random((16, 16, 32)) < part) @ (1 << np.arange(32, dtype=np.int64)) for part in (share, 0.6, 0.8, share)
    )
    rows = np.zeros(2560, np.uint32)
    rows[:1024] = np.concatenate([first, second, same, joined]).reshape(-1)
    some = grown(rows)
    for side, faces in enumerate((first, second)):
        starts, runs, earlier = rows[1024 + 768 * side :][:768].reshape(3, 16, 16).astype(np.int64)
        quads = set()
        for row, plane in np.argwhere(starts).tolist():
            for bit in range(32):
                if starts[row, plane] >> bit & 1:
                    height = (~(int(runs[row, plane]) >> bit) & -(~(int(runs[row, plane]) >> bit))).bit_length() - 1
                    behind = [int(word) >> bit & 1 for word in earlier[plane, row + 1 :]]
                    quads.add((plane, row, bit, height, [*behind, 0].index(0)))
        assert quads == plainly(faces, same, joined)
        assert (some >> 16 * side & 0xFFFF != 0) == earlier.any()


def test_columns_of_four_slots_stand_on_each_other() -> None:
    masks = noise(7, 4 * 256).astype(np.uint16).reshape(4, 256)
    out = np.full(40, -1, np.int64)
    at = (768 + 16, 32, 512, 256 + 240)
    stacked(masks, *at, out, 5)
    flat = masks.reshape(-1)
    below, low, high, above = ([int(number) for number in flat[first : first + 16]] for first in at)
    expected = [b >> 15 | m << 1 | h << 17 | (a & 1) << 33 for b, m, h, a in zip(below, low, high, above, strict=True)]
    assert out[5:21].tolist() == expected
    assert (np.delete(out, range(5, 21)) == -1).all()
