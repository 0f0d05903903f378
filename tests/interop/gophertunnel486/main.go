// A Bedrock server of protocol 486 that chunkscope did not write: gophertunnel's listener on go-raknet speaks,
// dragonfly's chunk encoder writes the terrain.
//
//	gophertunnel486 SETTINGS.json
//
// It announces every given column as a skeleton, limited or limitless, and answers sub-chunk requests. Prints one JSON
// line {"port": N} when it listens, one {"event": ...} line per request; ends with its stdin.
package main

import (
	"log"
	"net"

	"chunkscope.example/interop/given"
	"github.com/sandertv/gophertunnel/minecraft"
	"github.com/sandertv/gophertunnel/minecraft/protocol"
	"github.com/sandertv/gophertunnel/minecraft/protocol/packet"
)

func main() {
	wanted, err := given.Read()
	if err != nil {
		log.Fatal(err)
	}
	columns, err := load(wanted.World.Sections)
	if err != nil {
		log.Fatal(err)
	}
	listener, err := minecraft.ListenConfig{AuthenticationDisabled: true}.Listen("raknet", wanted.FreePort())
	if err != nil {
		log.Fatal(err)
	}
	given.EndWithStdin()
	given.Say(map[string]any{"port": listener.Addr().(*net.UDPAddr).Port})
	for {
		conn, err := listener.Accept()
		if err != nil {
			log.Fatal(err)
		}
		go serve(conn.(*minecraft.Conn), wanted, columns)
	}
}

func serve(conn *minecraft.Conn, wanted given.Settings, columns map[protocol.ChunkPos]*column) {
	defer conn.Close()
	spawn := wanted.World.Spawn
	block := protocol.BlockPos{int32(spawn[0]), int32(spawn[1]), int32(spawn[2])}
	// Radius and player_spawn are answered in here, so that a client is spawned before its first column.
	if err := conn.StartGame(minecraft.GameData{
		WorldName: "interop", EntityUniqueID: 1, EntityRuntimeID: 1, PlayerGameMode: 1, WorldGameMode: 1,
		BaseGameVersion: "1.18.10", PlayerPosition: spawn, WorldSpawn: block, Time: 6000,
		PlayerMovementSettings: protocol.PlayerMovementSettings{
			MovementType: protocol.PlayerMovementModeServerWithRewind, RewindHistorySize: 40,
		},
	}); err != nil {
		given.Say(map[string]any{"event": "error", "reason": err.Error()})
		return
	}
	_ = conn.WritePacket(&packet.NetworkChunkPublisherUpdate{Position: block, Radius: uint32(conn.ChunkRadius()) * 16})
	for at, c := range columns {
		_ = conn.WritePacket(announcement(at, c, wanted))
	}
	for {
		received, err := conn.ReadPacket()
		if err != nil {
			return
		}
		if request, ok := received.(*packet.SubChunkRequest); ok {
			_ = conn.WritePacket(answer(request, columns))
		}
	}
}

func announcement(at protocol.ChunkPos, c *column, wanted given.Settings) *packet.LevelChunk {
	skeleton := &packet.LevelChunk{
		Position: at, SubChunkRequestMode: protocol.SubChunkRequestModeLimitless, RawPayload: c.biomes,
	}
	if wanted.Mode == "limited" {
		skeleton.SubChunkRequestMode = protocol.SubChunkRequestModeLimited
		skeleton.HighestSubChunk = uint16(c.highest())
		if wanted.LimitForm == "count" {
			skeleton.HighestSubChunk++
		}
	}
	return skeleton
}

func answer(request *packet.SubChunkRequest, columns map[protocol.ChunkPos]*column) *packet.SubChunk {
	entries := make([]protocol.SubChunkEntry, len(request.Offsets))
	missing := 0
	for i, offset := range request.Offsets {
		entries[i] = entry(request.Position, offset, columns)
		if entries[i].Result == protocol.SubChunkResultChunkNotFound {
			missing++
		}
	}
	given.Say(map[string]any{"event": "request", "entries": len(entries), "missing": missing})
	return &packet.SubChunk{Dimension: request.Dimension, Position: request.Position, SubChunkEntries: entries}
}

func entry(
	centre protocol.SubChunkPos, offset [3]int8, columns map[protocol.ChunkPos]*column,
) protocol.SubChunkEntry {
	x, y, z := centre[0]+int32(offset[0]), centre[1]+int32(offset[1]), centre[2]+int32(offset[2])
	reply := protocol.SubChunkEntry{Offset: offset}
	c, known := columns[protocol.ChunkPos{x, z}]
	switch {
	case !known:
		reply.Result = protocol.SubChunkResultChunkNotFound
		return reply
	case y < given.FloorSection || y >= given.FloorSection+given.Sections:
		reply.Result = protocol.SubChunkResultIndexOutOfBounds
		return reply
	}
	reply.HeightMapType, reply.HeightMapData = c.heights(y)
	reply.RawPayload = c.terrain[y-given.FloorSection]
	reply.Result = protocol.SubChunkResultSuccess
	if reply.RawPayload == nil {
		reply.Result = protocol.SubChunkResultSuccessAllAir
	}
	return reply
}
