"""What a session on each kind of source is told."""

import pytest

from client.connect.opening import session_config
from client.connect.options import Options
from client.connect.source import parse_source


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
