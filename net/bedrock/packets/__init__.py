"""Packets of the Bedrock protocol, one module a topic.

blob_cache      ClientCacheStatus, ClientCacheBlobStatus, ClientCacheMissResponse: terrain by its hash (wire.md 2.7)
blocks          UpdateBlock, UpdateSubChunkBlocks, BlockActorData: changes of blocks (wire.md 2.4)
chat            Text, CommandRequest, CommandOutput
chunks          LevelChunk, the publisher's and the client's radius, ChangeDimension (wire.md 2.1)
entities        AddActor and others: players, animals and items appear, move, change and disappear
entity_values   Parts of entity packets: metadata, items, links, abilities
inventory       InventoryTransaction: the use of items, with which players build
level_events    LevelEvent, LevelSoundEvent, PlayerFog, SetTime, TickSync, NetworkStackLatency
login           Login, settings and keys of the connection, PlayStatus, Disconnect, Transfer (wire.md 2.9, 5.4)
movement        MovePlayer, PlayerAuthInput: a player's position, in either direction (wire.md 2.6)
packet          The base class of packets; the list of all defined packets
player_list     PlayerList, PlayerSkin: the players on the server and their skins
registries      The entities, items, biomes and dimensions that exist
resource_packs  ResourcePacksInfo, ResourcePackStack and the client's response (wire.md 2.9)
start_game      StartGame: the world, the player's start, and tables of the server's own (wire.md 2.8)
subchunks       SubChunkRequest; SubChunk: its answers, in any order, unrequested or missing (wire.md 2.3, seed 000)
"""
