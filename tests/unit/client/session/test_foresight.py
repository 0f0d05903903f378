"""What is walked for ahead of a player who moves."""

from client.player import Eye, View
from client.session.config import SessionConfig
from net.interest import Weights
from tests.support.virtual_session import SWIFT, VirtualSession

STEPS = 6


def walks_of_a_short_walk(attention: bool) -> int:
    """Walks while the player takes a few steps of a quarter of a block, within one sub-chunk."""
    config = SessionConfig(radius=2, player=SWIFT, weights=Weights(attention=attention))
    virtual = VirtualSession("hills:1", config=config)
    assert virtual.settle()
    start = virtual.session.player
    towards_the_middle = 0.25 if start.x % 16 < 8 else -0.25
    before = virtual.session.stats(virtual.now).requests.walks
    for step in range(1, STEPS + 1):
        virtual.session.look(View(Eye(start.x + step * towards_the_middle, start.y, start.z)))
        for _ in range(5):
            virtual.turn()
    assert virtual.session.player.subchunk == start.subchunk
    return virtual.session.stats(virtual.now).requests.walks - before


def test_where_a_player_is_likely_to_be_is_walked_from_while_it_moves() -> None:
    without, ahead = walks_of_a_short_walk(False), walks_of_a_short_walk(True)
    likely = len(Weights().soon_after_s) + 1
    assert ahead >= without + likely
    assert ahead <= without + 2 * STEPS * likely, "with each walk from the eye, and where the likely place changes"
