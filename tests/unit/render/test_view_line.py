"""A view as one line of text: written, read, and refused in one sentence."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.errors import UsageError
from client.player import Eye, View
from render.view_line import ViewLine, parse_view_line

axes = st.floats(-3e7, 3e7)


@given(st.tuples(axes, axes, axes), st.floats(-180, 180), st.floats(-90, 90), st.floats(10, 150), st.integers(0, 9))
def test_a_line_reads_back_to_a_millimetre(
    at: tuple[float, float, float], yaw: float, pitch: float, fov: float, dimension: int
) -> None:
    view = View(Eye(*at), yaw, pitch, fov)
    line = ViewLine.of(view, dimension)
    again = parse_view_line(str(line))
    assert again.dimension == dimension
    back = again.view(View(Eye(0.0, 0.0, 0.0)))
    assert back.eye.distance_blocks(view.eye) < 0.002
    assert abs(back.yaw_deg - yaw) < 0.006
    assert abs(back.pitch_deg - pitch) < 0.006
    assert abs(back.fov_deg - fov) < 0.001
    assert str(again) == str(parse_view_line(str(again))), "written once, it does not drift"


@given(st.floats(1, 4096))
def test_an_orthographic_line_reads_back_and_names_no_field_of_view(high: float) -> None:
    line = str(ViewLine.of(View(Eye(1.0, 2.0, 3.0), 4.0, 5.0, 60.0, high)))
    assert "--fov" not in line
    back = parse_view_line(line).view(View(Eye(0.0, 0.0, 0.0), fov_deg=50.0))
    assert back.ortho_blocks == pytest.approx(high, rel=1e-5)
    assert back.fov_deg == 50.0


def test_a_line_with_a_field_of_view_is_in_perspective() -> None:
    now = View(Eye(1.0, 2.0, 3.0), ortho_blocks=30.0)
    assert parse_view_line("--at 1,2,3").view(now).ortho_blocks == 30.0
    assert parse_view_line("--at 1,2,3 --fov 50").view(now).ortho_blocks is None
    assert parse_view_line("--at 1,2,3 --fov 50 --ortho 8").view(now) == View(Eye(1, 2, 3), 0.0, 0.0, 50.0, 8.0)


def test_what_a_line_does_not_say_stays() -> None:
    now = View(Eye(1.0, 2.0, 3.0), 40.0, 50.0, 60.0)
    assert parse_view_line("--at 7,8,9").view(now) == View(Eye(7.0, 8.0, 9.0), 40.0, 50.0, 60.0)
    assert parse_view_line("--fov 30 --at 7,8,9 --look -5,6").view(now) == View(Eye(7.0, 8.0, 9.0), -5.0, 6.0, 30.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is no view: write --at X,Y,Z"),
        ("over there", "A view has no 'over'"),
        ("--at", "is no view: write"),
        ("--look 1,2", "it has no --at"),
        ("--at 1,2,3 --at 1,2,3", "says --at twice"),
        ("--at 1,2,3 --fow 70", "A view has no '--fow' (nearest: --fov)."),
        ("--at 1,2,3 --fov 5", "A field of view of 5 degrees"),
        ("--at 1,2,3 --fov wide", "A field of view of wide degrees"),
        ("--at 1,2,3 --fov nan", "A field of view of nan degrees"),
        ("--at 1,2,3 --ortho 0", "An orthographic picture 0 blocks high"),
        ("--at 1,2,3 --ortho high", "An orthographic picture high blocks high"),
        ("--at 1,2,3 --look 0,91", "A pitch of 91"),
        ("--at 1,2,3 --dimension aether", "There is no dimension 'aether'"),
        ("--at '1,2,3", "a quotation mark is never closed"),
        ("--at " + "1" * 500, "are no view: one has 400 at most"),
    ],
)
def test_what_is_no_view_is_one_sentence(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_view_line(text)
    assert said in str(caught.value)
    assert "\n" not in str(caught.value)
