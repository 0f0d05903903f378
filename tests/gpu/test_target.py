"""Targets come and go."""

import pytest

from render.gpu import Gpu, Target

pytestmark = pytest.mark.gpu


def test_a_target_can_be_replaced_while_it_is_drawn_to(gpu: Gpu) -> None:
    for size in ((32, 16), (48, 24)):
        target = Target(gpu, size)
        target.begin()
        pixels = target.pixels()
        assert pixels.shape == (size[1], size[0], 4)
        assert (pixels == (0, 0, 0, 255)).all()
        target.release()


def test_dropped_objects_are_found(context: Gpu) -> None:
    context.ctx.buffer(reserve=16)
    assert context.leaks() == 1
    assert context.leaks() == 0
