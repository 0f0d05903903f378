package main

import (
	"chunkscope.example/interop/given"
	"github.com/df-mc/dragonfly/server/block/cube"
	"github.com/df-mc/dragonfly/server/world/chunk"
	"github.com/sandertv/gophertunnel/minecraft/protocol"
)

const (
	airID        = 134 // runtime id of air at 486
	defaultBiome = 1
)

// column is one column as it goes out.
type column struct {
	biomes  []byte
	terrain [given.Sections][]byte // nil where all is air
	tops    [256]int               // of each z << 4 | x: the block above the highest that is not air
}

// load encodes all columns once, with dragonfly's chunk encoder.
func load(sections []given.Section) (map[protocol.ChunkPos]*column, error) {
	chunks := map[protocol.ChunkPos]*chunk.Chunk{}
	for _, part := range sections {
		at := protocol.ChunkPos{part.X, part.Z}
		if chunks[at] == nil {
			chunks[at] = emptyChunk()
		}
		if err := part.EachBlock(chunks[at].SetBlock); err != nil {
			return nil, err
		}
		if err := part.EachBiome(chunks[at].SetBiome); err != nil {
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
	c := chunk.New(airID, cube.Range{given.Floor, given.Ceiling - 1})
	for i := 0; i < 256; i++ {
		for y := given.Floor; y < given.Ceiling; y++ {
			c.SetBiome(uint8(i>>4), int16(y), uint8(i&15), defaultBiome)
		}
	}
	return c
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
		done.tops[i] = given.Floor
		for y := given.Ceiling - 1; y >= given.Floor; y-- {
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
	for i := given.Sections - 1; i > 0; i-- {
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
