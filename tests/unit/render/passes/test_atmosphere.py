"""The day goes round."""

import numpy as np
import pytest

from client.session.weather import Weather
from render.passes.atmosphere import atmosphere_at


def test_noon_is_day_and_midnight_is_night() -> None:
    noon, midnight = atmosphere_at(6000, True), atmosphere_at(18000, True)
    assert (noon.day, midnight.day) == (1.0, 0.0)
    assert noon.sun[1] > 0.9
    assert midnight.sun[1] < -0.9
    assert sum(noon.daylight) > 5 * sum(midnight.daylight)
    assert noon.stars == 0.0
    assert midnight.stars > 0.5


def test_the_sun_rises_in_the_east_and_sets_in_the_west() -> None:
    assert atmosphere_at(0, True).sun[0] > 0.9
    assert atmosphere_at(12000, True).sun[0] < -0.9
    assert atmosphere_at(12000, True).glow_strength > 0.5


def test_a_day_has_no_jump() -> None:
    ticks = np.arange(0, 24001, 20)
    days = np.array([atmosphere_at(float(t), True).day for t in ticks])
    assert np.abs(np.diff(days)).max() < 0.02
    assert atmosphere_at(24000, True).sun == pytest.approx(atmosphere_at(0, True).sun, abs=1e-9)


@pytest.mark.parametrize("number", [1, 2, 7])
def test_without_a_sky_time_changes_nothing(number: int) -> None:
    assert atmosphere_at(0, False, number) == atmosphere_at(15000, False, number)
    assert not atmosphere_at(0, False, number).has_sky


@pytest.mark.parametrize("number", [1, 2])
def test_without_a_sky_what_no_lamp_reaches_is_seen_all_the_same(number: int) -> None:
    assert min(atmosphere_at(0, False, number).least_light) > 0.2
    assert max(atmosphere_at(18000, True).least_light) < 0.02


def test_rain_greys_the_sky_dims_the_day_and_hides_the_stars() -> None:
    clear, rain = atmosphere_at(6000, True), atmosphere_at(6000, True, weather=Weather(1.0))
    thunder = atmosphere_at(6000, True, weather=Weather(1.0, 1.0))
    assert max(rain.zenith) - min(rain.zenith) < 0.5 * (max(clear.zenith) - min(clear.zenith))
    assert sum(clear.daylight) > sum(rain.daylight) > sum(thunder.daylight) > sum(atmosphere_at(18000, True).daylight)
    assert rain.haze_per_block > clear.haze_per_block
    assert atmosphere_at(18000, True, weather=Weather(1.0)).stars == 0.0
    assert (clear.clear, rain.clear) == (1.0, 0.0)


def test_the_moon_has_eight_days_and_full_moons_are_bright() -> None:
    nights = [atmosphere_at(18000 + day * 24000, True) for day in range(9)]
    assert nights[8] == nights[0]
    assert [sum(night.daylight) for night in nights[:5]] == sorted((sum(n.daylight) for n in nights[:5]), reverse=True)
    assert nights[0].moon == 0.0
    assert nights[4].moon == pytest.approx(np.pi)


def test_weather_changes_nothing_without_a_sky() -> None:
    assert atmosphere_at(0, False, 1, Weather(1.0, 1.0)) == atmosphere_at(0, False, 1)
