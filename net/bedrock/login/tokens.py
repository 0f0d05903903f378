"""Keys and signed tokens of the login (wire.md 5.3, 5.4).

Rules:
1. Keys are on P-384; tokens are ES384 JWTs whose header names the signing key (x5u, base64 of its DER form).
2. A private key comes from the entropy that is passed in, so a test can repeat it. The signature's own nonce is the
   cryptography library's.
3. Tokens of the other side are read leniently (padding, either alphabet) and refused with a DecodeError.
"""

import base64
import binascii
import json
from collections.abc import Callable, Mapping
from hashlib import sha256
from typing import Any, Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature

from net.errors import DecodeError
from net.frozen import frozen

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
    """A fresh key; 16 spare bytes make the remainder's bias immeasurable."""
    return ec.derive_private_key(int.from_bytes(entropy(_HALF_BYTES + 16), "big") % (_ORDER - 1) + 1, _CURVE)


def public_text(key: PublicKey) -> str:
    """A public key as tokens name it: base64 of the DER SubjectPublicKeyInfo."""
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return base64.b64encode(key.public_bytes(serialization.Encoding.DER, form)).decode()


def read_public(text: object, field: str) -> PublicKey:
    """The key a token names.

    Raises:
        DecodeError: it is no P-384 key.
    """
    try:
        key = serialization.load_der_public_key(lenient_base64(text))
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise DecodeError("token", field, 0, f"is no public key: {error}") from None
    if not isinstance(key, PublicKey) or key.curve.name != _CURVE.name:
        raise DecodeError("token", field, 0, "is no key on P-384")
    return key


def lenient_base64(text: object) -> bytes:
    """Base64 of either alphabet, with padding or without.

    Raises:
        ValueError: it is none.
    """
    if not isinstance(text, str):
        raise ValueError(f"{text!r} is no text")
    plain = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ValueError(f"no base64: {error}") from None


def _segment(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def sign(body: Mapping[str, Any], key: PrivateKey) -> str:
    """A token; ``body`` is any JSON object."""
    header = {"alg": "ES384", "x5u": public_text(key.public_key())}
    text = ".".join(_segment(json.dumps(part, separators=(",", ":")).encode()) for part in (header, body))
    r, s = decode_dss_signature(key.sign(text.encode(), _SIGNING))
    return f"{text}.{_segment(r.to_bytes(_HALF_BYTES, 'big') + s.to_bytes(_HALF_BYTES, 'big'))}"


@frozen
class Token:
    """A token taken apart; its signature is not checked before ``verify``.

    Attributes:
        header: names algorithm and key.
        body: what is claimed.
        text: the signed part.
        signature: r and s, 48 bytes each.
    """

    header: dict[str, Any]
    body: dict[str, Any]
    text: str
    signature: bytes

    @classmethod
    def parse(cls, text: str, name: str) -> "Token":
        """Takes a token apart.

        Raises:
            DecodeError: it is none.
        """
        parts = text.split(".")
        if len(parts) != 3:
            raise DecodeError("token", name, 0, f"has {len(parts)} parts, not 3")
        try:
            header, body = (json.loads(lenient_base64(part)) for part in parts[:2])
            signature = lenient_base64(parts[2])
        except (ValueError, RecursionError) as error:
            raise DecodeError("token", name, 0, f"is unreadable: {error}") from None
        if not isinstance(header, dict) or not isinstance(body, dict):
            raise DecodeError("token", name, 0, "holds no objects")
        return cls(header, body, f"{parts[0]}.{parts[1]}", signature)

    def signer(self) -> PublicKey:
        """The key its header names.

        Raises:
            DecodeError: it names none.
        """
        return read_public(self.header.get("x5u"), "x5u")

    def base64_claim(self, name: str) -> bytes:
        """A claim that is bytes.

        Raises:
            DecodeError: it is missing or no base64.
        """
        try:
            return lenient_base64(self.body.get(name))
        except ValueError as error:
            raise DecodeError("token", name, 0, str(error)) from None

    def verify(self, key: PublicKey, name: str) -> None:
        """Checks the signature.

        Raises:
            DecodeError: it is not that key's.
        """
        if len(self.signature) != 2 * _HALF_BYTES:
            raise DecodeError("token", name, 0, f"has a signature of {len(self.signature)} bytes")
        r, s = (int.from_bytes(half, "big") for half in (self.signature[:_HALF_BYTES], self.signature[_HALF_BYTES:]))
        try:
            key.verify(encode_dss_signature(r, s), self.text.encode(), _SIGNING)
        except InvalidSignature:
            raise DecodeError("token", name, 0, "has a wrong signature") from None


def session_key(own: PrivateKey, other: PublicKey, salt: bytes) -> bytes:
    """32 bytes that only both ends know: SHA-256 of the salt and the shared x coordinate."""
    return sha256(salt + own.exchange(ec.ECDH(), other)).digest()
