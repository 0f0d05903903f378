"""The client token: what a client says about itself at login, device, settings and skin (wire.md 5.4).

Strict servers refuse a login that lacks any of these members, though a viewer has no skin to show: ours is one plain
colour on the smallest legal size. Releases added members and dropped one; ``_LATER`` says when.
"""

import base64
import json
from typing import Any, Final

from net.bedrock.login.steps import Identity
from net.bedrock.releases import Release

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


def _packed(text: str | bytes) -> str:
    return base64.b64encode(text.encode() if isinstance(text, str) else text).decode()


MAX_VIEW_DISTANCE: Final = 96
"""Columns. A server that is told 0 unloads everything (ecosystem.md 2.1)."""

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
    """The token's body.

    Args:
        identity: the player; the UUID serves for the device too, since offline nobody checks either.
        release: of the protocol spoken.
        client_random_id: any 63-bit number.
    """
    claims = _first_claims(identity, client_random_id) | {"GameVersion": release.name}
    if release.protocol <= _THIRD_PARTY_NAME_ONLY_LAST:
        claims["ThirdPartyNameOnly"] = False
    for first, members in _LATER:
        if release.protocol >= first:
            claims |= members
    return claims


def _first_claims(identity: Identity, client_random_id: int) -> dict[str, Any]:
    """What every release has said since 486."""
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
        "SkinData": _packed(SKIN_COLOUR * (SKIN_WIDTH_PX * SKIN_HEIGHT_PX)),
        "SkinGeometryData": _packed(json.dumps(_GEOMETRY)),
        "SkinGeometryDataEngineVersion": _packed("1.12.0"),
        "SkinId": f"{uuid}.chunkscope",
        "SkinImageHeight": SKIN_HEIGHT_PX,
        "SkinImageWidth": SKIN_WIDTH_PX,
        "SkinResourcePatch": _packed(json.dumps({"geometry": {"default": _GEOMETRY_NAME}})),
        "ThirdPartyName": identity.display_name,
        "UIProfile": 0,
    }
