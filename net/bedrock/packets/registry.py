"""Every packet this package knows, by number, and the union of what they decode to."""

from typing import Any, Final

from net.bedrock.packets import (
    blob_cache,
    blocks,
    chat,
    chunks,
    level_events,
    login,
    movement,
    registries,
    resource_packs,
    start_game,
    subchunks,
    time,
)
from net.bedrock.packets.blob_cache import ClientCacheBlobStatus, ClientCacheMissResponse, ClientCacheStatus
from net.bedrock.packets.blocks import BlockActorData, UpdateBlock, UpdateBlockSynced, UpdateSubChunkBlocks
from net.bedrock.packets.chat import CommandOutput, CommandRequest, Text
from net.bedrock.packets.chunks import (
    ChangeDimension,
    ChunkRadiusUpdated,
    LevelChunk,
    NetworkChunkPublisherUpdate,
    RequestChunkRadius,
)
from net.bedrock.packets.level_events import LevelEvent, LevelEventGeneric, LevelSoundEvent
from net.bedrock.packets.login import (
    ClientToServerHandshake,
    Disconnect,
    Login,
    NetworkSettings,
    PlayStatus,
    RequestNetworkSettings,
    ServerboundLoadingScreen,
    ServerToClientHandshake,
    SetLocalPlayerAsInitialized,
    Transfer,
)
from net.bedrock.packets.movement import (
    CorrectPlayerMovePrediction,
    MovePlayer,
    PlayerAction,
    PlayerAuthInput,
    Respawn,
    SetPlayerGameType,
    SetSpawnPosition,
)
from net.bedrock.packets.packet import Packet
from net.bedrock.packets.registries import (
    AvailableEntityIdentifiers,
    BiomeDefinitionList,
    CreativeContent,
    DimensionData,
    ItemRegistry,
)
from net.bedrock.packets.resource_packs import ResourcePackClientResponse, ResourcePacksInfo, ResourcePackStack
from net.bedrock.packets.start_game import StartGame
from net.bedrock.packets.subchunks import SubChunk, SubChunkRequest
from net.bedrock.packets.time import NetworkStackLatency, SetTime, TickSync
from net.frozen import frozen


@frozen
class Unknown:
    """A packet whose number is not in the table; skipping it is all that can be done.

    Attributes:
        packet_id: its number.
        size_bytes: with its header.
    """

    packet_id: int
    size_bytes: int


PACKETS: Final[tuple[Packet[Any], ...]] = (
    login.LOGIN_PACKET,
    login.PLAY_STATUS_PACKET,
    login.SERVER_TO_CLIENT_HANDSHAKE_PACKET,
    login.CLIENT_TO_SERVER_HANDSHAKE_PACKET,
    login.DISCONNECT_PACKET,
    resource_packs.RESOURCE_PACKS_INFO_PACKET,
    resource_packs.RESOURCE_PACK_STACK_PACKET,
    resource_packs.RESOURCE_PACK_CLIENT_RESPONSE_PACKET,
    chat.TEXT_PACKET,
    time.SET_TIME_PACKET,
    start_game.PACKET,
    movement.MOVE_PLAYER_PACKET,
    blocks.UPDATE_BLOCK_PACKET,
    time.TICK_SYNC_PACKET,
    level_events.LEVEL_EVENT_PACKET,
    movement.PLAYER_ACTION_PACKET,
    movement.SET_SPAWN_POSITION_PACKET,
    movement.RESPAWN_PACKET,
    blocks.BLOCK_ACTOR_DATA_PACKET,
    chunks.LEVEL_CHUNK_PACKET,
    chunks.CHANGE_DIMENSION_PACKET,
    movement.SET_PLAYER_GAME_TYPE_PACKET,
    chunks.REQUEST_CHUNK_RADIUS_PACKET,
    chunks.CHUNK_RADIUS_UPDATED_PACKET,
    chat.COMMAND_REQUEST_PACKET,
    chat.COMMAND_OUTPUT_PACKET,
    login.TRANSFER_PACKET,
    blocks.UPDATE_BLOCK_SYNCED_PACKET,
    login.SET_LOCAL_PLAYER_AS_INITIALIZED_PACKET,
    time.NETWORK_STACK_LATENCY_PACKET,
    registries.AVAILABLE_ENTITY_IDENTIFIERS_PACKET,
    chunks.NETWORK_CHUNK_PUBLISHER_UPDATE_PACKET,
    registries.BIOME_DEFINITION_LIST_PACKET,
    level_events.LEVEL_SOUND_EVENT_PACKET,
    level_events.LEVEL_EVENT_GENERIC_PACKET,
    blob_cache.CLIENT_CACHE_STATUS_PACKET,
    blob_cache.CLIENT_CACHE_BLOB_STATUS_PACKET,
    blob_cache.CLIENT_CACHE_MISS_RESPONSE_PACKET,
    login.NETWORK_SETTINGS_PACKET,
    movement.PLAYER_AUTH_INPUT_PACKET,
    registries.CREATIVE_CONTENT_PACKET,
    movement.CORRECT_PLAYER_MOVE_PREDICTION_PACKET,
    registries.ITEM_REGISTRY_PACKET,
    blocks.UPDATE_SUBCHUNK_BLOCKS_PACKET,
    subchunks.SUBCHUNK_PACKET,
    subchunks.SUBCHUNK_REQUEST_PACKET,
    registries.DIMENSION_DATA_PACKET,
    login.REQUEST_NETWORK_SETTINGS_PACKET,
    login.SERVERBOUND_LOADING_SCREEN_PACKET,
)
"""In the order of their numbers. Each is a Packet of its own message, hence Any."""

Message = (
    Login
    | PlayStatus
    | ServerToClientHandshake
    | ClientToServerHandshake
    | Disconnect
    | ResourcePacksInfo
    | ResourcePackStack
    | ResourcePackClientResponse
    | Text
    | SetTime
    | StartGame
    | MovePlayer
    | UpdateBlock
    | TickSync
    | LevelEvent
    | PlayerAction
    | SetSpawnPosition
    | Respawn
    | BlockActorData
    | LevelChunk
    | ChangeDimension
    | SetPlayerGameType
    | RequestChunkRadius
    | ChunkRadiusUpdated
    | CommandRequest
    | CommandOutput
    | Transfer
    | UpdateBlockSynced
    | SetLocalPlayerAsInitialized
    | NetworkStackLatency
    | AvailableEntityIdentifiers
    | NetworkChunkPublisherUpdate
    | BiomeDefinitionList
    | LevelSoundEvent
    | LevelEventGeneric
    | ClientCacheStatus
    | ClientCacheBlobStatus
    | ClientCacheMissResponse
    | NetworkSettings
    | PlayerAuthInput
    | CreativeContent
    | CorrectPlayerMovePrediction
    | ItemRegistry
    | UpdateSubChunkBlocks
    | SubChunk
    | SubChunkRequest
    | DimensionData
    | RequestNetworkSettings
    | ServerboundLoadingScreen
    | Unknown
)
