"""What a connection keeps loaded besides the player's own anchor, and what may not be."""

from client.connect.errors import UsageError
from client.connect.look_outs import LookOut, expect_name
from client.connect.standing import eye_of
from client.session.requests import PLAYER_ANCHOR
from client.session.session import Session
from client.streaming.anchors import Pin


def pins_of(session: Session) -> dict[str, Pin]:
    """What is pinned, by name."""
    return {name: pin for name, pin in session.anchors.pins.items() if name != PLAYER_ANCHOR}


def pin(session: Session, name: str, look_out: LookOut, *, recorded: bool) -> None:
    """Pins a look-out; one of that name is moved there.

    Raises:
        UsageError: the name cannot be given, it is one look-out too many, or this is a recording.
    """
    if recorded or name == PLAYER_ANCHOR:
        reason = "a recording asks for nothing" if recorded else "the player's own anchor has that name"
        raise UsageError(f"{name!r} cannot be pinned: {reason}.")
    pins = pins_of(session)
    expect_name(name, name in pins, len(pins))
    session.pin(name, look_out.anchor, eye_of(look_out, session.store))


def unpin(session: Session, name: str, *, recorded: bool) -> None:
    """Lets a look-out go.

    Raises:
        UsageError: nothing of that name is pinned, or this is a recording.
    """
    if recorded:
        raise UsageError(f"{name!r} cannot be released: what a recording pinned stays as it was.")
    pins = pins_of(session)
    if name not in pins:
        there = ", ".join(sorted(pins)) or "nothing"
        raise UsageError(f"There is no look-out {name!r}; pinned is {there}.")
    session.unpin(name)
