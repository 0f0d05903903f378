"""The identity behind an offer or an answer: ``a=identity`` is base64 of JSON.

    {"idp": {"domain": "self", "protocol": "default"}, "assertion": TEXT}, TEXT is JSON again:
    {"token": JWT, "fingerprints": "b64url(header)..b64url(signature)"}

Rules:
1. The token contains a key on P-384 in its claim ``cpk``; that key signs the token and the fingerprints of the
   description.
2. The fingerprints are signed as canonical JSON, which is not sent: the checker makes it from the description.
3. The login that follows must be signed by the same key.
"""

import base64
import hashlib
import json
from collections.abc import Sequence
from typing import Any, Final

import msgspec
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec

from net.bedrock.login.tokens import (
    AUDIENCE,
    PrivateKey,
    PublicKey,
    Token,
    compact_json,
    lenient_base64,
    public_text,
    read_public,
    sign,
    signature_of,
    token_segment,
)
from net.errors import DecodeError

SERVER_LIFE_S: Final = 60
CLIENT_LIFE_S: Final = 3600
CLOCK_SKEW_S: Final = 30.0
_HEADER: Final = token_segment(b'{"alg":"ES384"}')


class PeerIdentity(msgspec.Struct, frozen=True):
    """A verified identity."""

    key: PublicKey  # that signed the description
    pin: str  # SHA-256 of the key, hexadecimal: stored to recognise a server
    domain: str  # the authority; ``self``: none


def write_identity(
    key: PrivateKey, fingerprints: Sequence[tuple[str, str]], unix_time: float, name: str = "", life_s: int = 3600
) -> str:
    """The text of ``a=identity`` for a self-signed identity.

    ``key``: signs the login, or the server's own. ``fingerprints``: of the description. ``name``: of a player; empty
    for a server.
    """
    now = int(unix_time)
    claims: dict[str, Any] = {"cpk": public_text(key.public_key()), "iat": now, "exp": now + life_s}
    if name:
        claims |= {"nbf": now - 60, "aud": AUDIENCE, "xname": name}
    text = f"{_HEADER}.{_signed_part(fingerprints)}"
    detached = f"{_HEADER}..{token_segment(signature_of(text.encode(), key))}"
    assertion = compact_json({"fingerprints": detached, "token": sign(claims, key)})
    outer = {"assertion": assertion, "idp": {"domain": "self", "protocol": "default"}}
    return base64.b64encode(compact_json(outer).encode()).decode()


def _signed_part(fingerprints: Sequence[tuple[str, str]]) -> str:
    """The part of rule 2; canonical JSON has its keys in order."""
    found = [{"algorithm": algorithm, "digest": digest} for algorithm, digest in fingerprints]
    return token_segment(compact_json({"fingerprint": found}).encode())


def check_identity(text: str, fingerprints: Sequence[tuple[str, str]], unix_time: float) -> PeerIdentity:
    """Verifies the identity of a description.

    ``text``: of ``a=identity``. ``fingerprints``: of the same description. Raises DecodeError: it is invalid, has
    expired, or was signed for other fingerprints or by another key.
    """
    try:
        outer = json.loads(lenient_base64(text))
        inner = json.loads(outer["assertion"])
        token_text, detached = inner["token"], inner["fingerprints"]
        domain = outer.get("idp", {}).get("domain", "")
        if not isinstance(token_text, str) or not isinstance(detached, str) or not isinstance(domain, str):
            raise TypeError("its members are no texts")
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DecodeError("identity", "json", 0, f"cannot be decoded: {error!r}") from None
    token = Token.parse(token_text, "token")
    key = _key_of(token.body.get("cpk"))
    if domain == "self":
        token.verify(key, "token")
    _check_dates(token, unix_time)
    head, between, rest = detached.partition("..")
    if not between:
        raise DecodeError("identity", "fingerprints", 0, "is not a detached signature")
    try:
        signature = lenient_base64(rest)
    except ValueError as error:
        raise DecodeError("identity", "fingerprints", 0, str(error)) from None
    signed = f"{head}.{_signed_part(fingerprints)}"
    Token({}, {}, signed, signature).verify(key, "fingerprints")
    return PeerIdentity(key, pin_of(key), domain)


def _check_dates(token: Token, unix_time: float) -> None:
    ends = token.body.get("exp")
    if isinstance(ends, bool) or not isinstance(ends, int | float):
        raise DecodeError("identity", "exp", 0, "is not a time")
    if unix_time > ends + CLOCK_SKEW_S:
        raise DecodeError("identity", "exp", 0, f"expired {unix_time - ends:.0f} s ago")


def _key_of(claim: object) -> PublicKey:
    """The key of a claim ``cpk``: a JSON web key, or DER in base64."""
    if not isinstance(claim, dict):
        return read_public(claim, "cpk")
    try:
        x, y = (int.from_bytes(lenient_base64(claim.get(name)), "big") for name in ("x", "y"))
        return ec.EllipticCurvePublicNumbers(x, y, ec.SECP384R1()).public_key()
    except ValueError as error:
        raise DecodeError("identity", "cpk", 0, f"is not a key on P-384: {error}") from None


def pin_of(key: PublicKey) -> str:
    """The form of a server's key in which it is stored."""
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return hashlib.sha256(key.public_bytes(serialization.Encoding.DER, form)).hexdigest()
