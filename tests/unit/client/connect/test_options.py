from typing import Any

import pytest

from client.errors import UsageError
from client.options import Box, Moment, Options, parse_at, parse_box, parse_look, parse_moment
from client.player import Eye
from net.space.positions import BlockPos


def test_a_box_excludes_its_upper_corner() -> None:
    box = parse_box("-16,-64,0,16,320,48")
    assert box == Box(BlockPos(-16, -64, 0), BlockPos(16, 320, 48))
    assert box.shape == (32, 48, 384)
    assert box.centre == Eye(0, 128, 24)


@pytest.mark.parametrize("text", ["", "1,2,3", "0,0,0,1,1,0", "0,0,0,1,1,x", "5,0,0,4,1,1", "0,0,0,1,1,1,1"])
def test_a_box_that_holds_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        parse_box(text)


def test_positions_and_looks() -> None:
    assert parse_at("-5,64.5,3") == Eye(-5, 64.5, 3)
    assert parse_look("90,-30") == (90, -30)


@pytest.mark.parametrize("text", ["1,2", "a,b,c", "nan,0,0", "1e30,0,0"])
def test_a_position_must_be_three_numbers(text: str) -> None:
    with pytest.raises(UsageError):
        parse_at(text)


@pytest.mark.parametrize("text", ["1", "0,91", "0,nan"])
def test_a_look_must_be_possible(text: str) -> None:
    with pytest.raises(UsageError):
        parse_look(text)


@pytest.mark.parametrize(
    ("text", "moment", "said"),
    [
        ("12.5", Moment(12.5), "12.5 s"),
        ("0", Moment(0.0), "0 s"),
        ("2:05", Moment(125.0), "125 s"),
        ("1:02:05.5", Moment(3725.5), "3725.5 s"),
        ("#350", Moment(packet=350), "packet 350"),
        ("#0", Moment(packet=0), "packet 0"),
    ],
)
def test_a_place_in_a_recording_is_a_time_or_a_packet(text: str, moment: Moment, said: str) -> None:
    assert parse_moment(text) == moment
    assert str(moment) == said


@pytest.mark.parametrize("text", ["", "-1", "nan", "1e3", "#", "#-1", "#1.5", "1:2:3:4", ":5", "x:5", "5:", "\u0661"])
def test_other_places_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no place in a recording"):
        parse_moment(text)


@pytest.mark.parametrize(
    "wrong",
    [{"radius": 0}, {"protocol": 1}, {"profile": "x"}, {"mode": "x"}, {"timeout_s": 0}],
    ids=lambda w: next(iter(w)),
)
def test_options_that_cannot_be_meant_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        Options(**wrong)
