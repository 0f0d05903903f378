import pytest

from client.player import Eye, View


@pytest.mark.parametrize(
    ("yaw", "pitch", "forward"),
    [(0, 0, (0, 0, 1)), (90, 0, (-1, 0, 0)), (180, 0, (0, 0, -1)), (-90, 0, (1, 0, 0)), (0, 90, (0, -1, 0))],
)
def test_angles_have_the_signs_of_the_game(yaw: float, pitch: float, forward: tuple[float, float, float]) -> None:
    assert tuple(View(Eye(0, 0, 0), yaw, pitch).forward) == pytest.approx(forward)


def test_an_eye_below_zero_lies_in_the_lower_subchunk() -> None:
    eye = Eye(-0.5, -64.0, 16.0)
    assert eye.block == (-1, -64, 16)
    assert eye.subchunk == (-1, -4, 1)
    assert eye.column == (-1, 1)
