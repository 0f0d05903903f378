"""Every packet this package knows, by number, and the union of what they decode to."""

from typing import Any, Final

from net.bedrock import (
    available_entity_identifiers,
    biome_definition_list,
    block_actor_data,
    change_dimension,
    chunk_radius_updated,
    client_cache_blob_status,
    client_cache_miss_response,
    client_cache_status,
    client_to_server_handshake,
    command_output,
    command_request,
    correct_player_move_prediction,
    creative_content,
    dimension_data,
    disconnect,
    item_registry,
    level_chunk,
    level_event,
    level_event_generic,
    level_sound_event,
    login_packet,
    move_player,
    network_chunk_publisher_update,
    network_settings,
    network_stack_latency,
    play_status,
    player_action,
    player_auth_input,
    request_chunk_radius,
    request_network_settings,
    resource_pack_client_response,
    resource_pack_stack,
    resource_packs_info,
    respawn,
    server_to_client_handshake,
    serverbound_loading_screen,
    set_local_player_as_initialized,
    set_player_game_type,
    set_spawn_position,
    set_time,
    start_game,
    subchunk,
    subchunk_request,
    text,
    tick_sync,
    transfer,
    update_block,
    update_block_synced,
    update_subchunk_blocks,
)
from net.bedrock.available_entity_identifiers import AvailableEntityIdentifiers
from net.bedrock.biome_definition_list import BiomeDefinitionList
from net.bedrock.block_actor_data import BlockActorData
from net.bedrock.change_dimension import ChangeDimension
from net.bedrock.chunk_radius_updated import ChunkRadiusUpdated
from net.bedrock.client_cache_blob_status import ClientCacheBlobStatus
from net.bedrock.client_cache_miss_response import ClientCacheMissResponse
from net.bedrock.client_cache_status import ClientCacheStatus
from net.bedrock.client_to_server_handshake import ClientToServerHandshake
from net.bedrock.command_output import CommandOutput
from net.bedrock.command_request import CommandRequest
from net.bedrock.correct_player_move_prediction import CorrectPlayerMovePrediction
from net.bedrock.creative_content import CreativeContent
from net.bedrock.dimension_data import DimensionData
from net.bedrock.disconnect import Disconnect
from net.bedrock.item_registry import ItemRegistry
from net.bedrock.level_chunk import LevelChunk
from net.bedrock.level_event import LevelEvent
from net.bedrock.level_event_generic import LevelEventGeneric
from net.bedrock.level_sound_event import LevelSoundEvent
from net.bedrock.login_packet import Login
from net.bedrock.move_player import MovePlayer
from net.bedrock.network_chunk_publisher_update import NetworkChunkPublisherUpdate
from net.bedrock.network_settings import NetworkSettings
from net.bedrock.network_stack_latency import NetworkStackLatency
from net.bedrock.packet import Packet
from net.bedrock.play_status import PlayStatus
from net.bedrock.player_action import PlayerAction
from net.bedrock.player_auth_input import PlayerAuthInput
from net.bedrock.request_chunk_radius import RequestChunkRadius
from net.bedrock.request_network_settings import RequestNetworkSettings
from net.bedrock.resource_pack_client_response import ResourcePackClientResponse
from net.bedrock.resource_pack_stack import ResourcePackStack
from net.bedrock.resource_packs_info import ResourcePacksInfo
from net.bedrock.respawn import Respawn
from net.bedrock.server_to_client_handshake import ServerToClientHandshake
from net.bedrock.serverbound_loading_screen import ServerboundLoadingScreen
from net.bedrock.set_local_player_as_initialized import SetLocalPlayerAsInitialized
from net.bedrock.set_player_game_type import SetPlayerGameType
from net.bedrock.set_spawn_position import SetSpawnPosition
from net.bedrock.set_time import SetTime
from net.bedrock.start_game import StartGame
from net.bedrock.subchunk import SubChunk
from net.bedrock.subchunk_request import SubChunkRequest
from net.bedrock.text import Text
from net.bedrock.tick_sync import TickSync
from net.bedrock.transfer import Transfer
from net.bedrock.update_block import UpdateBlock
from net.bedrock.update_block_synced import UpdateBlockSynced
from net.bedrock.update_subchunk_blocks import UpdateSubChunkBlocks
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
    login_packet.PACKET,
    play_status.PACKET,
    server_to_client_handshake.PACKET,
    client_to_server_handshake.PACKET,
    disconnect.PACKET,
    resource_packs_info.PACKET,
    resource_pack_stack.PACKET,
    resource_pack_client_response.PACKET,
    text.PACKET,
    set_time.PACKET,
    start_game.PACKET,
    move_player.PACKET,
    update_block.PACKET,
    tick_sync.PACKET,
    level_event.PACKET,
    player_action.PACKET,
    set_spawn_position.PACKET,
    respawn.PACKET,
    block_actor_data.PACKET,
    level_chunk.PACKET,
    change_dimension.PACKET,
    set_player_game_type.PACKET,
    request_chunk_radius.PACKET,
    chunk_radius_updated.PACKET,
    command_request.PACKET,
    command_output.PACKET,
    transfer.PACKET,
    update_block_synced.PACKET,
    set_local_player_as_initialized.PACKET,
    network_stack_latency.PACKET,
    available_entity_identifiers.PACKET,
    network_chunk_publisher_update.PACKET,
    biome_definition_list.PACKET,
    level_sound_event.PACKET,
    level_event_generic.PACKET,
    client_cache_status.PACKET,
    client_cache_blob_status.PACKET,
    client_cache_miss_response.PACKET,
    network_settings.PACKET,
    player_auth_input.PACKET,
    creative_content.PACKET,
    correct_player_move_prediction.PACKET,
    item_registry.PACKET,
    update_subchunk_blocks.PACKET,
    subchunk.PACKET,
    subchunk_request.PACKET,
    dimension_data.PACKET,
    request_network_settings.PACKET,
    serverbound_loading_screen.PACKET,
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
