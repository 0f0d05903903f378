"""Packets of the game: one file each, a codec per protocol and profile, batches, and the login of both ends.

Rules:
1. One packet a file: its message, its fields (see ``packet``). ``catalogue`` lists them all.
2. Messages are frozen and the same for every protocol and profile; where the wire has no such field, a default stands.
3. An unknown packet number is a message (``Unknown``), bad bytes are a ``DecodeError``; neither ends a session.
"""

from net.bedrock.available_entity_identifiers import AvailableEntityIdentifiers
from net.bedrock.biome_definition_list import BiomeDefinitionList
from net.bedrock.block_actor_data import BlockActorData
from net.bedrock.catalogue import Message, Unknown
from net.bedrock.change_dimension import ChangeDimension
from net.bedrock.chunk_radius_updated import ChunkRadiusUpdated
from net.bedrock.client_cache_blob_status import ClientCacheBlobStatus
from net.bedrock.client_cache_miss_response import Blob, ClientCacheMissResponse
from net.bedrock.client_cache_status import ClientCacheStatus
from net.bedrock.client_to_server_handshake import ClientToServerHandshake
from net.bedrock.codec import Codec
from net.bedrock.command_origin import CommandOrigin
from net.bedrock.command_output import CommandMessage, CommandOutput
from net.bedrock.command_request import CommandRequest
from net.bedrock.correct_player_move_prediction import CorrectPlayerMovePrediction
from net.bedrock.creative_content import CreativeContent
from net.bedrock.dimension_data import DimensionData, DimensionDefinition
from net.bedrock.disconnect import Disconnect
from net.bedrock.experiment import Experiment
from net.bedrock.game_rule import GameRule
from net.bedrock.game_tables import CustomBlock, ItemType
from net.bedrock.item_registry import ItemRegistry
from net.bedrock.join_info import Gathering, JoinInfo, Presence, StoreEntry
from net.bedrock.level_chunk import LevelChunk
from net.bedrock.level_event import LevelEvent, LevelEventNumber, WeatherEvent
from net.bedrock.level_event_generic import LevelEventGeneric
from net.bedrock.level_sound_event import LevelSoundEvent, SoundNumber
from net.bedrock.login_packet import Login
from net.bedrock.move_player import MoveMode, MovePlayer
from net.bedrock.network_chunk_publisher_update import NetworkChunkPublisherUpdate
from net.bedrock.network_settings import Algorithm, NetworkSettings
from net.bedrock.network_stack_latency import NetworkStackLatency
from net.bedrock.play_status import PlayStatus, PlayStatusCode
from net.bedrock.player_action import PlayerAction
from net.bedrock.player_auth_input import PlayerAuthInput
from net.bedrock.request_chunk_radius import RequestChunkRadius
from net.bedrock.request_network_settings import RequestNetworkSettings
from net.bedrock.resource_pack_client_response import PackStatus, ResourcePackClientResponse
from net.bedrock.resource_pack_stack import ResourcePackStack, StackedPack
from net.bedrock.resource_packs_info import PackInfo, PackLink, ResourcePacksInfo
from net.bedrock.respawn import Respawn
from net.bedrock.server_to_client_handshake import ServerToClientHandshake
from net.bedrock.serverbound_loading_screen import ServerboundLoadingScreen
from net.bedrock.set_local_player_as_initialized import SetLocalPlayerAsInitialized
from net.bedrock.set_player_game_type import SetPlayerGameType
from net.bedrock.set_spawn_position import SetSpawnPosition
from net.bedrock.set_time import SetTime
from net.bedrock.start_game import StartGame
from net.bedrock.subchunk import SubChunk
from net.bedrock.subchunk_entries import HeightKind, SubChunkEntry, SubChunkResult
from net.bedrock.subchunk_request import SubChunkRequest
from net.bedrock.text import Text
from net.bedrock.tick_sync import TickSync
from net.bedrock.transfer import Transfer
from net.bedrock.update_block import UpdateBlock
from net.bedrock.update_block_synced import UpdateBlockSynced
from net.bedrock.update_subchunk_blocks import BlockChange, UpdateSubChunkBlocks

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
