"""What players may tell the server in words: ``/dimension NAME [X Y Z]``.

NAME is that of a dimension, the games' own word for it or its number; X Y Z is where the feet go, else the player comes
to where it was there last, or to where players start there.
"""

from typing import Final

from net.bedrock import CommandMessage, CommandOutput, CommandRequest
from net.server.crossing import Wish
from net.server.realm import Realm
from net.server.realms import Realms
from net.server.whereabouts import is_near
from net.space.dimensions import IDENTIFIERS

USAGE: Final = "/dimension NAME [X Y Z]"
LONGEST: Final = 256
"""Characters of a command that are looked at."""


class WrongCommand(ValueError):
    """A command that cannot be done; the text is a sentence for who gave it."""


def read_command(text: str, realms: Realms) -> Wish:
    """Where a player wants to be.

    Raises:
        WrongCommand: it says something else, or there is no such place.
    """
    word, *rest = text[:LONGEST].removeprefix("/").split() or [""]
    if word != "dimension":
        raise WrongCommand(f"There is no command '{word[:32]}' here, only {USAGE}.")
    if len(rest) not in {1, 4}:
        raise WrongCommand(f"Say {USAGE}; NAME is one of {_names(realms)}.")
    realm = _realm(rest[0], realms)
    if len(rest) == 1:
        return Wish(realm, None)
    try:
        x, y, z = map(float, rest[1:])
    except ValueError:
        raise WrongCommand(f"Say {USAGE}, with numbers for X Y Z.") from None
    if not is_near((x, y, z)):
        raise WrongCommand("That is too far out.")
    return Wish(realm, (x, y, z))


def _realm(name: str, realms: Realms) -> Realm:
    for realm in realms:
        dimension = realm.dimension
        own = IDENTIFIERS.get(dimension.number, dimension.name)
        if name.lower() in {str(dimension.number), dimension.name, own, own.removeprefix("minecraft:")}:
            return realm
    raise WrongCommand(f"{realms.start.world.name} has no dimension '{name[:32]}'; there is {_names(realms)}.")


def _names(realms: Realms) -> str:
    return ", ".join(realm.dimension.name for realm in realms)


def answer(request: CommandRequest, sentence: str, *, done: bool) -> CommandOutput:
    """What came of a command, in one sentence."""
    return CommandOutput(request.origin, (CommandMessage(done, sentence),), successes=int(done))
