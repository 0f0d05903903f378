package main

import (
	"log"

	"chunkscope.example/interop/given"
	"github.com/df-mc/dragonfly/server/block/cube"
	"github.com/df-mc/dragonfly/server/world"
	"github.com/df-mc/dragonfly/server/world/chunk"
)

const defaultBiome = 1

// generator places the given world.
type generator struct {
	columns map[world.ChunkPos][]given.Section
	ids     []uint32 // dragonfly's runtime id of each given state
}

func newGenerator(wanted given.Settings) generator {
	world.DefaultBlockRegistry.Finalize()
	g := generator{columns: map[world.ChunkPos][]given.Section{}, ids: make([]uint32, len(wanted.States))}
	for i, state := range wanted.States {
		id, found := world.DefaultBlockRegistry.StateToRuntimeID(state.Name, state.Properties())
		if !found {
			given.Say(map[string]any{"event": "unknown", "name": state.Name, "states": state.States})
		}
		g.ids[i] = id
	}
	for _, part := range wanted.World.Sections {
		at := world.ChunkPos{part.X, part.Z}
		g.columns[at] = append(g.columns[at], part)
	}
	return g
}

// GenerateChunk is called by the server for each column that is not in its world and that a player comes near.
func (g generator) GenerateChunk(at world.ChunkPos, c *chunk.Chunk) {
	for i := 0; i < 256; i++ {
		for y := given.Floor; y < given.Ceiling; y++ {
			c.SetBiome(uint8(i>>4), int16(y), uint8(i&15), defaultBiome)
		}
	}
	for _, part := range g.columns[at] {
		if err := part.EachBlock(func(x uint8, y int16, z uint8, layer uint8, id uint32) {
			c.SetBlock(x, y, z, layer, g.ids[id])
		}); err != nil {
			log.Fatal(err)
		}
		if err := part.EachBiome(c.SetBiome); err != nil {
			log.Fatal(err)
		}
	}
}

// DefaultSpawn is set later, for both kinds of world.
func (g generator) DefaultSpawn(world.Dimension) cube.Pos { return cube.Pos{} }
