"""Keys and signed tokens of the login (wire.md 5.3, 5.4), and what both ends share: identity and login steps.

Rules:
1. Keys are on P-384; tokens are ES384 JWTs whose header names the signing key (x5u, base64 of its DER form).
2. A private key comes from the entropy that is passed in, so a test can repeat it. The signature's own nonce comes from
   the cryptography library.
3. Tokens of the other side are read leniently (padding, either alphabet); invalid ones are a DecodeError.

Chain: the client's identity, signed by itself (wire.md 5.4). Three forms, by protocol:

    486..817   {"chain": [T]}
    818..943   {"Certificate": "<the JSON above>", "AuthenticationType": 2, "Token": ""}
    944..      the same, and Token is a signed claim of its own; a server uses whichever of the two it supports

A server checks that the tokens are consistent: each is signed by the key it names, the last names the key that signed
the client token, none has long expired. It does not check whether a vendor vouches for the keys: there are no accounts.

Client token: device, settings and skin of the client (wire.md 5.4). Strict servers refuse a login that lacks any of
these members. A viewer has no skin to show: ours is one plain colour in the smallest legal size. Releases added members
and dropped one; ``_LATER`` lists them.
"""

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, Final

import msgspec
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

from net.bedrock.packets.login import Login, NetworkSettings
from net.bedrock.packets.packet import Message
from net.errors import DecodeError
from net.releases import Release


class Identity(msgspec.Struct, frozen=True):
    """The identity of a player."""

    display_name: str  # shown to other players
    uuid: str  # text form
    server_address: str = "127.0.0.1:19132"  # ``host:port`` as the user typed it; some servers check it
    nonce: str = ""  # of a LAN game, from its discovery; empty elsewhere


class LoginStep(msgspec.Struct, frozen=True):
    """The result of handling a message."""

    send: tuple[Message, ...] = ()  # answers, in order
    # new key for both directions, 32 bytes, or None. A client encrypts ``send`` with it already, a server only later
    key: bytes | None = None
    joined: bool = False  # whether the login is over
    refused: str | None = None  # reason of the failure, or None
    # new compression of batches in both directions, or None for no change. A client compresses ``send`` with it
    # already, a server only later messages.
    compress: NetworkSettings | None = None


NOTHING: Final = LoginStep()


PrivateKey = ec.EllipticCurvePrivateKey
PublicKey = ec.EllipticCurvePublicKey
Entropy = Callable[[int], bytes]

_CURVE: Final = ec.SECP384R1()
_ORDER: Final = int(
    "ffffffffffffffffffffffffffffffffffffffffffffffffc7634d81f4372ddf581a0db248b0a77aecec196accc52973", 16
)
_HALF_BYTES: Final = 48
_SIGNING: Final = ec.ECDSA(hashes.SHA384())


def new_key(entropy: Entropy) -> PrivateKey:
    """A new key; 16 spare bytes make the bias of the remainder negligible."""
    return ec.derive_private_key(int.from_bytes(entropy(_HALF_BYTES + 16), "big") % (_ORDER - 1) + 1, _CURVE)


def public_text(key: PublicKey) -> str:
    """A public key as tokens contain it: base64 of the DER SubjectPublicKeyInfo."""
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return base64.b64encode(key.public_bytes(serialization.Encoding.DER, form)).decode()


def read_public(text: object, field: str) -> PublicKey:
    """The key that a token names. Raises DecodeError: it is not a P-384 key."""
    try:
        key = serialization.load_der_public_key(lenient_base64(text))
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise DecodeError("token", field, 0, f"is not a public key: {error}") from None
    if not isinstance(key, PublicKey) or key.curve.name != _CURVE.name:
        raise DecodeError("token", field, 0, "is not a key on P-384")
    return key


def lenient_base64(text: object) -> bytes:
    """Base64 of either alphabet, with padding or without. Raises ValueError: it is not base64."""
    if not isinstance(text, str):
        raise ValueError(f"{text!r} is not a string")
    plain = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"is not base64: {error}") from None


def token_segment(data: bytes) -> str:
    """A part of a token: base64 of the URL's alphabet, without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def compact_json(value: object) -> str:
    return json.dumps(value, separators=(",", ":"))


def sign(body: Mapping[str, Any], key: PrivateKey) -> str:
    """A signed token; ``body`` is any JSON object."""
    header = {"alg": "ES384", "x5u": public_text(key.public_key())}
    text = ".".join(token_segment(compact_json(part).encode()) for part in (header, body))
    return f"{text}.{token_segment(signature_of(text.encode(), key))}"


def signature_of(text: bytes, key: PrivateKey) -> bytes:
    """A signature as in tokens: r and s, 48 bytes each."""
    r, s = decode_dss_signature(key.sign(text, _SIGNING))
    return r.to_bytes(_HALF_BYTES, "big") + s.to_bytes(_HALF_BYTES, "big")


class Token(msgspec.Struct, frozen=True):
    """A parsed token; ``verify`` checks its signature."""

    header: dict[str, Any]  # algorithm and key
    body: dict[str, Any]  # the claims
    text: str  # the signed part
    signature: bytes  # r and s, 48 bytes each

    @classmethod
    def parse(cls, text: str, name: str) -> "Token":
        """Parses a token. Raises DecodeError: it is not one."""
        parts = text.split(".")
        if len(parts) != 3:
            raise DecodeError("token", name, 0, f"has {len(parts)} parts, not 3")
        try:
            header, body = (json.loads(lenient_base64(part)) for part in parts[:2])
            signature = lenient_base64(parts[2])
        except (ValueError, RecursionError) as error:
            raise DecodeError("token", name, 0, f"is unreadable: {error}") from None
        if not isinstance(header, dict) or not isinstance(body, dict):
            raise DecodeError("token", name, 0, "does not contain objects")
        return cls(header, body, f"{parts[0]}.{parts[1]}", signature)

    def signer(self) -> PublicKey:
        """The key in its header. Raises DecodeError: there is none."""
        return read_public(self.header.get("x5u"), "x5u")

    def base64_claim(self, name: str) -> bytes:
        """A claim that contains bytes. Raises DecodeError: it is missing or not base64."""
        try:
            return lenient_base64(self.body.get(name))
        except ValueError as error:
            raise DecodeError("token", name, 0, str(error)) from None

    def verify(self, key: PublicKey, name: str) -> None:
        """Checks the signature. Raises DecodeError: it is not of that key."""
        if len(self.signature) != 2 * _HALF_BYTES:
            raise DecodeError("token", name, 0, f"has a signature of {len(self.signature)} bytes")
        r, s = (int.from_bytes(half, "big") for half in (self.signature[:_HALF_BYTES], self.signature[_HALF_BYTES:]))
        try:
            key.verify(encode_dss_signature(r, s), self.text.encode(), _SIGNING)
        except InvalidSignature:
            raise DecodeError("token", name, 0, "has an invalid signature") from None


def session_key(own: PrivateKey, other: PublicKey, salt: bytes) -> bytes:
    """The secret that both ends share: SHA-256 of the salt and the common x coordinate, 32 bytes."""
    return sha256(salt + own.exchange(ec.ECDH(), other)).digest()


TOKEN_LIFE_S: Final = 6 * 3600
CLOCK_SKEW_S: Final = 24 * 3600
"""Allowed error of the peer's clock: strictness gains nothing for tokens that any client can sign itself."""
CHAIN_TOKENS: Final = 3
"""Own, vendor, vendor; an offline chain has only the first."""


WRAPPED_FIRST: Final = 818
TOKEN_FIRST: Final = 944
SELF_SIGNED: Final = 2
"""AuthenticationType: 0 signed in, 1 guest, 2 self-signed."""
AUDIENCE: Final = "api://auth-minecraft-services/multiplayer"


def chain_text(identity: Identity, key: PrivateKey, unix_time: int, protocol: int) -> str:
    """The identity of an offline client, signed by the key that it names."""
    dates = {"nbf": unix_time - 60, "exp": unix_time + TOKEN_LIFE_S, "iat": unix_time}
    own = public_text(key.public_key())
    claims = {
        **dates,
        "identityPublicKey": own,
        "certificateAuthority": True,
        "extraData": {"displayName": identity.display_name, "identity": identity.uuid, "XUID": ""},
    }
    chain = compact_json({"chain": [sign(claims, key)]})
    if protocol < WRAPPED_FIRST:
        return chain
    token = ""
    if protocol >= TOKEN_FIRST:
        names = {"xid": "0", "xname": identity.display_name, "identity": identity.uuid, "leguuid": identity.uuid}
        token = sign({**dates, "iss": "self", "aud": AUDIENCE, "cpk": own, **names}, key)
    return compact_json({"Certificate": chain, "AuthenticationType": SELF_SIGNED, "Token": token})


def check_login(message: Login, unix_time: float) -> tuple[Identity, PublicKey]:
    """Identity and public key for the key exchange. Raises DecodeError: the tokens are inconsistent."""
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
        raise _fault("extraData", "does not name a player")
    return Identity(name, uuid, _text(client.body, "ServerAddress"), _text(client.body, "Nonce")), key


def _check_chain(chain: object, unix_time: float) -> tuple[PublicKey, str, str]:
    last = _verified_chain(chain)[-1]
    _check_dates(last, unix_time)
    extra = last.body.get("extraData")
    key = read_public(last.body.get("identityPublicKey"), "chain.identityPublicKey")
    return key, _text(extra, "displayName"), _text(extra, "identity")


def _check_token(text: object, unix_time: float) -> tuple[PublicKey, str, str]:
    """The self-signed form of protocol 944 and later, where the chain is empty."""
    if not isinstance(text, str):
        raise _fault("Token", "is not a string")
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
    """A claim that is text, else an empty text; half a surrogate pair (possible in JSON) becomes a question mark."""
    value = claims.get(name) if isinstance(claims, dict) else None
    return value.encode(errors="replace").decode() if isinstance(value, str) else ""


def _fault(field: str, reason: str) -> DecodeError:
    return DecodeError("token", f"chain.{field}", 0, reason)


def _verified_chain(chain: object) -> list[Token]:
    if not isinstance(chain, list) or not 1 <= len(chain) <= CHAIN_TOKENS or not all(isinstance(t, str) for t in chain):
        raise _fault("chain", f"is not a list of 1 to {CHAIN_TOKENS} tokens")
    tokens = [Token.parse(part, f"chain[{index}]") for index, part in enumerate(chain)]
    for index, token in enumerate(tokens):
        token.verify(token.signer(), f"chain[{index}]")
    return tokens


def _check_dates(token: Token, unix_time: float) -> None:
    begins, ends = token.body.get("nbf", 0), token.body.get("exp", unix_time)
    if not isinstance(begins, int | float) or not isinstance(ends, int | float):
        raise _fault("exp", "has no validity dates")
    if not begins - CLOCK_SKEW_S <= unix_time <= ends + CLOCK_SKEW_S:
        raise _fault("exp", f"is valid from {begins} to {ends}, but the time is {unix_time:.0f}")


SKIN_WIDTH_PX: Final = 64
SKIN_HEIGHT_PX: Final = 32
SKIN_COLOUR: Final = bytes((94, 124, 152, 255))

_GEOMETRY_NAME: Final = "geometry.humanoid.custom"
_BONE: Final = {
    "name": "body",
    "pivot": [0, 24, 0],
    "cubes": [{"origin": [-4, 12, -2], "size": [8, 12, 4], "uv": [16, 16]}],
}
_GEOMETRY: Final = {
    "format_version": "1.12.0",
    "minecraft:geometry": [
        {
            "description": {
                "identifier": _GEOMETRY_NAME,
                "texture_width": SKIN_WIDTH_PX,
                "texture_height": SKIN_HEIGHT_PX,
            },
            "bones": [_BONE],
        }
    ],
}


def _packed_client_token(text: str | bytes) -> str:
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


MAX_VIEW_DISTANCE: Final = 96
"""Columns. Given 0, a server unloads everything (ecosystem.md 2.1)."""

_LATER: Final[tuple[tuple[int, dict[str, Any]], ...]] = (
    (544, {"TrustedSkin": False}),
    (567, {"OverrideSkin": False}),
    (582, {"CompatibleWithClientSideChunkGen": False}),
    (748, {"MaxViewDistance": MAX_VIEW_DISTANCE, "MemoryTier": 2, "PlatformType": 0}),
    (818, {"GraphicsMode": 1, "PartyId": ""}),
)
"""(first protocol, members it added)."""
_THIRD_PARTY_NAME_ONLY_LAST: Final = 817


def client_claims(identity: Identity, release: Release, client_random_id: int) -> dict[str, Any]:
    """The client token's body.

    ``identity``: the player; the UUID is also used for the device, since offline servers check neither.
    ``client_random_id``: any 63-bit number.
    """
    claims = _first_claims(identity, client_random_id) | {"GameVersion": release.name}
    if release.protocol <= _THIRD_PARTY_NAME_ONLY_LAST:
        claims["ThirdPartyNameOnly"] = False
    for first, members in _LATER:
        if release.protocol >= first:
            claims |= members
    return claims


def _first_claims(identity: Identity, client_random_id: int) -> dict[str, Any]:
    """The members that every release since 486 has."""
    uuid = identity.uuid
    return {
        "AnimatedImageData": [],
        "ArmSize": "wide",
        "CapeData": "",
        "CapeId": "",
        "CapeImageHeight": 0,
        "CapeImageWidth": 0,
        "CapeOnClassicSkin": False,
        "ClientRandomId": client_random_id,
        "CurrentInputMode": 1,
        "DefaultInputMode": 1,
        "DeviceId": uuid,
        "DeviceModel": "chunkscope",
        "DeviceOS": 7,
        "GuiScale": 0,
        "LanguageCode": "en_GB",
        **({"Nonce": identity.nonce} if identity.nonce else {}),
        "PersonaPieces": [],
        "PersonaSkin": False,
        "PieceTintColors": [],
        "PlatformOfflineId": "",
        "PlatformOnlineId": "",
        "PlayFabId": uuid.replace("-", "")[:16],
        "PremiumSkin": False,
        "SelfSignedId": uuid,
        "ServerAddress": identity.server_address,
        "SkinAnimationData": "",
        "SkinColor": "#0",
        "SkinData": _packed_client_token(SKIN_COLOUR * (SKIN_WIDTH_PX * SKIN_HEIGHT_PX)),
        "SkinGeometryData": _packed_client_token(json.dumps(_GEOMETRY)),
        "SkinGeometryDataEngineVersion": _packed_client_token("1.12.0"),
        "SkinId": f"{uuid}.chunkscope",
        "SkinImageHeight": SKIN_HEIGHT_PX,
        "SkinImageWidth": SKIN_WIDTH_PX,
        "SkinResourcePatch": _packed_client_token(json.dumps({"geometry": {"default": _GEOMETRY_NAME}})),
        "ThirdPartyName": identity.display_name,
        "UIProfile": 0,
    }
