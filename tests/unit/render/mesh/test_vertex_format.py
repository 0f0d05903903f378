"""The packed words of a quad: what goes in comes out, and the kernel and the shaders are told the same bits."""

import numpy as np
import pytest

from render.mesh import cube_kernels as kernels
from render.mesh import vertex_format


@pytest.mark.parametrize("layout", [vertex_format.CUBE, vertex_format.MODEL])
def test_no_two_fields_share_a_bit(layout: dict[str, vertex_format.BitField]) -> None:
    taken = [0] * 6
    for field in layout.values():
        bits = field.mask << field.shift
        assert bits < 1 << 32
        assert not taken[field.word] & bits
        taken[field.word] |= bits


@pytest.mark.parametrize("layout", [vertex_format.CUBE, vertex_format.MODEL])
def test_every_field_gives_back_its_smallest_and_largest_value(layout: dict[str, vertex_format.BitField]) -> None:
    for name, field in layout.items():
        ends = [field.bias, field.bias + field.mask]
        words = vertex_format.pack(layout, 2, **{name: ends})
        assert vertex_format.read(layout, words, name).tolist() == ends
        for other in layout.keys() - {name}:
            assert vertex_format.read(layout, words, other).tolist() == [max(layout[other].bias, 0)] * 2


def test_a_value_that_does_not_fit_is_refused() -> None:
    with pytest.raises(ValueError, match="width"):
        vertex_format.pack(vertex_format.CUBE, 1, width=17)
    with pytest.raises(ValueError, match="no such field"):
        vertex_format.pack(vertex_format.CUBE, 1, weight=1)


def test_sizes_are_those_of_the_arena() -> None:
    assert vertex_format.pack(vertex_format.CUBE, 3).nbytes == 3 * 8
    assert vertex_format.pack(vertex_format.MODEL, 3).nbytes == 3 * 24


def test_the_kernel_shifts_as_the_layout_says() -> None:
    cube = vertex_format.CUBE
    assert (cube["x"].shift, cube["x"].word) == (0, 0)
    assert cube["z"].shift == kernels.SHIFT_Z
    assert cube["y"].shift == kernels.SHIFT_Y
    assert cube["face"].shift == kernels.SHIFT_FACE
    assert cube["width"].shift == kernels.SHIFT_WIDTH
    assert cube["height"].shift == kernels.SHIFT_HEIGHT
    assert cube["flags"].shift == kernels.SHIFT_FLAGS
    model = vertex_format.MODEL  # emit_model adds the block's position to origin and block fields by these shifts
    assert [model[name].shift for name in ("x", "z", "y")] == [0, 10, 20]
    assert [model[name].shift for name in ("block_x", "block_z", "block_y")] == [0, 4, 8]
    assert model["block_x"].word == 5
    assert (model["block"].word, model["block"].shift) == (3, 16)


def test_shaders_are_given_every_field_as_python_reads_it() -> None:
    given = vertex_format.defines()
    for prefix, layout in (("CUBE", vertex_format.CUBE), ("MODEL", vertex_format.MODEL)):
        random = np.random.default_rng(1).integers(0, 2**32, (50, 6), dtype=np.uint32)
        for name in layout:
            start = f"{prefix}_{name.upper()}"
            word, shift, mask = (given[f"{start}_{part}"] for part in ("WORD", "SHIFT", "MASK"))
            value = (random[:, word].astype(np.int64) >> shift & mask) + given[f"{start}_BIAS"]
            assert value.tolist() == vertex_format.read(layout, random, name).tolist()
    assert given["GROUP_SLOPE"] == vertex_format.GROUPS - 1
    assert all(isinstance(value, int) for value in given.values())


def test_flipped_faces_are_those_whose_axes_point_inwards() -> None:
    axes = np.eye(3)
    for face, axis in enumerate(vertex_format.FACE_AXIS):
        outward = axes[axis] * (1 if face & 1 else -1)
        normal = np.cross(axes[vertex_format.FACE_WIDTH_AXIS[face]], axes[vertex_format.FACE_HEIGHT_AXIS[face]])
        assert (normal @ outward < 0) == bool(vertex_format.FLIPPED_FACES >> face & 1)
