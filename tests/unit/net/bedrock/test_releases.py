"""Which numbers are spoken, and with whose packets."""

import pytest

from net.bedrock import Codec, Login
from net.bedrock.releases import RELEASES, is_supported, release_of
from net.errors import LocalProtocolError


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
