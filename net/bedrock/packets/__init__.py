"""Packets of the Bedrock protocol, one module a topic.

blob_cache      ClientCacheStatus, ClientCacheBlobStatus, ClientCacheMissResponse: terrain by its hash (wire.md 2.7)
blocks          UpdateBlock, UpdateSubChunkBlocks, BlockActorData: blocks change (wire.md 2.4)
chat            Text, CommandRequest, CommandOutput
chunks          LevelChunk, the publisher's and the client's radius, ChangeDimension (wire.md 2.1)
entities        AddActor and its like: what comes, moves, changes and goes of players, animals, items
entity_values   What these are made of: metadata, items, links, abilities
inventory       InventoryTransaction: the use of items, with which players build
level_events    LevelEvent, LevelSoundEvent, SetTime, TickSync, NetworkStackLatency
login           Login, settings and keys of the connection, PlayStatus, Disconnect, Transfer (wire.md 2.9, 5.4)
movement        MovePlayer, PlayerAuthInput: where a player is, in either direction (wire.md 2.6)
packet          What every packet is; the list of all that are defined
player_list     PlayerList, PlayerSkin: who is on the server, and how they look
registries      What entities, items, biomes and dimensions there are
resource_packs  ResourcePacksInfo, ResourcePackStack and the client's response (wire.md 2.9)
start_game      StartGame: the world, the player's place in it, and tables of the server's own (wire.md 2.8)
subchunks       SubChunkRequest, and SubChunk: its answers, in any order, unasked or never (wire.md 2.3, seed 000)
"""
