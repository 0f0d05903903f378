"""A server killed at any moment while it saves leaves the world of one tick, and loses nothing it said was saved."""

from pathlib import Path

import pytest

from tests.support.servers.saving import STATES, Expected, edits_of, kill_and_look, look_at, open_host, play

KILLS = 12


def test_a_killed_server_leaves_the_world_of_one_tick(tmp_path: Path) -> None:
    found = kill_and_look(tmp_path, KILLS, seed=1, most_lines=600)
    assert found[-1] > 50


def test_a_world_that_is_not_of_one_tick_would_be_noticed(tmp_path: Path) -> None:
    saved: list[int] = []
    host, saving, folder = open_host(tmp_path, saved, [])
    for _ in range(20):
        play(host, saving)
    dimension, position, state = edits_of(20)[-1]
    host.set_block(position, next(other for other in STATES if other != state), dimension=dimension)
    host.finish(0.0)
    folder.close()
    with pytest.raises(AssertionError, match="blocks differ"):
        look_at(tmp_path, Expected())
