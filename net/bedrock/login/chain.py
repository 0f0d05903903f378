"""The chain of a Login: who the client is, signed by itself (wire.md 5.4).

Three shapes, by protocol:

    486..817   {"chain": [T]}
    818..943   {"Certificate": "<the JSON above>", "AuthenticationType": 2, "Token": ""}
    944..      the same, and Token a signed claim of its own; a server takes whichever of the two it knows

A server checks that the tokens hold together: each signed by the key it names, the last naming the key that signed the
client token, none of them long out of date. It does not ask who vouches for the keys: there are no accounts here.
"""

import json
from typing import Any, Final

from net.bedrock.login.steps import Identity
from net.bedrock.login.tokens import PrivateKey, PublicKey, Token, public_text, read_public, sign
from net.bedrock.login_packet import Login
from net.errors import DecodeError

TOKEN_LIFE_S: Final = 6 * 3600
CLOCK_SKEW_S: Final = 24 * 3600
"""How wrong the other side's clock may be: being strict with tokens that anybody can sign gains nothing."""
CHAIN_TOKENS: Final = 3
"""Own, vendor, vendor; offline only the first."""


WRAPPED_FIRST: Final = 818
TOKEN_FIRST: Final = 944
SELF_SIGNED: Final = 2
"""AuthenticationType: 0 signed in, 1 guest, 2 vouches for itself."""
AUDIENCE: Final = "api://auth-minecraft-services/multiplayer"


def chain_text(identity: Identity, key: PrivateKey, unix_time: int, protocol: int) -> str:
    """What an offline client says of itself, signed by the key it names."""
    dates = {"nbf": unix_time - 60, "exp": unix_time + TOKEN_LIFE_S, "iat": unix_time}
    own = public_text(key.public_key())
    claims = {
        **dates,
        "identityPublicKey": own,
        "certificateAuthority": True,
        "extraData": {"displayName": identity.display_name, "identity": identity.uuid, "XUID": ""},
    }
    chain = _packed({"chain": [sign(claims, key)]})
    if protocol < WRAPPED_FIRST:
        return chain
    token = ""
    if protocol >= TOKEN_FIRST:
        names = {"xid": "0", "xname": identity.display_name, "identity": identity.uuid, "leguuid": identity.uuid}
        token = sign({**dates, "iss": "self", "aud": AUDIENCE, "cpk": own, **names}, key)
    return _packed({"Certificate": chain, "AuthenticationType": SELF_SIGNED, "Token": token})


def _packed(frame: object) -> str:
    return json.dumps(frame, separators=(",", ":"))


def check_login(message: Login, unix_time: float) -> tuple[Identity, PublicKey]:
    """Who joins, and the key to agree on a secret with.

    Raises:
        DecodeError: the tokens do not hold together.
    """
    frame = _object(message.chain, "json")
    wrapped = frame.get("Certificate")
    chain = _object(wrapped, "Certificate").get("chain") if isinstance(wrapped, str) and wrapped else frame.get("chain")
    if chain in (None, [], [""]) and frame.get("Token"):
        key, name, uuid = _check_token(frame.get("Token"), unix_time)
    else:
        key, name, uuid = _check_chain(chain, unix_time)
    client = Token.parse(message.client_token, "client_token")
    client.verify(key, "client_token")
    if not name:
        raise _fault("extraData", "names no player")
    return Identity(name, uuid, _text(client.body, "ServerAddress")), key


def _check_chain(chain: object, unix_time: float) -> tuple[PublicKey, str, str]:
    last = _verified_chain(chain)[-1]
    _check_dates(last, unix_time)
    extra = last.body.get("extraData")
    key = read_public(last.body.get("identityPublicKey"), "chain.identityPublicKey")
    return key, _text(extra, "displayName"), _text(extra, "identity")


def _check_token(text: object, unix_time: float) -> tuple[PublicKey, str, str]:
    """The self-signed form of protocol 944 and later, where the chain is empty."""
    if not isinstance(text, str):
        raise _fault("Token", "is no text")
    token = Token.parse(text, "Token")
    token.verify(token.signer(), "Token")
    _check_dates(token, unix_time)
    key = read_public(token.body.get("cpk") or token.header.get("x5u"), "Token.cpk")
    return key, _text(token.body, "xname"), _text(token.body, "leguuid") or _text(token.body, "identity")


def _object(text: str, field: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _fault(field, str(error)) from None
    return value if isinstance(value, dict) else {}


def _text(claims: object, name: str) -> str:
    """A claim that is text, empty where it is none; half a surrogate pair (JSON can say it) becomes a question mark."""
    value = claims.get(name) if isinstance(claims, dict) else None
    return value.encode(errors="replace").decode() if isinstance(value, str) else ""


def _fault(field: str, reason: str) -> DecodeError:
    return DecodeError("token", f"chain.{field}", 0, reason)


def _verified_chain(chain: object) -> list[Token]:
    if not isinstance(chain, list) or not 1 <= len(chain) <= CHAIN_TOKENS or not all(isinstance(t, str) for t in chain):
        raise _fault("chain", f"is no list of 1 to {CHAIN_TOKENS} tokens")
    tokens = [Token.parse(part, f"chain[{index}]") for index, part in enumerate(chain)]
    for index, token in enumerate(tokens):
        token.verify(token.signer(), f"chain[{index}]")
    return tokens


def _check_dates(token: Token, unix_time: float) -> None:
    begins, ends = token.body.get("nbf", 0), token.body.get("exp", unix_time)
    if not isinstance(begins, int | float) or not isinstance(ends, int | float):
        raise _fault("exp", "holds no dates")
    if not begins - CLOCK_SKEW_S <= unix_time <= ends + CLOCK_SKEW_S:
        raise _fault("exp", f"holds from {begins} to {ends}, and it is {unix_time:.0f}")
