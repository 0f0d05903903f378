"""How far a recording of which one dimension is wanted is lived through: until the player leaves it.

Rules:
1. The first stay counts, the one that is shown first. What a server tells after it is of somewhere else.
2. Only who waits for a whole world stays (``Connection.wait_settled``); one that is watched plays on.
"""

from client.connect.replay import Replay
from client.session.session import Session


def stay_in(replay: Replay, dimension: int) -> None:
    """Goes to the last turn before a dimension is left and pauses there; where it is never left, to the end.

    Args:
        replay: a recording; one that rests, or shows another dimension, stays as it is.
        dimension: its number.
    """
    if replay.resting or replay.session.store.dimension.number != dimension:
        return
    packets = replay.position.packets

    def left(session: Session) -> bool:
        nonlocal packets
        here = session.store.dimension.number == dimension
        packets = replay.position.packets if here else packets
        return not here

    replay.until(left)
    if left(replay.session):
        replay.seek_packet(packets)
