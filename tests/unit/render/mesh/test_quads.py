"""The packed words of a quad: what goes in comes out, and the kernel and the shaders are told the same bits."""

import numpy as np
import pytest

from render.mesh import cube_kernels as kernels
from render.mesh import quads


@pytest.mark.parametrize("layout", [quads.CUBE, quads.MODEL])
def test_no_two_fields_share_a_bit(layout: dict[str, quads.Field]) -> None:
    taken = [0] * 6
    for field in layout.values():
        bits = field.mask << field.shift
        assert bits < 1 << 32
        assert not taken[field.word] & bits
        taken[field.word] |= bits


@pytest.mark.parametrize("layout", [quads.CUBE, quads.MODEL])
def test_every_field_gives_back_its_smallest_and_largest_value(layout: dict[str, quads.Field]) -> None:
    for name, field in layout.items():
        ends = [field.bias, field.bias + field.mask]
        words = quads.pack(layout, 2, **{name: ends})
        assert quads.read(layout, words, name).tolist() == ends
        for other in layout.keys() - {name}:
            assert quads.read(layout, words, other).tolist() == [max(layout[other].bias, 0)] * 2


def test_a_value_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="width"):
        quads.pack(quads.CUBE, 1, width=17)
    with pytest.raises(ValueError, match="no such field"):
        quads.pack(quads.CUBE, 1, weight=1)


def test_sizes_are_those_of_the_arena() -> None:
    assert quads.pack(quads.CUBE, 3).nbytes == 3 * 8
    assert quads.pack(quads.MODEL, 3).nbytes == 3 * 24


def test_the_kernel_shifts_as_the_layout_says() -> None:
    cube = quads.CUBE
    assert (cube["x"].shift, cube["x"].word) == (0, 0)
    assert cube["z"].shift == kernels.SHIFT_Z
    assert cube["y"].shift == kernels.SHIFT_Y
    assert cube["face"].shift == kernels.SHIFT_FACE
    assert cube["width"].shift == kernels.SHIFT_WIDTH
    assert cube["height"].shift == kernels.SHIFT_HEIGHT
    assert cube["flags"].shift == kernels.SHIFT_FLAGS
    model = quads.MODEL  # emit_model adds the block's position to origin and block fields by these shifts
    assert [model[name].shift for name in ("x", "z", "y")] == [0, 10, 20]
    assert [model[name].shift for name in ("block_x", "block_z", "block_y")] == [0, 4, 8]
    assert model["block_x"].word == 5
    assert (model["block"].word, model["block"].shift) == (3, 16)


def test_shaders_are_given_every_field_as_python_reads_it() -> None:
    given = quads.defines()
    for prefix, layout in (("CUBE", quads.CUBE), ("MODEL", quads.MODEL)):
        random = np.random.default_rng(1).integers(0, 2**32, (50, 6), dtype=np.uint32)
        for name in layout:
            start = f"{prefix}_{name.upper()}"
            word, shift, mask = (given[f"{start}_{part}"] for part in ("WORD", "SHIFT", "MASK"))
            value = (random[:, word].astype(np.int64) >> shift & mask) + given[f"{start}_BIAS"]
            assert value.tolist() == quads.read(layout, random, name).tolist()
    assert given["GROUP_SLOPE"] == quads.GROUPS - 1
    assert all(isinstance(value, int) for value in given.values())


def test_flipped_faces_are_those_whose_axes_point_inwards() -> None:
    axes = np.eye(3)
    for face, axis in enumerate(quads.FACE_AXIS):
        outward = axes[axis] * (1 if face & 1 else -1)
        normal = np.cross(axes[quads.FACE_WIDTH_AXIS[face]], axes[quads.FACE_HEIGHT_AXIS[face]])
        assert (normal @ outward < 0) == bool(quads.FLIPPED_FACES >> face & 1)
