"""Packets of the game: one file each, a codec per protocol and profile, batches, and the login of both ends.

    batch               Batches: what one RakNet payload holds (wire.md 5.3)
    codec               Packets to messages and back, in one dialect
    documented_profile  What a payload looks like under the documented profile, turned into what real servers send
    login/              The login, seen from both ends (wire.md 5.3 to 5.5)
    packets/            Packets of the Bedrock protocol, one module a topic
    releases            Every release this package speaks: protocol number, name, RakNet version (wire.md 7)

Rules:
1. One packet a file: its message, its fields (see ``packets.packet``). ``packets.registry`` lists them all.
2. Messages are frozen and the same for every protocol and profile; where the wire has no such field, a default stands.
3. An unknown packet number is a message (``Unknown``), bad bytes are a ``DecodeError``; neither ends a session.
"""

from net.bedrock.codec import Codec
from net.bedrock.packets.blob_cache import Blob, ClientCacheBlobStatus, ClientCacheMissResponse, ClientCacheStatus
from net.bedrock.packets.blocks import BlockActorData, BlockChange, UpdateBlock, UpdateBlockSynced, UpdateSubChunkBlocks
from net.bedrock.packets.chat import CommandMessage, CommandOrigin, CommandOutput, CommandRequest, Text
from net.bedrock.packets.chunks import (
    ChangeDimension,
    ChunkRadiusUpdated,
    LevelChunk,
    NetworkChunkPublisherUpdate,
    RequestChunkRadius,
)
from net.bedrock.packets.level_events import (
    LevelEvent,
    LevelEventGeneric,
    LevelEventNumber,
    LevelSoundEvent,
    SoundNumber,
    WeatherEvent,
)
from net.bedrock.packets.login import (
    Algorithm,
    ClientToServerHandshake,
    Disconnect,
    Login,
    NetworkSettings,
    PlayStatus,
    PlayStatusCode,
    RequestNetworkSettings,
    ServerboundLoadingScreen,
    ServerToClientHandshake,
    SetLocalPlayerAsInitialized,
    Transfer,
)
from net.bedrock.packets.movement import (
    CorrectPlayerMovePrediction,
    MoveMode,
    MovePlayer,
    PlayerAction,
    PlayerAuthInput,
    Respawn,
    SetPlayerGameType,
    SetSpawnPosition,
)
from net.bedrock.packets.registries import (
    AvailableEntityIdentifiers,
    BiomeDefinitionList,
    CreativeContent,
    DimensionData,
    DimensionDefinition,
    ItemRegistry,
)
from net.bedrock.packets.registry import Message, Unknown
from net.bedrock.packets.resource_packs import (
    Experiment,
    PackInfo,
    PackLink,
    PackStatus,
    ResourcePackClientResponse,
    ResourcePacksInfo,
    ResourcePackStack,
    StackedPack,
)
from net.bedrock.packets.start_game import (
    CustomBlock,
    GameRule,
    Gathering,
    ItemType,
    JoinInfo,
    Presence,
    StartGame,
    StoreEntry,
)
from net.bedrock.packets.subchunks import HeightKind, SubChunk, SubChunkEntry, SubChunkRequest, SubChunkResult
from net.bedrock.packets.time import NetworkStackLatency, SetTime, TickSync

__all__ = [
    "Algorithm",
    "AvailableEntityIdentifiers",
    "BiomeDefinitionList",
    "Blob",
    "BlockActorData",
    "BlockChange",
    "ChangeDimension",
    "ChunkRadiusUpdated",
    "ClientCacheBlobStatus",
    "ClientCacheMissResponse",
    "ClientCacheStatus",
    "ClientToServerHandshake",
    "Codec",
    "CommandMessage",
    "CommandOrigin",
    "CommandOutput",
    "CommandRequest",
    "CorrectPlayerMovePrediction",
    "CreativeContent",
    "CustomBlock",
    "DimensionData",
    "DimensionDefinition",
    "Disconnect",
    "Experiment",
    "GameRule",
    "Gathering",
    "HeightKind",
    "ItemRegistry",
    "ItemType",
    "JoinInfo",
    "LevelChunk",
    "LevelEvent",
    "LevelEventGeneric",
    "LevelEventNumber",
    "LevelSoundEvent",
    "Login",
    "Message",
    "MoveMode",
    "MovePlayer",
    "NetworkChunkPublisherUpdate",
    "NetworkSettings",
    "NetworkStackLatency",
    "PackInfo",
    "PackLink",
    "PackStatus",
    "PlayStatus",
    "PlayStatusCode",
    "PlayerAction",
    "PlayerAuthInput",
    "Presence",
    "RequestChunkRadius",
    "RequestNetworkSettings",
    "ResourcePackClientResponse",
    "ResourcePackStack",
    "ResourcePacksInfo",
    "Respawn",
    "ServerToClientHandshake",
    "ServerboundLoadingScreen",
    "SetLocalPlayerAsInitialized",
    "SetPlayerGameType",
    "SetSpawnPosition",
    "SetTime",
    "SoundNumber",
    "StackedPack",
    "StartGame",
    "StoreEntry",
    "SubChunk",
    "SubChunkEntry",
    "SubChunkRequest",
    "SubChunkResult",
    "Text",
    "TickSync",
    "Transfer",
    "Unknown",
    "UpdateBlock",
    "UpdateBlockSynced",
    "UpdateSubChunkBlocks",
    "WeatherEvent",
]
