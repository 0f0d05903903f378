import pytest

from client.connect.source import Embedded, Remote
from client.connect.wording import absent, other_version, source_sentence

SOURCE = Remote("play.example.org")


@pytest.mark.parametrize(
    ("reason", "part"),
    [
        ("disconnectionScreen.serverFull", "is full"),
        ("disconnectionScreen.notAuthenticated", "signed-in"),
        ("You must sign in to Xbox", "signed-in"),
        ("disconnectionScreen.outdatedClient", "newer version"),
        ("Go away.\nNow", "Go away. Now"),
    ],
)
def test_a_reason_becomes_one_sentence_that_names_the_source(reason: str, part: str) -> None:
    sentence = source_sentence(SOURCE, reason)
    assert part in sentence
    assert sentence.startswith("play.example.org:19132")
    assert sentence.endswith(".")
    assert "\n" not in sentence


def test_versions_are_named_on_both_sides() -> None:
    sentence = other_version(SOURCE, 622, "1.20.40", 486)
    assert "1.20.40 (protocol 622)" in sentence
    assert "486" in sentence
    assert "protocol 622" in other_version(SOURCE, 622, "", 486)


def test_nobody_there() -> None:
    assert absent(Embedded(), 2.5) == "Nobody answered at embedded:hills:1 within 2.5 s."
