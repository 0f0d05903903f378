// A Bedrock client of protocol 486 that chunkscope did not write: gophertunnel's dialer on go-raknet joins, dragonfly's
// chunk decoder reads the terrain.
//
//	gopherclient486 {"port": N, "columns": how many, "out": FILE}
//
// With "block": ID it places that block at (2, -60, 1) when the columns are there, and ends when it has seen a player, an
// animal, the move of each, and its block; it says of each once.
//
// It asks for the sub-chunks of every skeleton, and ends when it has that many columns whole. The file gets one checksum
// a sub-chunk with blocks: CRC-32 of its 4096 runtime ids, little endian, y fastest, then z, then x.
package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"log"
	"os"
	"time"

	"chunkscope.example/interop/given"
	"github.com/df-mc/dragonfly/server/block/cube"
	"github.com/df-mc/dragonfly/server/world/chunk"
	"github.com/sandertv/gophertunnel/minecraft"
	"github.com/sandertv/gophertunnel/minecraft/protocol"
	"github.com/sandertv/gophertunnel/minecraft/protocol/login"
	"github.com/sandertv/gophertunnel/minecraft/protocol/packet"
)

const (
	airID    = 134 // runtime id of air at 486
	lowest   = -4
	sections = 24
	longest  = 30 * time.Second
)

type settings struct {
	Port    int
	Columns int
	Out     string
	Block   uint32
}

// heard is what came so far.
type heard struct {
	conn      *minecraft.Conn
	biomes    map[protocol.ChunkPos][]byte // the payloads of skeletons
	waiting   map[protocol.ChunkPos]int    // their sub-chunks that were asked for
	checksums map[string]uint32
	whole     int
	seen      map[string]bool // what was said of entities and blocks
}

// all is what it sees of others, and of what it builds.
var all = []string{"player", "moved", "animal", "wandered", "block"}

func (h *heard) saw(event string, about any) {
	if !h.seen[event] {
		h.seen[event] = true
		given.Say(map[string]any{"event": event, "about": about})
	}
}

func (h *heard) sawAll() bool {
	for _, event := range all {
		if !h.seen[event] {
			return false
		}
	}
	return true
}

func (h *heard) build(block uint32) error {
	item := protocol.ItemInstance{Stack: protocol.ItemStack{
		ItemType: protocol.ItemType{NetworkID: 20}, Count: 1, BlockRuntimeID: int32(block), HasNetworkID: false,
	}}
	return h.conn.WritePacket(&packet.InventoryTransaction{TransactionData: &protocol.UseItemTransactionData{
		ActionType: protocol.UseItemActionClickBlock, BlockPosition: protocol.BlockPos{2, -61, 1}, BlockFace: 1, HeldItem: item,
	}})
}

func main() {
	var wanted settings
	if err := json.Unmarshal([]byte(os.Args[1]), &wanted); err != nil {
		log.Fatal(err)
	}
	given.EndWithStdin()
	given.Say(map[string]any{"port": wanted.Port})
	if err := run(wanted); err != nil {
		given.Say(map[string]any{"event": "error", "reason": fmt.Sprintf("%#v", err)})
		os.Exit(1)
	}
	given.Say(map[string]any{"event": "done"})
}

func run(wanted settings) error {
	dialer := minecraft.Dialer{IdentityData: login.IdentityData{DisplayName: "gopher"}}
	conn, err := dialer.DialTimeout("raknet", fmt.Sprintf("127.0.0.1:%d", wanted.Port), longest)
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.DoSpawnTimeout(longest); err != nil {
		return err
	}
	_ = conn.SetReadDeadline(time.Now().Add(longest))
	h := &heard{conn, map[protocol.ChunkPos][]byte{}, map[protocol.ChunkPos]int{}, map[string]uint32{}, 0, map[string]bool{}}
	built := false
	for h.whole < wanted.Columns || (wanted.Block != 0 && !h.sawAll()) {
		if h.whole >= wanted.Columns && !built {
			built = true
			if err := h.build(wanted.Block); err != nil {
				return err
			}
		}
		pk, err := conn.ReadPacket()
		if err != nil {
			return fmt.Errorf("after %d whole columns: %w", h.whole, err)
		}
		if err := h.hear(pk); err != nil {
			return err
		}
	}
	out, err := json.Marshal(h.checksums)
	if err != nil {
		return err
	}
	return os.WriteFile(wanted.Out, out, 0o600)
}

func (h *heard) hear(pk packet.Packet) error {
	switch pk := pk.(type) {
	case *packet.AddPlayer:
		h.saw("player", pk.Username)
	case *packet.MovePlayer:
		h.saw("moved", pk.EntityRuntimeID)
	case *packet.AddActor:
		h.saw("animal", pk.EntityType)
	case *packet.MoveActorAbsolute:
		h.saw("wandered", pk.EntityRuntimeID)
	case *packet.UpdateBlock:
		h.block(pk.Position, pk.NewBlockRuntimeID, 0)
	case *packet.UpdateBlockSynced:
		h.block(pk.Position, pk.NewBlockRuntimeID, pk.EntityUniqueID)
	case *packet.LevelChunk:
		return h.column(pk)
	case *packet.SubChunk:
		for _, entry := range pk.SubChunkEntries {
			if err := h.entry(pk.Position, entry); err != nil {
				return err
			}
		}
	}
	return nil
}

func (h *heard) block(at protocol.BlockPos, id uint32, builder int64) {
	if at == (protocol.BlockPos{2, -60, 1}) {
		h.saw("block", map[string]any{"id": id, "builder": builder})
	}
}

func (h *heard) column(pk *packet.LevelChunk) error {
	if pk.SubChunkRequestMode == protocol.SubChunkRequestModeLegacy {
		h.whole++
		return h.note(pk.Position, pk.RawPayload, int(pk.SubChunkCount))
	}
	asked := sections
	if pk.SubChunkRequestMode == protocol.SubChunkRequestModeLimited {
		asked = int(pk.HighestSubChunk) + 1
	}
	h.biomes[pk.Position], h.waiting[pk.Position] = pk.RawPayload, asked
	offsets := make([][3]int8, asked)
	for i := range offsets {
		offsets[i] = [3]int8{0, int8(i), 0}
	}
	at := protocol.SubChunkPos{pk.Position[0], lowest, pk.Position[1]}
	return h.conn.WritePacket(&packet.SubChunkRequest{Position: at, Offsets: offsets})
}

func (h *heard) entry(centre protocol.SubChunkPos, entry protocol.SubChunkEntry) error {
	at := protocol.ChunkPos{centre[0] + int32(entry.Offset[0]), centre[2] + int32(entry.Offset[2])}
	if h.waiting[at]--; h.waiting[at] == 0 {
		h.whole++
	}
	switch entry.Result {
	case protocol.SubChunkResultSuccess:
		return h.note(at, append(append([]byte{}, entry.RawPayload...), h.biomes[at]...), 1)
	case protocol.SubChunkResultSuccessAllAir:
		return nil
	}
	return fmt.Errorf("%v of %v was answered by %d", entry.Offset, centre, entry.Result)
}

// note decodes sub-chunks with a column's biomes behind them.
func (h *heard) note(at protocol.ChunkPos, payload []byte, count int) error {
	decoded, err := chunk.NetworkDecode(airID, payload, count, cube.Range{lowest * 16, (lowest+sections)*16 - 1})
	if err != nil {
		return err
	}
	for i, sub := range decoded.Sub() {
		if sub.Empty() {
			continue
		}
		var ids []byte
		for x := byte(0); x < 16; x++ {
			for z := byte(0); z < 16; z++ {
				for y := byte(0); y < 16; y++ {
					ids = binary.LittleEndian.AppendUint32(ids, sub.Block(x, y, z, 0))
				}
			}
		}
		h.checksums[fmt.Sprintf("%d %d %d", at[0], lowest+i, at[1])] = crc32.ChecksumIEEE(ids)
	}
	return nil
}
