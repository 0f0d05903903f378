import pytest

from client.player import Eye, Player, PlayerConfig, View

# ---------------------------------------------------------------- movement

CONFIG = PlayerConfig(level_speed_blocks_s=10.0, climb_speed_blocks_s=5.0)


def test_it_follows_no_faster_than_a_flying_player_may() -> None:
    player = Player(Eye(0, 0, 0), 0.0, CONFIG)
    player.follow(Eye(100, 0, 0))
    now = 0.0
    for _ in range(20):
        now += 0.05
        assert player.step(now).delta.x <= 0.5 + 1e-9
    assert player.position.x == pytest.approx(10.0)


def test_the_slower_axis_bounds_a_slanted_flight() -> None:
    player = Player(Eye(0, 0, 0), 0.0, CONFIG)
    player.follow(Eye(1, 100, 0))
    step = player.step(0.2)
    assert step.delta.y == pytest.approx(1.0)
    assert step.delta.x == pytest.approx(0.01)


def test_it_arrives_exactly_and_then_rests() -> None:
    player = Player(Eye(0, 0, 0), 0.0, CONFIG)
    player.follow(Eye(0.3, 0.1, 0.2))
    assert player.step(0.2).position == Eye(0.3, 0.1, 0.2)
    assert not player.step(0.4).moved


def test_a_long_pause_is_no_jump() -> None:
    player = Player(Eye(0, 0, 0), 0.0, CONFIG)
    player.follow(Eye(1000, 0, 0))
    assert player.step(60.0).delta.x == pytest.approx(2.5)


def test_a_correction_is_obeyed_until_the_target_moves() -> None:
    player = Player(Eye(0, 0, 0), 0.0, CONFIG)
    player.follow(Eye(100, 0, 0))
    player.step(0.1)
    player.correct(Eye(0, 0, 0))
    assert player.held_at == Eye(0, 0, 0)
    assert not player.step(0.2).moved
    player.follow(Eye(100, 0, 0))
    assert player.held_at is not None
    player.follow(Eye(50, 0, 0))
    assert player.held_at is None
    assert player.step(0.3).moved


def test_a_spawn_moves_player_and_target() -> None:
    player = Player(Eye(0, 0, 0), 0.0, CONFIG)
    player.follow(Eye(9, 9, 9))
    player.place(Eye(5, 70, 5))
    assert player.position == player.target == Eye(5, 70, 5)
    assert player.held_at is None


def test_one_that_is_held_a_hair_from_its_target_is_not_on_its_way() -> None:
    player = Player(Eye(0, 100, 0), 0.0, CONFIG)
    assert not player.on_its_way
    player.follow(Eye(1, 100, 0))
    assert player.on_its_way
    player.correct(Eye(1, 100.12, 0))
    assert player.held_at is None, "too near to be told"
    assert not player.on_its_way, "nobody would ever see it arrive"


# ---------------------------------------------------------------- view


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
