"""What the player tells the server in words, and what comes back."""

from client.session.chat import KEPT_OUTCOMES, LONGEST_OUTCOME, Outcome
from net.bedrock import CommandMessage, CommandOrigin, CommandOutput, CommandRequest
from tests.support.driven_session import Driven


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
    assert commands.outcomes == (Outcome("key a b", False), Outcome("x" * LONGEST_OUTCOME, True))
    driven.hear(CommandOutput(CommandOrigin(), tuple(CommandMessage(True, str(at)) for at in range(40))))
    assert [one.text for one in commands.outcomes] == [str(at) for at in range(40 - KEPT_OUTCOMES, 40)]
    assert commands.heard == 42
