// A whole Bedrock server of protocol 527 that chunkscope did not write: dragonfly v0.7.0, with sub-chunk requests (the
// releases after it send whole columns until v0.8).
//
//	dragonfly527 SETTINGS.json
//
// It generates the given world, whose ids are indices into the given states; dragonfly looks each state up in its own
// list. Prints one JSON line {"port": N} when it listens, and {"event": "unknown", ...} for a state it does not have;
// ends with its stdin.
package main

import (
	"log"
	"net"
	"strings"

	"chunkscope.example/interop/given"
	"github.com/df-mc/dragonfly/server"
	"github.com/df-mc/dragonfly/server/block/cube"
	"github.com/df-mc/dragonfly/server/world"
	"github.com/df-mc/dragonfly/server/world/chunk"
	"github.com/sirupsen/logrus"
)

const defaultBiome = 1

// generator places the given world.
type generator struct {
	columns map[world.ChunkPos][]given.Section
	ids     []uint32 // dragonfly's runtime id of each given state
}

func newGenerator(wanted given.Settings) generator {
	g := generator{columns: map[world.ChunkPos][]given.Section{}, ids: make([]uint32, len(wanted.States))}
	for i, state := range wanted.States {
		id, found := chunk.StateToRuntimeID(state.Name, state.Properties())
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

// GenerateChunk is called by the server for each column that a player comes near.
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

// logger hears on which port the server listens, which it says nowhere else.
type logger struct{ *logrus.Logger }

func (l logger) Infof(format string, values ...any) {
	if strings.HasPrefix(format, "Server running on") {
		given.Say(map[string]any{"port": values[0].(*net.UDPAddr).Port})
	}
	l.Logger.Infof(format, values...)
}

func main() {
	wanted, err := given.Read()
	if err != nil {
		log.Fatal(err)
	}
	given.EndWithStdin()
	config := server.DefaultConfig()
	config.Network.Address = "127.0.0.1:0"
	config.Server.AuthEnabled = false
	config.Players.SaveData = false
	config.Resources.AutoBuildPack = false
	overworld := newGenerator(wanted)
	config.WorldConfig = func(conf world.Config) world.Config {
		conf.RandomTickSpeed = -1
		conf.ReadOnly = true
		conf.Provider = world.NopProvider{}
		if conf.Dim == world.Overworld {
			conf.Generator = overworld
		}
		return conf
	}
	srv := server.New(&config, logger{logrus.New()})
	spawn := wanted.World.Spawn
	srv.World().SetSpawn(cube.Pos{int(spawn[0]), int(spawn[1]), int(spawn[2])})
	srv.World().SetDefaultGameMode(world.GameModeSpectator)
	if err := srv.Start(); err != nil {
		log.Fatal(err)
	}
	for srv.Accept(nil) {
	}
}
