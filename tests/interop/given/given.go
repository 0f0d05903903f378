// Package given holds what the servers here share and nobody's protocol library has: the settings file that a test
// writes (tests/support/servers/foreign.py), and lines of JSON to the test.
package given

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
)

// Sections and FloorSection are those of the overworld.
const (
	FloorSection = -4
	Sections     = 24
	Floor        = FloorSection * 16
	Ceiling      = (FloorSection + Sections) * 16
)

// Settings is what the test wants.
type Settings struct {
	// Mode is "limited" or "limitless"; LimitForm is "index" or "count". Servers with their own way ignore them.
	Mode      string `json:"mode"`
	LimitForm string `json:"limitForm"`
	// States lists block states; where it is given, ids of the world are indices into it, else runtime ids.
	States []State `json:"states"`
	// Folder holds a world on disk, served in place of World's sections. What it has at Samples is told to the test.
	Folder  string   `json:"worldFolder"`
	Samples [][3]int `json:"samples"`
	World   World    `json:"world"`
	// Players is a folder where a server keeps where players were; empty: it keeps them nowhere.
	Players string `json:"players"`
	// Transport is "nethernet" (by HTTP), "lan" or "signed lan" (NetherNet by discovery), or empty for RakNet, where a
	// server has them.
	Transport string `json:"transport"`
	// Host is the address to listen on, an IP literal; empty: 127.0.0.1. Servers with their own way ignore it.
	Host string `json:"host"`
	// Entities says whether a server that has some spawns them around the first player.
	Entities bool `json:"entities"`
}

// World is a world in sub-chunks that are not all air.
type World struct {
	Spawn    [3]float32 `json:"spawn"`
	Sections []Section  `json:"sections"`
}

// Section is one sub-chunk: base64 of 4096 little-endian ids each, in the order x << 8 | z << 4 | y.
type Section struct {
	X      int32    `json:"x"`
	Y      int32    `json:"y"`
	Z      int32    `json:"z"`
	Layers []string `json:"layers"`
	Biomes string   `json:"biomes"`
}

// State is a block state. A JSON boolean is an NBT byte, a number an int, text a string.
type State struct {
	Name   string         `json:"name"`
	States map[string]any `json:"states"`
}

// Read reads the settings file named on the command line.
func Read() (Settings, error) {
	var wanted Settings
	text, err := os.ReadFile(os.Args[1])
	if err == nil {
		err = json.Unmarshal(text, &wanted)
	}
	if wanted.Host == "" {
		wanted.Host = "127.0.0.1"
	}
	return wanted, err
}

// FreePort is the address of a free port of Host, as Go's listeners want it.
func (s Settings) FreePort() string { return net.JoinHostPort(s.Host, "0") }

// Properties has the state's values in Go's NBT types.
func (s State) Properties() map[string]any {
	typed := make(map[string]any, len(s.States))
	for key, value := range s.States {
		switch value := value.(type) {
		case bool:
			typed[key] = uint8(0)
			if value {
				typed[key] = uint8(1)
			}
		case float64:
			typed[key] = int32(value)
		default:
			typed[key] = value
		}
	}
	return typed
}

// EachBlock visits the blocks of all layers.
func (s Section) EachBlock(set func(x uint8, y int16, z uint8, layer uint8, id uint32)) error {
	for layer, text := range s.Layers {
		if err := s.each(text, func(x uint8, y int16, z uint8, id uint32) {
			set(x, y, z, uint8(layer), id)
		}); err != nil {
			return err
		}
	}
	return nil
}

// EachBiome visits the biomes.
func (s Section) EachBiome(set func(x uint8, y int16, z uint8, biome uint32)) error {
	return s.each(s.Biomes, set)
}

func (s Section) each(text string, set func(x uint8, y int16, z uint8, id uint32)) error {
	data, err := base64.StdEncoding.DecodeString(text)
	for i := 0; i+4 <= len(data); i += 4 {
		at := i / 4
		set(uint8(at>>8), int16(int(s.Y)*16+at&15), uint8(at>>4&15), binary.LittleEndian.Uint32(data[i:]))
	}
	return err
}

// Say prints one line for the test.
func Say(line map[string]any) {
	text, _ := json.Marshal(line)
	fmt.Println(string(text))
}

// EndWithStdin ends the process when the test closes its standard input.
func EndWithStdin() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
}
