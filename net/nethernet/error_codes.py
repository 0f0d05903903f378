"""Numbers that servers answer an offer with, in words."""

from collections.abc import Mapping
from typing import Final

NO_IDENTITY: Final = 37
REMOTE_DESCRIPTION: Final = 13
RESPONSE_TIMEOUT: Final = 14
INCOMING_IGNORED: Final = 16
_WORDS: Final[Mapping[int, str]] = {
    1: "the destination is not logged in",
    2: "the negotiation took too long",
    3: "it uses another version of the transport",
    4: "it could not create a connection",
    5: "no address answered (ICE)",
    6: "it refuses the offer",
    7: "it refuses the answer",
    8: "it refuses a candidate",
    9: "the connection was inactive",
    10: "no offer could be made",
    11: "no answer could be made",
    12: "its own description was rejected",
    13: "the other description was rejected",
    14: "no answer came in time",
    15: "the connection was not accepted in time",
    16: "it ignores join requests",
    17: "the signalling cannot be decoded",
    18: "the signalling failed",
    19: "a message could not be delivered",
    20: "a broadcast could not be delivered",
    21: "a message could not be delivered",
    22: "the relay refuses the login",
    24: "there is no signalling channel",
    25: "it is not logged in",
    26: "the signalling could not be sent",
    32: "the data channel was closed",
    33: "the JSON cannot be decoded",
    34: "an argument is invalid",
    37: "it does not accept the signer of the offer (identity)",
}


def words_of(code: int) -> str:
    """What a server means by a number."""
    return _WORDS.get(code, f"it answers with error code {code}")


def read_code(text: str) -> int | None:
    """The number that stands in the place of an answer; None for an answer."""
    plain = text.strip()
    return int(plain) if plain.isascii() and plain.isdigit() and len(plain) <= 6 else None
