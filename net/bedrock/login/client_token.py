"""The client token: what a client says about itself at login, device, settings and skin (wire.md 5.4).

Strict servers refuse a login that lacks any of these members, though a viewer has no skin to show: ours is one plain
colour on the smallest legal size.
"""

import base64
import json
from typing import Any, Final

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


def client_claims(display_name: str, uuid: str, server_address: str, client_random_id: int) -> dict[str, Any]:
    """The token's body.

    Args:
        display_name: of the player.
        uuid: of the player; serves for the device too, since offline nobody checks either.
        server_address: ``host:port`` as the user typed it.
        client_random_id: any 63-bit number.
    """
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
        "GameVersion": "1.18.10",
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
        "ServerAddress": server_address,
        "SkinAnimationData": "",
        "SkinColor": "#0",
        "SkinData": _packed(SKIN_COLOUR * (SKIN_WIDTH_PX * SKIN_HEIGHT_PX)),
        "SkinGeometryData": _packed(json.dumps(_GEOMETRY)),
        "SkinGeometryDataEngineVersion": _packed("1.12.0"),
        "SkinId": f"{uuid}.chunkscope",
        "SkinImageHeight": SKIN_HEIGHT_PX,
        "SkinImageWidth": SKIN_WIDTH_PX,
        "SkinResourcePatch": _packed(json.dumps({"geometry": {"default": _GEOMETRY_NAME}})),
        "ThirdPartyName": display_name,
        "ThirdPartyNameOnly": False,
        "UIProfile": 0,
    }
