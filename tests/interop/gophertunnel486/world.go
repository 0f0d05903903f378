package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"os"

	"github.com/df-mc/dragonfly/server/block/cube"
	"github.com/df-mc/dragonfly/server/world/chunk"
	"github.com/sandertv/gophertunnel/minecraft/protocol"
)

const (
	airID        = 134 // runtime id of air at 486
	floorSection = -4
	sections     = 24
	defaultBiome = 1
)

// settings is what the test writes: tests/support/foreign_server.py has the form.
type settings struct {
	Mode      string `json:"mode"`
	LimitForm string `json:"limitForm"`
	World     struct {
		Spawn    [3]float32 `json:"spawn"`
		Sections []section  `json:"sections"`
	} `json:"world"`
}

// section is one sub-chunk: base64 of 4096 little-endian ids each, in the order x << 8 | z << 4 | y.
type section struct {
	X      int32    `json:"x"`
	Y      int32    `json:"y"`
	Z      int32    `json:"z"`
	Layers []string `json:"layers"`
	Biomes string   `json:"biomes"`
}

// column is one column as it goes out.
type column struct {
	biomes  []byte
	terrain [sections][]byte // nil where all is air
	tops    [256]int         // of each z << 4 | x: the block above the highest that is not air
}

func readSettings(path string) (settings, error) {
	var wanted settings
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &wanted)
	}
	return wanted, err
}

func ids(text string) ([]uint32, error) {
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	numbers := make([]uint32, len(data)/4)
	for i := range numbers {
		numbers[i] = binary.LittleEndian.Uint32(data[i*4:])
	}
	return numbers, nil
}

// load encodes all columns once, with dragonfly's chunk encoder.
func load(given []section) (map[protocol.ChunkPos]*column, error) {
	chunks := map[protocol.ChunkPos]*chunk.Chunk{}
	for _, part := range given {
		at := protocol.ChunkPos{part.X, part.Z}
		if chunks[at] == nil {
			chunks[at] = emptyChunk()
		}
		if err := fill(chunks[at], part); err != nil {
			return nil, err
		}
	}
	columns := map[protocol.ChunkPos]*column{}
	for at, c := range chunks {
		columns[at] = encode(c)
	}
	return columns, nil
}

func emptyChunk() *chunk.Chunk {
	c := chunk.New(airID, cube.Range{floorSection * 16, (floorSection+sections)*16 - 1})
	for i := 0; i < 256; i++ {
		for y := floorSection * 16; y < (floorSection+sections)*16; y++ {
			c.SetBiome(uint8(i>>4), int16(y), uint8(i&15), defaultBiome)
		}
	}
	return c
}

func fill(c *chunk.Chunk, part section) error {
	each := func(text string, set func(x uint8, y int16, z uint8, id uint32)) error {
		numbers, err := ids(text)
		for i, id := range numbers {
			set(uint8(i>>8), int16(int(part.Y)*16+i&15), uint8(i>>4&15), id)
		}
		return err
	}
	for layer, text := range part.Layers {
		if err := each(text, func(x uint8, y int16, z uint8, id uint32) {
			c.SetBlock(x, y, z, uint8(layer), id)
		}); err != nil {
			return err
		}
	}
	return each(part.Biomes, c.SetBiome)
}

func encode(c *chunk.Chunk) *column {
	c.Compact()
	data := chunk.Encode(c, chunk.NetworkEncoding)
	done := &column{biomes: append(data.Biomes, 0)} // 0 border blocks
	for i, sub := range c.Sub() {
		if !sub.Empty() {
			done.terrain[i] = data.SubChunks[i]
		}
	}
	for i := range done.tops {
		x, z := uint8(i&15), uint8(i>>4)
		done.tops[i] = floorSection * 16
		for y := (floorSection+sections)*16 - 1; y >= floorSection*16; y-- {
			if c.Block(x, int16(y), z, 0) != airID {
				done.tops[i] = y + 1
				break
			}
		}
	}
	return done
}

// highest is the index of the topmost sub-chunk that is not all air, counted from the world's floor.
func (c *column) highest() int {
	for i := sections - 1; i > 0; i-- {
		if c.terrain[i] != nil {
			return i
		}
	}
	return 0
}

// heights is the height map of one sub-chunk: its kind and, where it has data, 256 numbers.
func (c *column) heights(y int32) (byte, []byte) {
	floor := int(y) * 16
	low, high := c.tops[0], c.tops[0]
	numbers := make([]byte, 256)
	for i, top := range c.tops {
		low, high = min(low, top), max(high, top)
		numbers[i] = byte(int8(max(-1, min(16, top-floor))))
	}
	switch {
	case low > floor+16:
		return protocol.HeightMapDataTooHigh, nil
	case high < floor:
		return protocol.HeightMapDataTooLow, nil
	default:
		return protocol.HeightMapDataHasData, numbers
	}
}
