"""What is said to the player is kept as it came, and bounded.

Commands: What the player tells the server in words, and what comes back.

Event log: Events and sounds that name blocks: which are kept, and which block each means.

Weather: Weather follows level events, whatever their arguments.

Fogs: What the server set, the last first.

Biome names: Biomes that the server numbered itself have its names; a broken list is one fault, and the session goes on.

Lines of the chat in words.
"""

from math import inf, nan

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from client.connection.chat_text import said_in_words
from client.report.why import facts_of
from client.report.why_text import lines
from client.session.chat import KEPT, KEPT_OUTCOMES, LONGEST, LONGEST_OUTCOME, MOST_PARAMETERS, ChatLine, CommandResult
from client.session.event_log import EventLog
from client.session.weather import MOST_FOGS, Environment, name_of, weather_after
from client.weather import CLEAR, Weather
from client.world.block_table import BlockTable
from net.bedrock import (
    BiomeDefinitionList,
    Codec,
    CommandMessage,
    CommandOrigin,
    CommandOutput,
    CommandRequest,
    LevelChunk,
    LevelEvent,
    LevelEventNumber,
    LevelSoundEvent,
    PlayerFog,
    SoundNumber,
    Text,
    WeatherEvent,
)
from net.bedrock.packets.chat import KINDS
from net.errors import DecodeError
from net.peer.packet_stream import Faulty
from net.space import BlockPos
from render.scene.frame.frame import session_settings
from tests.support.reference.wire import uv, written
from tests.support.session.driven import HERE as DRIVEN_HERE
from tests.support.session.driven import Driven
from tests.support.worlds import store as w
from tests.support.worlds.store import small_palette, small_table

# ---------------------------------------------------------------- chat

# ---------------------------------------------------------------- chat


def joined() -> Driven:
    driven = Driven()
    driven.join()
    return driven


def test_a_line_is_kept_with_who_said_it_and_when() -> None:
    driven = joined()
    driven.receive(Text("chat", "hello", source="Ada"))
    driven.receive(Text("translation", "%multiplayer.player.joined", ("Bob",)))
    lines = driven.session.chat.lines
    assert [(line.kind, line.message, line.parameters, line.source) for line in lines] == [
        ("chat", "hello", (), "Ada"),
        ("translation", "%multiplayer.player.joined", ("Bob",), ""),
    ]
    assert lines[0].time_s < lines[1].time_s


def test_what_is_kept_is_bounded() -> None:
    driven = joined()
    long = "x" * (LONGEST + 1)
    driven.receive(Text("translation", long, (long,) * (MOST_PARAMETERS + 1)))
    (line,) = driven.session.chat.lines
    assert (line.message, line.parameters) == (long[:-1], (long[:-1],) * MOST_PARAMETERS)
    driven.receive(*(Text("raw", str(at)) for at in range(KEPT + 5)))
    assert [line.message for line in driven.session.chat.lines] == [str(at) for at in range(5, KEPT + 5)]
    assert driven.session.chat.heard == KEPT + 6


def test_a_line_that_is_written_again_and_again_is_one() -> None:
    driven = joined()
    for _ in range(3):
        driven.receive(Text("tip", "10 coins"))
    driven.receive(Text("tip", "11 coins"))
    assert [(line.message, line.times) for line in driven.session.chat.lines] == [("10 coins", 3), ("11 coins", 1)]


def test_a_line_of_the_server_answers_one_waiting_command() -> None:
    driven = joined()
    commands = driven.session.commands
    driven.receive(Text("system", "Welcome"))
    assert commands.outcomes == (), "nothing was asked"
    commands.give("/dimension nether")
    driven.receive(Text("chat", "hi", source="Ada"), Text("tip", "10 coins"))
    assert commands.outcomes == (), "neither a player nor the hot bar answers"
    driven.receive(Text("translation", "commands.generic.unknown", ("dimension",)), Text("raw", "Bob joined"))
    assert commands.outcomes == (CommandResult("commands.generic.unknown dimension", None),)
    assert commands.heard == 1


def test_a_command_that_was_answered_waits_no_more() -> None:
    driven = joined()
    commands = driven.session.commands
    commands.give("/help")
    driven.receive(CommandOutput(CommandOrigin(), (CommandMessage(True, "Yes."),)))
    driven.receive(Text("raw", "Bob joined"))
    assert commands.outcomes == (CommandResult("Yes.", True),)


def test_each_kind_is_either_said_or_shown_in_passing_or_a_players() -> None:
    driven = joined()
    for kind in KINDS:
        driven.receive(Text(kind, kind, source="Ada" if kind in {"chat", "whisper", "announcement"} else ""))
    answers = {line.kind for line in driven.session.chat.lines if line.is_answer}
    passing = {line.kind for line in driven.session.chat.lines if line.is_passing}
    assert passing == {"popup", "jukebox_popup", "tip"}
    assert answers == {*KINDS} - passing - {"chat", "whisper", "announcement"}


def test_one_that_does_not_decode_costs_a_counted_sentence_alone() -> None:
    driven = joined()
    codec = Codec(486)
    with pytest.raises(DecodeError) as told:
        codec.decode(b"\x09\x63" + codec.encode(Text("raw", "Welcome"))[2:])
    driven.session.handle(Faulty(told.value, 5, b""), driven.now)
    driven.receive(Text("raw", "Welcome"))
    assert driven.session.spawn.closed_reason is None
    assert [line.message for line in driven.session.chat.lines] == ["Welcome"]
    (warning,) = driven.session.stats(driven.now).warnings
    assert warning.startswith("1 packet could not be decoded; the latest: Text.kind")


# ---------------------------------------------------------------- commands


def test_a_command_goes_out_as_it_was_typed() -> None:
    driven = Driven()
    driven.join()
    driven.session.commands.give("/dimension nether")
    driven.session.commands.give("help me")
    said = [message for message in driven.tick() if isinstance(message, CommandRequest)]
    assert [(one.command, one.origin.kind, one.origin.request_id) for one in said] == [
        ("/dimension nether", "player", "1"),
        ("/help me", "player", "2"),
    ]


def test_what_came_of_it_is_kept_as_far_as_there_is_room() -> None:
    driven = Driven()
    driven.join()
    commands = driven.session.commands
    assert (commands.outcomes, commands.heard) == ((), 0)
    driven.receive(
        CommandOutput(CommandOrigin(), (CommandMessage(False, "key", ("a", "b")), CommandMessage(True, "x" * 999)))
    )
    assert commands.outcomes == (CommandResult("key a b", False), CommandResult("x" * LONGEST_OUTCOME, True))
    driven.receive(CommandOutput(CommandOrigin(), tuple(CommandMessage(True, str(at)) for at in range(40))))
    assert [one.text for one in commands.outcomes] == [str(at) for at in range(40 - KEPT_OUTCOMES, 40)]
    assert commands.heard == 42


# ---------------------------------------------------------------- event log

HERE = (5.5, -3.2, 7.0)
BLOCK = BlockPos(5, -4, 7)


def test_what_happened_since_a_time_is_told_oldest_first() -> None:
    log = EventLog(small_table())
    for number in range(6):
        log.record(LevelEvent(LevelEventNumber.DESTROY_BLOCK, (float(number), 0.0, 0.0), w.STONE), number, number / 2)
    assert [event.packet for event in log.since(1.5)] == [3, 4, 5]
    assert log.since(0.0) == log.events()
    assert log.since(2.6) == ()


def test_an_event_keeps_the_block_that_it_means() -> None:
    log = EventLog(small_table())
    log.record(LevelEvent(LevelEventNumber.DESTROY_BLOCK, HERE, w.STONE), 17, 3.5)
    (event,) = log.events()
    assert (event.time_s, event.packet, event.source, event.what) == (3.5, 17, "LevelEvent", "destroy_block")
    assert (event.position, event.block) == (BLOCK, "minecraft:stone")
    assert log.at(BLOCK) == (event,)
    assert log.at(BlockPos(5, -3, 7)) == ()


@pytest.mark.parametrize("number", [n for n in LevelEventNumber if "CRACKING" not in n.name])
def test_every_event_that_names_a_block_is_looked_up(number: LevelEventNumber) -> None:
    log = EventLog(small_table())
    log.record(LevelEvent(number, HERE, w.GLASS), 0, 0.0)
    assert [event.block for event in log.events()] == ["minecraft:glass"]


def test_a_face_beside_the_id_of_a_cracking_block_is_left_out() -> None:
    log = EventLog(small_table())
    log.record(LevelEvent(LevelEventNumber.CRACK_BLOCK, HERE, w.DIRT | 3 << 24), 0, 0.0)
    log.record(LevelEvent(LevelEventNumber.DESTROY_BLOCK, HERE, w.DIRT | 3 << 24), 0, 0.0)
    assert [event.block for event in log.events()] == ["minecraft:dirt", None]


def test_ids_that_are_hashes_are_looked_up_signed_or_not() -> None:
    palette = small_palette().hashed()
    table = BlockTable.build(palette)
    log = EventLog(table)
    for runtime_id in palette.runtime_ids.tolist():
        signed = int(np.uint32(runtime_id & 0xFFFFFFFF).astype(np.int32))
        log.record(LevelEvent(LevelEventNumber.CRACK_BLOCK, HERE, signed), 0, 0.0)
    assert {event.block for event in log.events()} == {f"minecraft:{name}" for name in w.NAMES}


def test_cracks_are_kept_and_weather_is_not() -> None:
    log = EventLog(small_table())
    log.record(LevelEvent(LevelEventNumber.START_CRACKING, HERE, w.STONE), 0, 0.0)
    log.record(LevelEvent(3001, HERE, w.STONE), 0, 0.0)
    assert [(event.what, event.block, event.argument) for event in log.events()] == [("start_cracking", None, w.STONE)]


def test_sounds_of_blocks_are_kept_by_number_and_by_name() -> None:
    log = EventLog(small_table())
    log.record(LevelSoundEvent(SoundNumber.PLACE, HERE, w.LEAVES), 0, 0.0)
    log.record(LevelSoundEvent("break", HERE, w.WATER), 0, 0.0)
    log.record(LevelSoundEvent("note", HERE, 99_999), 0, 0.0)
    log.record(LevelSoundEvent(80, HERE, w.WATER), 0, 0.0)
    log.record(LevelSoundEvent(SoundNumber.HIT, HERE), 0, 0.0)
    found = [(event.what, event.block) for event in log.events()]
    assert found == [("place", "minecraft:leaves"), ("break", "minecraft:water"), ("hit", None)]


def test_an_unknown_id_names_nothing_and_joins_no_table() -> None:
    table = small_table()
    log, before = EventLog(table), len(table)
    log.record(LevelEvent(LevelEventNumber.CROP_EATEN, HERE, 99_999), 0, 0.0)
    log.record(LevelEvent(LevelEventNumber.CROP_EATEN, HERE, -5), 0, 0.0)
    assert [event.block for event in log.events()] == [None, None]
    assert len(table) == before
    dense = table.dense_of_id(99_999)  # a block brought it
    log.record(LevelEvent(LevelEventNumber.CROP_EATEN, HERE, 99_999), 0, 0.0)
    assert log.events()[-1].block == table.states[dense].name


def test_the_same_in_a_row_is_one_entry_and_the_ring_is_bounded() -> None:
    log = EventLog(small_table(), kept=3)
    for step in range(5):
        log.record(LevelSoundEvent(SoundNumber.STEP, HERE, w.STONE), step, float(step))
    (event,) = log.events()
    assert (event.times, event.time_s, event.packet) == (5, 4.0, 4)
    for x in range(4):
        log.record(LevelSoundEvent(SoundNumber.STEP, (float(x), 0.0, 0.0), w.STONE), 9, 9.0)
    assert [event.position.x for event in log.events()] == [1, 2, 3]


# ---------------------------------------------------------------- weather

# ---------------------------------------------------------------- weather

NOWHERE = (0.0, 0.0, 0.0)


def test_rain_and_thunder_come_and_go_apart() -> None:
    rainy = weather_after(CLEAR, LevelEvent(WeatherEvent.START_RAIN, NOWHERE, 65535))
    assert rainy == Weather(1.0, 0.0)
    both = weather_after(rainy, LevelEvent(WeatherEvent.START_THUNDER, NOWHERE, 32768))
    assert both == Weather(1.0, pytest.approx(0.5, abs=1e-4))
    assert weather_after(both, LevelEvent(WeatherEvent.STOP_RAIN, NOWHERE)) == Weather(0.0, both.thunder)
    assert weather_after(both, LevelEvent(WeatherEvent.STOP_THUNDER, NOWHERE)) == rainy


def test_other_events_leave_it_alone() -> None:
    assert all(weather_after(CLEAR, LevelEvent(number, NOWHERE, 65535)) is CLEAR for number in LevelEventNumber)


@given(st.integers(-(1 << 31), (1 << 31) - 1))
def test_any_argument_of_a_start_is_a_strength(argument: int) -> None:
    assert 0.0 < weather_after(CLEAR, LevelEvent(WeatherEvent.START_RAIN, NOWHERE, argument)).rain <= 1.0


@pytest.mark.parametrize(("told", "read"), [(0.4, 0.4), (-3.0, 0.0), (7.0, 1.0), (nan, 0.0), (inf, 1.0)])
def test_levels_of_a_packet_are_brought_into_bounds(told: float, read: float) -> None:
    assert Weather.bounded(told, told) == Weather(read, read)


# ---------------------------------------------------------------- fogs


def test_a_stack_of_fogs_replaces_the_last_and_only_the_uppermost_of_many_are_kept() -> None:
    driven = joined()
    environment = driven.session.environment
    assert environment.fogs == ()
    for stack in (("a:haze", "a:mist"), (), tuple(f"a:{number}" for number in range(1000))):
        driven.receive(PlayerFog(stack))
        assert environment.fogs == stack[-MOST_FOGS:]
        assert session_settings(driven.session).fogs == environment.fogs, "the picture takes them from there"


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
    return LevelChunk(DRIVEN_HERE, None, None, 7, None, (b"\x01" + uv(biome << 1)) * 25 + b"\0")


def test_why_names_a_biome_that_only_the_server_knows() -> None:
    driven = Driven()
    driven.join()
    driven.receive(BiomeDefinitionList(written(OWN, 486)), column_of(30_001))
    facts = facts_of(driven.session, BlockPos(3, 70, 5), driven.now)
    assert facts.column is not None
    assert facts.column.biome_name == "glow:bright marsh"
    assert any("biome" in line and "glow:bright marsh (30001)" in line for line in lines(facts))


def test_a_broken_list_is_one_fault_and_the_session_goes_on() -> None:
    driven = Driven()
    driven.join()
    driven.receive(BiomeDefinitionList(written(OWN, 486)[:-3]), column_of(30_001))
    stats = driven.session.stats(driven.now)
    assert (stats.faulty_packets, stats.last_fault.split(" at ")[0]) == (1, "BiomeDefinitionList.content")
    assert stats.columns == 1
    facts = facts_of(driven.session, BlockPos(3, 70, 5), driven.now)
    assert any("biome" in line and "30001" in line and "marsh" not in line for line in lines(facts))


# --------------------------------------------------------------------- test chat text

CODE = "\N{SECTION SIGN}"


@pytest.mark.parametrize(
    ("kind", "message", "parameters", "source", "words"),
    [
        ("chat", "hello", (), "Ada", "Ada: hello"),
        ("chat", "hello", (), f"{CODE}cAda{CODE}r", "Ada: hello"),
        ("raw", f"{CODE}eWelcome,{CODE}l stranger", (), "", "Welcome, stranger"),
        ("raw", "two\nlines", (), "", "two lines"),
        ("raw", "100 % of 10%, %s", (), "", "100 % of 10%, %s"),
        ("raw", "", (), "", ""),
        ("chat", "", (), "Ada", ""),
        ("translation", f"{CODE}e%multiplayer.player.joined", ("Ada",), "", "Ada joins"),
        ("translation", "multiplayer.player.left", (f"{CODE}4Ada",), "", "Ada leaves"),
        ("translation", "multiplayer.player.left", (), "", "multiplayer.player.left"),
        ("translation", "multiplayer.player.left", ("",), "", "multiplayer.player.left"),
        ("translation", "chat.type.text", ("Ada", "{hi}"), "", "Ada: {hi}"),
        (
            "translation",
            "%death.attack.mob",
            ("Ada", "%entity.zombie.name"),
            "",
            "death.attack.mob Ada entity.zombie.name",
        ),
        (
            "json",
            '{"rawtext": [{"text": "a "}, {"translate": "%b.c", "with": ["d", 5]}, {"score": 1}, 7]}',
            (),
            "",
            "a b.c d",
        ),
        ("json_whisper", '{"rawtext": 5}', (), "", '{"rawtext": 5}'),
        ("json_announcement", '{"rawtext": [{"text', (), "", '{"rawtext": [{"text'),
        ("json", "[" * 2000, (), "", "[" * 300),
    ],
)
def test_a_line_is_said_in_plain_words(
    kind: str, message: str, parameters: tuple[str, ...], source: str, words: str
) -> None:
    assert said_in_words(ChatLine(0.0, 1, kind, message, parameters, source)) == words
