"""Which numbers are spoken, and with whose packets.

Spoken: Whose protocol a client speaks, of its first bytes alone.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from net.bedrock.batch import BatchWriter
from net.bedrock.codec import Codec
from net.bedrock.packets.login import Login, RequestNetworkSettings
from net.bedrock.releases import (
    NEWEST,
    OLDEST,
    RELEASES,
    SETTINGS_FIRST,
    ProtocolRange,
    is_supported,
    readable_by,
    release_of,
)
from net.errors import LocalProtocolError

# ---------------------------------------------------------------- releases


def test_releases_ascend() -> None:
    numbers = [release.protocol for release in RELEASES]
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize(("number", "release"), [(486, 486), (502, 486), (503, 503), (2000, 1001), (2192, 2169)])
def test_a_number_between_releases_has_the_packets_of_the_nearest_lower_one(number: int, release: int) -> None:
    codec = Codec(number)
    assert release_of(number).protocol == release == codec.release.protocol
    assert codec.protocol == number
    packet = codec.encode(Login(number, "{}", ""))
    assert packet == Codec(release).encode(Login(number, "{}", ""))


@pytest.mark.parametrize("number", [0, 485, 2194, -1])
def test_a_number_outside_is_one_sentence_with_the_range(number: int) -> None:
    assert not is_supported(number)
    with pytest.raises(LocalProtocolError, match=r"486 \(1\.18\.10\) to 2193 \(1\.26\.51\)"):
        release_of(number)


def test_raknet_11_comes_with_network_settings() -> None:
    assert [release_of(number).raknet_version for number in (486, 545, 554, 2193)] == [10, 10, 11, 11]


# ---------------------------------------------------------------- spoken


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
    assert 700 in ProtocolRange()
    assert 485 not in ProtocolRange()
    assert str(ProtocolRange.only(975)) == "protocol 975"
    assert str(ProtocolRange(486, 975)) == "protocols 486 (1.18.10) to 975 (1.26.20)"
    for lowest, highest in ((485, 486), (486, 2194), (975, 486)):
        with pytest.raises(LocalProtocolError):
            ProtocolRange(lowest, highest)
