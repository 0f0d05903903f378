"""Packets of the Bedrock protocol, one module a topic.

blob_cache      ClientCacheStatus: whether the client keeps blobs (wire.md 2.7)
blocks          UpdateBlock: one block changes (wire.md 2.4)
chat            Text: what stands in the players' chat, or over their hot bar
chunks          LevelChunk: a column, whole or as a skeleton (wire.md 2.1)
level_events    LevelEvent: something happened at a place: particles, a sound, cracks in a block, weather; time
login           Login: the client's first packet, never encrypted (wire.md 2.9, 5.4)
movement        MovePlayer: where a player is, in either direction (wire.md 2.6)
packet          What every packet is; the list of all that are defined
registries      AvailableEntityIdentifiers: what entities exist
resource_packs  ResourcePacksInfo: the packs a server has (wire.md 2.9)
start_game      StartGame: the world, the player's place in it, and tables of the server's own (wire.md 2.8)
subchunks       SubChunk: answers to a request, in any order, unasked or never (wire.md 2.3, seed 000)
"""
