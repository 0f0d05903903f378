import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from net.transport.lockstep import (
    FAILED,
    OPEN,
    STEP,
    FarEndFailed,
    FarHost,
    even_entropy,
    pack_step,
    read_frame,
    unpack_datagrams,
    unpack_step,
    write_frame,
)

DATAGRAMS = st.lists(st.binary(max_size=2000), max_size=8)


@given(st.floats(allow_nan=False), DATAGRAMS)
def test_a_step_comes_over_as_it_was(now: float, datagrams: list[bytes]) -> None:
    pipe = io.BytesIO()
    write_frame(pipe, STEP, pack_step(now, datagrams))
    write_frame(pipe, OPEN)
    pipe.seek(0)
    frame = read_frame(pipe)
    assert frame is not None
    kind, body = frame
    there, arrived = unpack_step(body)
    assert (kind, there, list(arrived)) == (STEP, now, datagrams)
    assert read_frame(pipe) == (OPEN, b"")
    assert read_frame(pipe) is None


def test_a_frame_that_is_cut_short_is_the_end() -> None:
    pipe = io.BytesIO()
    write_frame(pipe, STEP, pack_step(1.0, [b"abc"]))
    assert read_frame(io.BytesIO(pipe.getvalue()[:-1])) is None


def test_a_frame_that_cannot_be_is_a_failure() -> None:
    with pytest.raises(FarEndFailed, match="a frame of 4294967295 bytes"):
        read_frame(io.BytesIO(b"\xff\xff\xff\xff"))


def far_host(*answers: tuple[bytes, bytes]) -> tuple[FarHost, io.BytesIO]:
    questions, back = io.BytesIO(), io.BytesIO()
    for answer in answers:
        write_frame(back, *answer)
    back.seek(0)
    return FarHost(questions, back), questions


def test_what_arrives_is_carried_over_with_the_next_question() -> None:
    host, questions = far_host((OPEN, b""), (STEP, b"\x02\0\0\0yo"), (STEP, b""))
    host.open({"world": "flat:1"})
    host.receive(("127.0.0.1", 5), b"one", 1.0)
    assert host.datagrams(1.5) == [(("127.0.0.1", 5), b"yo")]
    assert host.datagrams(2.0) == []
    questions.seek(0)
    assert json.loads(read_frame(questions)[1]) == {"world": "flat:1"}
    for now, datagrams in ((1.5, [b"one"]), (2.0, [])):
        there, arrived = unpack_step(read_frame(questions)[1])
        assert (there, list(arrived)) == (now, datagrams)


def test_a_far_end_that_fails_or_is_gone_says_so() -> None:
    host, _ = far_host((FAILED, b"no world is called 'x'"))
    with pytest.raises(FarEndFailed, match="no world is called 'x'"):
        host.open({"world": "x"})
    with pytest.raises(FarEndFailed, match="gone"):
        host.datagrams(0.0)


def test_entropy_is_even() -> None:
    one, same, other = even_entropy(1), even_entropy(1), even_entropy(2)
    first = [one(size) for size in (8, 3, 20)]
    assert [same(size) for size in (8, 3, 20)] == first
    assert [len(part) for part in first] == [8, 3, 20]
    assert other(8) != first[0]
    assert list(unpack_datagrams(b"")) == []
