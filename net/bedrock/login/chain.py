"""The chain of a Login: who the client is, signed by itself (wire.md 5.4).

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


def chain_text(identity: Identity, key: PrivateKey, unix_time: int) -> str:
    """The chain of an offline client: one token, signed by the key it names."""
    claims = {
        "nbf": unix_time - 60,
        "exp": unix_time + TOKEN_LIFE_S,
        "iat": unix_time,
        "identityPublicKey": public_text(key.public_key()),
        "certificateAuthority": True,
        "extraData": {"displayName": identity.display_name, "identity": identity.uuid, "XUID": ""},
    }
    return json.dumps({"chain": [sign(claims, key)]}, separators=(",", ":"))


def check_login(message: Login, unix_time: float) -> tuple[Identity, PublicKey]:
    """Who joins, and the key to agree on a secret with.

    Raises:
        DecodeError: the tokens do not hold together.
    """
    last = _verified_chain(message.chain)[-1]
    _check_dates(last, unix_time)
    key = read_public(last.body.get("identityPublicKey"), "chain.identityPublicKey")
    client = Token.parse(message.client_token, "client_token")
    client.verify(key, "client_token")
    extra = last.body.get("extraData")
    name = _text(extra, "displayName")
    if not name:
        raise _fault("extraData", "names no player")
    return Identity(name, _text(extra, "identity"), _text(client.body, "ServerAddress")), key


def _text(claims: object, name: str) -> str:
    """A claim that is text, empty where it is none; half a surrogate pair (JSON can say it) becomes a question mark."""
    value = claims.get(name) if isinstance(claims, dict) else None
    return value.encode(errors="replace").decode() if isinstance(value, str) else ""


def _fault(field: str, reason: str) -> DecodeError:
    return DecodeError("token", f"chain.{field}", 0, reason)


def _verified_chain(text: str) -> list[Token]:
    try:
        frame: Any = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _fault("json", str(error)) from None
    chain = frame.get("chain") if isinstance(frame, dict) else None
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
