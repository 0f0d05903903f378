from typing import Any

import pytest

from client.player import Eye, PlayerConfig, View
from client.session.movement import FLAG_UP, FLAG_WANT_DOWN, FLAG_WANT_UP, Motion
from net.bedrock import CorrectPlayerMovePrediction, MoveMode, MovePlayer, PlayerAuthInput
from tests.support.session.driven import start_game


def motion(movement_mode: int = 2, **start: Any) -> Motion:
    made = Motion(PlayerConfig(), 0.05, 0.0)
    made.start(start_game(movement_mode=movement_mode, runtime_id=7, position=(8.0, 70.0, 8.0), **start))
    return made


def test_a_ruling_server_hears_every_tick_with_a_rising_number() -> None:
    made = motion()
    sent = [message for step in range(11) for message in made.tick(step * 0.025)]
    assert [type(m) for m in sent] == [PlayerAuthInput] * 6
    assert [m.tick for m in sent if isinstance(m, PlayerAuthInput)] == [1, 2, 3, 4, 5, 6]


def test_where_the_client_rules_only_changes_are_told() -> None:
    made = motion(movement_mode=0)
    first = made.tick(0.0)
    assert first == []
    made.look(View(Eye(8.0, 70.0, 9.0), 90.0, 10.0))
    made.tick(0.05)
    (told,) = made.tick(0.10)
    assert isinstance(told, MovePlayer)
    assert (told.runtime_id, told.yaw, told.pitch) == (7, 90.0, 10.0)
    assert told.position[2] > 8.0


@pytest.mark.parametrize(
    ("target", "flags"),
    [
        (Eye(8, 70, 8), 0),
        (Eye(8, 70, 20), FLAG_UP),
        (Eye(8, 90, 8), FLAG_WANT_UP),
        (Eye(20, 50, 8), FLAG_UP | FLAG_WANT_DOWN),
    ],
)
def test_flags_say_which_keys_would_do_this(target: Eye, flags: int) -> None:
    made = motion()
    made.look(View(target))
    made.tick(0.0)
    (told,) = made.tick(0.05)
    assert isinstance(told, PlayerAuthInput)
    assert told.flags == flags
    assert told.delta == pytest.approx([a - b for a, b in zip(told.position, (8, 70, 8), strict=True)])


def test_teleports_of_ours_are_obeyed_and_moves_of_others_are_not() -> None:
    made = motion()
    assert not made.moved_by_server(MovePlayer(9, (0, 0, 0), 0, 0, 0, MoveMode.TELEPORT))
    assert not made.moved_by_server(MovePlayer(7, (0, 0, 0), 0, 0, 0, MoveMode.NORMAL))
    assert made.moved_by_server(MovePlayer(7, (100, 80, 100), 0, 0, 0, MoveMode.TELEPORT))
    assert made.player.position == Eye(100, 80, 100)


@pytest.mark.parametrize(
    ("mode", "camera", "seen"),
    [
        (MoveMode.TELEPORT, Eye(8, 70, 8), Eye(100, 80, 100)),
        (MoveMode.TELEPORT, Eye(8, 70, 13), Eye(8, 70, 13)),  # the player is still on its way there
        (MoveMode.RESET, Eye(8, 70, 8), Eye(8, 70, 8)),
    ],
)
def test_a_teleport_takes_the_view_along_that_was_with_the_player(mode: MoveMode, camera: Eye, seen: Eye) -> None:
    made = motion()
    made.look(View(camera, 90.0, 10.0))
    assert made.moved_by_server(MovePlayer(7, (100, 80, 100), 0, 0, 0, mode))
    assert made.view == View(seen, 90.0, 10.0)
    assert made.player.position == Eye(100, 80, 100)


def test_a_correction_holds_the_player() -> None:
    made = motion()
    made.look(View(Eye(50, 70, 8)))
    made.corrected(CorrectPlayerMovePrediction((8, 70, 8), (0, 0, 0), on_ground=False, tick=3))
    made.tick(0.05)
    assert made.player.held_at == Eye(8, 70, 8)
