"""Weather follows level events, whatever their arguments.

Biome names: Biomes that the server numbered itself have its names; a broken list is one fault, and the session goes on.
"""

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.report.why import facts_of
from client.report.why_text import lines
from client.session.weather import CLEAR, Environment, Weather, name_of
from net.bedrock import BiomeDefinitionList, LevelChunk, LevelEvent, LevelEventNumber, WeatherEvent
from net.space.positions import BlockPos
from tests.support.reference.wire import uv, written
from tests.support.session.driven import HERE, Driven

# ---------------------------------------------------------------- weather

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


# ---------------------------------------------------------------- biome names

OWN = [("glow:bright_marsh", 30_001), ("minecraft:plains", None), ("minecraft:ocean", 30_002)]


@pytest.mark.parametrize("protocol", [486, 748, 800, 827, 844, 2193])
def test_own_biomes_are_named_by_the_server_and_usual_ones_by_the_game(protocol: int) -> None:
    names = Environment(protocol)
    assert names.name_biomes(BiomeDefinitionList(written(OWN, protocol))) is None
    assert names.biome_names == {30_001: "glow:bright marsh", 30_002: "ocean"}
    found = [name_of(number, names.biome_names) for number in (30_001, 1, 16, 60_000)]
    assert found == ["glow:bright marsh", "plains", "beach", None]


def test_a_later_list_replaces_the_first_and_a_broken_one_nothing() -> None:
    names = Environment(975)
    names.name_biomes(BiomeDefinitionList(written([("a", 300), ("b", 301)], 975)))
    names.name_biomes(BiomeDefinitionList(written([("c", 300)], 975)))
    assert names.biome_names == {300: "c"}
    fault = names.name_biomes(BiomeDefinitionList(written([("d", 300)], 975)[:-1]))
    assert fault is not None
    assert fault.startswith("BiomeDefinitionList.strings")
    assert names.biome_names == {300: "c"}


def column_of(biome: int) -> LevelChunk:
    """A skeleton of one biome from floor to roof."""
    return LevelChunk(HERE, None, None, 7, None, (b"\x01" + uv(biome << 1)) * 25 + b"\0")


def test_why_names_a_biome_that_only_the_server_knows() -> None:
    driven = Driven()
    driven.join()
    driven.hear(BiomeDefinitionList(written(OWN, 486)), column_of(30_001))
    facts = facts_of(driven.session, BlockPos(3, 70, 5), driven.now)
    assert facts.column is not None
    assert facts.column.biome_name == "glow:bright marsh"
    assert any("biome glow:bright marsh (30001) at the block" in line for line in lines(facts))


def test_a_broken_list_is_one_fault_and_the_session_goes_on() -> None:
    driven = Driven()
    driven.join()
    driven.hear(BiomeDefinitionList(written(OWN, 486)[:-3]), column_of(30_001))
    stats = driven.session.stats(driven.now)
    assert (stats.faulty_packets, stats.last_fault.split(" at ")[0]) == (1, "BiomeDefinitionList.content")
    assert stats.columns == 1
    facts = facts_of(driven.session, BlockPos(3, 70, 5), driven.now)
    assert any("biome 30001 at the block" in line for line in lines(facts))
