"""A payload on its way out is cut into the frames that the plain way of writing them gives."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from net.raknet.frame import FRAGMENT_HEADER_BYTES, Fragment, Frame, Reliability, write_frame
from net.raknet.send_queue import Outgoing

FRAME_BYTES = 60


def taken(waiting: Outgoing) -> list[bytes]:
    frames = []
    while waiting.frames:
        size_bytes, all_bytes = waiting.frame_bytes, waiting.all_bytes
        head, body, _ = waiting.take()
        frames.append(bytes(head) + body)
        assert len(frames[-1]) == size_bytes
        assert waiting.all_bytes == all_bytes - size_bytes
    return frames


def plainly(payload: bytes, kind: Reliability, order: int, sequence: int, channel: int, first: int) -> list[bytes]:
    if len(payload) + kind.header_bytes <= FRAME_BYTES:
        return [write_frame(Frame(payload, kind, max(first, 0), sequence, order, channel))]
    room = FRAME_BYTES - kind.header_bytes - FRAGMENT_HEADER_BYTES
    pieces = [payload[at : at + room] for at in range(0, len(payload), room)]
    return [
        write_frame(Frame(piece, kind, first + at, sequence, order, channel, Fragment(len(pieces), 77, at)))
        for at, piece in enumerate(pieces)
    ]


@given(
    payload=st.binary(min_size=1, max_size=400),
    kind=st.sampled_from([kind for kind in Reliability if kind.reliable]),
    order=st.integers(0, 1 << 25),
    channel=st.integers(0, 31),
    first=st.integers(0, 1 << 25),
)
def test_pieces_are_the_frames_the_plain_way_writes(
    payload: bytes, kind: Reliability, order: int, channel: int, first: int
) -> None:
    order, channel = (order, channel) if kind.ordered else (0, 0)
    sequence = order // 2 if kind.sequenced else 0
    waiting = Outgoing(payload, kind, order, sequence, channel, first, 77, FRAME_BYTES)
    expected = plainly(payload, kind, order, sequence, channel, first)
    assert waiting.all_bytes == sum(map(len, expected))
    assert taken(waiting) == expected
    assert waiting.all_bytes == 0


def test_reliable_indices_count_up_from_the_first() -> None:
    waiting = Outgoing(bytes(200), Reliability.RELIABLE_ORDERED, 0, 0, 0, 0xFFFFFE, 0, FRAME_BYTES)
    assert [waiting.take()[2] for _ in range(waiting.frames)] == list(range(0xFFFFFE, 0xFFFFFE + 5))


@pytest.mark.parametrize("kind", [Reliability.UNRELIABLE, Reliability.UNRELIABLE_SEQUENCED])
def test_an_unreliable_payload_is_one_frame_without_a_reliable_index(kind: Reliability) -> None:
    waiting = Outgoing(b"once", kind, 0, 0, 0, -1, 0, FRAME_BYTES)
    head, body, index = waiting.take()
    assert (bytes(head) + body, index) == (write_frame(Frame(b"once", kind)), -1)
