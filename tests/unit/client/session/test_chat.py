"""What is said to the player is kept as it came, and bounded.

Commands: What the player tells the server in words, and what comes back.
"""

import pytest

from client.session.chat import KEPT, KEPT_OUTCOMES, LONGEST, LONGEST_OUTCOME, MOST_PARAMETERS, CommandResult
from net.bedrock import Codec, CommandMessage, CommandOrigin, CommandOutput, CommandRequest, Text
from net.bedrock.packets.chat import KINDS
from net.errors import DecodeError
from net.peer.events import Faulty
from tests.support.session.driven import Driven

# ---------------------------------------------------------------- chat


def joined() -> Driven:
    driven = Driven()
    driven.join()
    return driven


def test_a_line_is_kept_with_who_said_it_and_when() -> None:
    driven = joined()
    driven.hear(Text("chat", "hello", source="Ada"))
    driven.hear(Text("translation", "%multiplayer.player.joined", ("Bob",)))
    lines = driven.session.chat.lines
    assert [(line.kind, line.message, line.parameters, line.source) for line in lines] == [
        ("chat", "hello", (), "Ada"),
        ("translation", "%multiplayer.player.joined", ("Bob",), ""),
    ]
    assert lines[0].time_s < lines[1].time_s


def test_what_is_kept_is_bounded() -> None:
    driven = joined()
    long = "x" * (LONGEST + 1)
    driven.hear(Text("translation", long, (long,) * (MOST_PARAMETERS + 1)))
    (line,) = driven.session.chat.lines
    assert (line.message, line.parameters) == (long[:-1], (long[:-1],) * MOST_PARAMETERS)
    driven.hear(*(Text("raw", str(at)) for at in range(KEPT + 5)))
    assert [line.message for line in driven.session.chat.lines] == [str(at) for at in range(5, KEPT + 5)]
    assert driven.session.chat.heard == KEPT + 6


def test_a_line_that_is_written_again_and_again_is_one() -> None:
    driven = joined()
    for _ in range(3):
        driven.hear(Text("tip", "10 coins"))
    driven.hear(Text("tip", "11 coins"))
    assert [(line.message, line.times) for line in driven.session.chat.lines] == [("10 coins", 3), ("11 coins", 1)]


def test_a_line_of_the_server_answers_one_waiting_command() -> None:
    driven = joined()
    commands = driven.session.commands
    driven.hear(Text("system", "Welcome"))
    assert commands.outcomes == (), "nothing was asked"
    commands.give("/dimension nether")
    driven.hear(Text("chat", "hi", source="Ada"), Text("tip", "10 coins"))
    assert commands.outcomes == (), "neither a player nor the hot bar answers"
    driven.hear(Text("translation", "commands.generic.unknown", ("dimension",)), Text("raw", "Bob joined"))
    assert commands.outcomes == (CommandResult("commands.generic.unknown dimension", None),)
    assert commands.heard == 1


def test_a_command_that_was_answered_waits_no_more() -> None:
    driven = joined()
    commands = driven.session.commands
    commands.give("/help")
    driven.hear(CommandOutput(CommandOrigin(), (CommandMessage(True, "Yes."),)))
    driven.hear(Text("raw", "Bob joined"))
    assert commands.outcomes == (CommandResult("Yes.", True),)


def test_each_kind_is_either_said_or_shown_in_passing_or_a_players() -> None:
    driven = joined()
    for kind in KINDS:
        driven.hear(Text(kind, kind, source="Ada" if kind in {"chat", "whisper", "announcement"} else ""))
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
    driven.hear(Text("raw", "Welcome"))
    assert driven.session.spawn.closed_reason is None
    assert [line.message for line in driven.session.chat.lines] == ["Welcome"]
    (warning,) = driven.session.stats(driven.now).warnings
    assert warning.startswith("1 packet made no sense; the last one: Text.kind")


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
    driven.hear(
        CommandOutput(CommandOrigin(), (CommandMessage(False, "key", ("a", "b")), CommandMessage(True, "x" * 999)))
    )
    assert commands.outcomes == (CommandResult("key a b", False), CommandResult("x" * LONGEST_OUTCOME, True))
    driven.hear(CommandOutput(CommandOrigin(), tuple(CommandMessage(True, str(at)) for at in range(40))))
    assert [one.text for one in commands.outcomes] == [str(at) for at in range(40 - KEPT_OUTCOMES, 40)]
    assert commands.heard == 42
