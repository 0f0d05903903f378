"""Offers and answers: the few lines of SDP that a data channel needs, and error numbers in place of answers.

Rules:
1. Lines end with CRLF; either end of line is accepted.
2. An answer has exactly one media section; lines of the session and of the section are read alike.
3. Only UDP candidates of component 1 with an IP literal are used; others are ignored, like unknown lines.
"""

import re
from collections.abc import Mapping
from enum import Enum
from ipaddress import ip_address
from typing import Final

import msgspec

from net.errors import DecodeError
from net.raknet.handshake import Address

MOST_BYTES: Final = 64 << 10
"""Limit of a description; one with a token of a signed-in player has 8 KiB."""
MOST_CANDIDATES: Final = 16
"""Candidates read from one description; others are ignored."""
MOST_FINGERPRINTS: Final = 8
SHA_256: Final = "sha-256"
MESSAGE_BYTES: Final = 262_144
"""The largest message that we accept, as in the game."""
USUAL_MESSAGE_BYTES: Final = 65_536
"""The default for descriptions without a size (RFC 8841)."""
FIRST_PRIORITY: Final = 2_130_706_431
"""Priority of a host candidate."""

_ICE_CHARACTERS: Final = re.compile(r"[A-Za-z0-9+/]+")
_FINGERPRINT: Final = re.compile(r"[0-9A-Fa-f]{2}(:[0-9A-Fa-f]{2})+")
_NUMBER: Final = re.compile(r"[0-9]{1,10}")


class DtlsRole(Enum):
    """The role that one end offers in DTLS; the value is the word of ``a=setup``."""

    EITHER = "actpass"
    CLIENT = "active"
    SERVER = "passive"


class SessionDescription(msgspec.Struct, frozen=True):
    """The description of one end."""

    ufrag: str  # 4 to 256 of A-Z, a-z, 0-9, + and /
    password: str  # 22 to 256 of the same
    # (algorithm, digest as AA:BB) of its DTLS certificate, as they are signed
    fingerprints: tuple[tuple[str, str], ...]
    role: DtlsRole
    candidates: tuple[Address, ...] = ()  # its addresses
    identity: str | None = None  # the text of ``a=identity``
    message_bytes: int = MESSAGE_BYTES  # the largest message that it accepts


def write_candidate(address: Address, index: int, ufrag: str) -> str:
    """One candidate without ``a=``; ``index`` counts from 0 in the description."""
    return (
        f"candidate:{index + 1} 1 udp {FIRST_PRIORITY - 256 * index} {address[0]} {address[1]} typ host"
        f" generation 0 ufrag {ufrag} network-id {index} network-cost 0"
    )


def write_description(description: SessionDescription, session_id: int, *, trickle: bool = False) -> str:
    """The text of a description. ``trickle``: whether the candidates are sent separately later."""
    identity = [] if description.identity is None else [f"a=identity:{description.identity}"]
    candidates = [
        f"a={write_candidate(address, index, description.ufrag)}"
        for index, address in enumerate(() if trickle else description.candidates)
    ]
    lines = [
        "v=0",
        f"o=- {session_id} 2 IN IP4 127.0.0.1",
        "s=-",
        "t=0 0",
        "a=group:BUNDLE 0",
        "a=extmap-allow-mixed",
        "a=msid-semantic: WMS",
        *identity,
        "m=application 9 UDP/DTLS/SCTP webrtc-datachannel",
        "c=IN IP4 0.0.0.0",
        *candidates,
        f"a=ice-ufrag:{description.ufrag}",
        f"a=ice-pwd:{description.password}",
        "a=ice-options:trickle",
        *(f"a=fingerprint:{algorithm} {digest}" for algorithm, digest in description.fingerprints),
        f"a=setup:{description.role.value}",
        "a=mid:0",
        "a=sctp-port:5000",
        f"a=max-message-size:{description.message_bytes}",
        *([] if trickle else ["a=end-of-candidates"]),
    ]
    return "".join(f"{line}\r\n" for line in lines)


def read_candidate(text: str) -> Address | None:
    """The address of a candidate, with or without ``a=``; None if it is not usable."""
    parts = text.removeprefix("a=").removeprefix("candidate:").split()
    if len(parts) < 8 or parts[1] != "1" or parts[2].lower() != "udp" or parts[6] != "typ":
        return None
    try:
        host = str(ip_address(parts[4]))
    except ValueError:  # an mDNS name, as browsers write
        return None
    if not _NUMBER.fullmatch(parts[5]) or not 1 <= int(parts[5]) <= 65535:
        return None
    return host, int(parts[5])


def read_description(text: str) -> SessionDescription:
    """Parses an offer or an answer. Raises DecodeError: it is too large, or lacks a required line."""
    if len(text) > MOST_BYTES:
        raise DecodeError("SDP", "size", MOST_BYTES, f"it has {len(text)} characters; the maximum is {MOST_BYTES}")
    lines = text.splitlines()
    media = [line for line in lines if line.startswith("m=")]
    if len(media) != 1 or not media[0].startswith("m=application "):
        raise DecodeError("SDP", "m", 0, f"it has {len(media)} media sections; it must have one, of data channels")
    values: dict[str, str] = {}
    fingerprints: list[tuple[str, str]] = []
    candidates: list[Address] = []
    for line in lines:
        name, _, value = line.removeprefix("a=").partition(":") if line.startswith("a=") else ("", "", "")
        if name == "candidate":
            address = read_candidate(line)
            if address is not None and address not in candidates and len(candidates) < MOST_CANDIDATES:
                candidates.append(address)
        elif name == "fingerprint" and len(fingerprints) < MOST_FINGERPRINTS:
            fingerprints.append(_fingerprint(value))
        elif name:
            values.setdefault(name, value.strip())
    if not fingerprints:
        raise DecodeError("SDP", "fingerprint", 0, "is missing")
    return SessionDescription(
        ufrag=_ice_text(values, "ice-ufrag", 4),
        password=_ice_text(values, "ice-pwd", 22),
        fingerprints=tuple(fingerprints),
        role=_role(values.get("setup", "")),
        candidates=tuple(candidates),
        identity=values.get("identity"),
        message_bytes=_message_bytes(values.get("max-message-size")),
    )


def _fingerprint(value: str) -> tuple[str, str]:
    algorithm, _, digest = value.strip().partition(" ")
    digest = digest.strip()
    if not algorithm or not _FINGERPRINT.fullmatch(digest):
        raise DecodeError("SDP", "fingerprint", 0, "does not name an algorithm and a digest")
    return algorithm, digest


def _ice_text(values: Mapping[str, str], name: str, least: int) -> str:
    value = values.get(name, "")
    if not least <= len(value) <= 256 or not _ICE_CHARACTERS.fullmatch(value):
        raise DecodeError("SDP", name, 0, f"must be {least} to 256 letters, digits, + or /")
    return value


def _role(value: str) -> DtlsRole:
    try:
        return DtlsRole(value)
    except ValueError:
        raise DecodeError("SDP", "setup", 0, "must be actpass, active or passive") from None


def _message_bytes(value: str | None) -> int:
    """The largest message; 0 in the text means any size."""
    if value is None:
        return USUAL_MESSAGE_BYTES
    if not _NUMBER.fullmatch(value) or int(value) == 1:
        raise DecodeError("SDP", "max-message-size", 0, "is not a maximum message size")
    return min(int(value), MESSAGE_BYTES) or MESSAGE_BYTES


# --------------------------------------------------------------------- error codes

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
    """The meaning of a server's error number, in words."""
    return _WORDS.get(code, f"it answers with error code {code}")


def read_code(text: str) -> int | None:
    """The error number in place of an answer; None for an answer."""
    plain = text.strip()
    return int(plain) if plain.isascii() and plain.isdigit() and len(plain) <= 6 else None
