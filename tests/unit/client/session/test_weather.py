"""Weather follows level events, whatever their arguments."""

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.session.weather import CLEAR, Weather
from net.bedrock import LevelEvent, LevelEventNumber, WeatherEvent

NOWHERE = (0.0, 0.0, 0.0)


def test_rain_and_thunder_come_and_go_apart() -> None:
    rainy = CLEAR.after(LevelEvent(WeatherEvent.START_RAIN, NOWHERE, 65535))
    assert rainy == Weather(1.0, 0.0)
    both = rainy.after(LevelEvent(WeatherEvent.START_THUNDER, NOWHERE, 32768))
    assert both == Weather(1.0, pytest.approx(0.5, abs=1e-4))
    assert both.after(LevelEvent(WeatherEvent.STOP_RAIN, NOWHERE)) == Weather(0.0, both.thunder)
    assert both.after(LevelEvent(WeatherEvent.STOP_THUNDER, NOWHERE)) == rainy


def test_other_events_leave_it_alone() -> None:
    assert all(CLEAR.after(LevelEvent(number, NOWHERE, 65535)) is CLEAR for number in LevelEventNumber)


@given(st.integers(-(1 << 31), (1 << 31) - 1))
def test_any_argument_of_a_start_is_a_strength(argument: int) -> None:
    assert 0.0 < CLEAR.after(LevelEvent(WeatherEvent.START_RAIN, NOWHERE, argument)).rain <= 1.0


@pytest.mark.parametrize(("told", "read"), [(0.4, 0.4), (-3.0, 0.0), (7.0, 1.0), (nan, 0.0), (inf, 1.0)])
def test_levels_of_a_packet_are_brought_into_bounds(told: float, read: float) -> None:
    assert Weather.told(told, told) == Weather(read, read)
