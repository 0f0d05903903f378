"""Whose protocol a client speaks, of its first bytes alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from net.bedrock.batch import BatchWriter
from net.bedrock.codec import Codec
from net.bedrock.packets.login import Login, RequestNetworkSettings
from net.bedrock.releases import NEWEST, OLDEST, RELEASES, SETTINGS_FIRST, Spoken, readable_by
from net.errors import LocalProtocolError


def first_batch(protocol: int, said: int | None = None, level: int = 6) -> bytes:
    """What a client of a protocol sends first; ``said`` is the number in it."""
    number = protocol if said is None else said
    old = protocol < SETTINGS_FIRST
    message = Login(number, "{}" * 400, "x" * 900) if old else RequestNetworkSettings(number)
    return BatchWriter(level, protocol).pack([Codec(protocol).encode(message)])


@pytest.mark.parametrize("release", RELEASES, ids=lambda release: str(release.protocol))
@pytest.mark.parametrize("level", [0, 1, 9])
def test_each_release_is_known_by_its_first_batch(release: object, level: int) -> None:
    protocol = release.protocol
    assert readable_by(first_batch(protocol, level=level)) == protocol


@pytest.mark.parametrize(
    ("form", "said", "reads"),
    [
        (486, 400, OLDEST.protocol),
        (486, -7, OLDEST.protocol),
        (486, 2193, SETTINGS_FIRST - 1),
        (2193, 9999, NEWEST.protocol),
        (2193, 486, SETTINGS_FIRST),
    ],
)
def test_who_says_another_number_is_spoken_to_in_the_form_it_uses(form: int, said: int, reads: int) -> None:
    assert readable_by(first_batch(form, said)) == reads


@given(st.binary(max_size=64))
def test_nonsense_says_nothing_or_something_we_speak(payload: bytes) -> None:
    for first in (payload, b"\xfe" + payload):
        reads = readable_by(first)
        assert reads is None or OLDEST.protocol <= reads <= NEWEST.protocol


def test_a_range_is_one_of_protocols_that_are_spoken() -> None:
    assert 700 in Spoken()
    assert 485 not in Spoken()
    assert str(Spoken.only(975)) == "protocol 975"
    assert str(Spoken(486, 975)) == "protocols 486 (1.18.10) to 975 (1.26.20)"
    for lowest, highest in ((485, 486), (486, 2194), (975, 486)):
        with pytest.raises(LocalProtocolError):
            Spoken(lowest, highest)
