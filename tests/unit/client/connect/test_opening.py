"""What a session on each kind of source is told."""

import math
import threading

import pytest

from client.connection import opening
from client.connection.opening import session_config
from client.errors import SourceError
from client.options import Options
from client.source import parse_source


@pytest.mark.parametrize(
    ("source", "quiet_s"),
    [
        ("embedded:hills", 15.0),
        ("embedded:flat:7", 15.0),
        ("embedded:bench", 0.5),
        ("127.0.0.1:19132", 0.5),
        ("a.zip", 0.5),
    ],
)
def test_our_worlds_without_end_alone_may_be_silent_for_long(source: str, quiet_s: float) -> None:
    assert session_config(parse_source(source), Options(), 486).quiet_s == quiet_s


def test_a_system_that_does_not_answer_is_told_of_and_given_up() -> None:
    gate, told = threading.Event(), []
    with pytest.raises(SourceError, match=r"looking up far\.example took too long"):
        opening._beside(gate.wait, lambda: told.append(1), 0.0, "looking up far.example")
    assert told, "a window is alive meanwhile"
    gate.set()


def test_who_waits_for_the_system_may_give_up() -> None:
    def closed() -> None:
        raise KeyboardInterrupt

    gate = threading.Event()
    with pytest.raises(KeyboardInterrupt):
        opening._beside(gate.wait, closed, math.inf, "looking up far.example")
    gate.set()
