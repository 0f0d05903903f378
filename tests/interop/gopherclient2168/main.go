// A Bedrock client of protocol 2168 that chunkscope did not write: gophertunnel's dialer joins over NetherNet, on pion.
//
//	gopherclient2168 {"port": N, "lan": false, "columns": how many, "out": FILE}
//
// The port is the server's, or of its LAN discovery. With "block": ID it places that block at (2, -60, 1) when the columns
// are there, and ends when it has seen a player, an animal, the move of each, and its block; it says of each once.
// It asks for the sub-chunks of every skeleton, and ends when it has that many columns whole. The file gets one checksum
// a sub-chunk with blocks: CRC-32 of its bytes as they came.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"log"
	"log/slog"
	"net"
	"os"
	"time"

	"chunkscope.example/interop/given"
	"github.com/df-mc/go-nethernet"
	"github.com/df-mc/go-nethernet/discovery"
	"github.com/df-mc/go-nethernet/endpoint"
	"github.com/pion/webrtc/v4"
	"github.com/sandertv/gophertunnel/minecraft"
	"github.com/sandertv/gophertunnel/minecraft/protocol"
	"github.com/sandertv/gophertunnel/minecraft/protocol/login"
	"github.com/sandertv/gophertunnel/minecraft/protocol/packet"
)

const (
	lowest  = -4
	longest = 30 * time.Second
)

type settings struct {
	Port    int
	Lan     bool
	Columns int
	Out     string
	Block   uint32
}

// seen is what was said of entities and blocks.
type seen map[string]bool

// all is what it sees of others, and of what it builds.
var all = []string{"player", "moved", "animal", "wandered", "block"}

func (s seen) saw(event string, about any) {
	if !s[event] {
		s[event] = true
		given.Say(map[string]any{"event": event, "about": about})
	}
}

func (s seen) all() bool {
	for _, event := range all {
		if !s[event] {
			return false
		}
	}
	return true
}

func (s seen) hear(pk packet.Packet) {
	switch pk := pk.(type) {
	case *packet.AddPlayer:
		s.saw("player", pk.Username)
	case *packet.MovePlayer:
		s.saw("moved", pk.EntityRuntimeID)
	case *packet.AddActor:
		s.saw("animal", pk.EntityType)
	case *packet.MoveActorAbsolute:
		s.saw("wandered", pk.EntityRuntimeID)
	case *packet.UpdateBlockSynced:
		if pk.Position == (protocol.BlockPos{2, -60, 1}) {
			s.saw("block", map[string]any{"id": pk.NewBlockRuntimeID, "builder": pk.EntityUniqueID})
		}
	}
}

func build(conn *minecraft.Conn, block uint32) error {
	item := protocol.ItemInstance{Stack: protocol.ItemStack{
		ItemType: protocol.ItemType{NetworkID: 20}, Count: 1, BlockRuntimeID: int32(block),
	}}
	return conn.WritePacket(&packet.InventoryTransaction{TransactionData: &protocol.UseItemTransactionData{
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
		given.Say(map[string]any{"event": "error", "reason": fmt.Sprintf("%v", err)})
		os.Exit(1)
	}
	given.Say(map[string]any{"event": "done"})
}

// find gives the network id of the LAN game that answers.
func find(port int, logger *slog.Logger) (nethernet.Signaling, string, error) {
	at := &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: port}
	games, err := discovery.ListenConfig{Log: logger, BroadcastAddress: at}.Listen("127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	for end := time.Now().Add(longest); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		for id, world := range games.Responses() {
			given.Say(map[string]any{"event": "found", "form": world[0]})
			return games, fmt.Sprint(id), nil
		}
	}
	return nil, "", fmt.Errorf("nobody answers on port %d", port)
}

func dial(port int, lan bool) (*minecraft.Conn, error) {
	var engine webrtc.SettingEngine
	engine.SetIncludeLoopbackCandidate(true)
	logger := slog.New(slog.NewTextHandler(os.Stderr, nil))
	network := minecraft.NetherNet{Signaling: endpoint.NewClient(), Log: logger}
	address := fmt.Sprintf("http://127.0.0.1:%d", port)
	if lan {
		network.Dialer.AllowIdentitylessServer = true // a signed answer does not fit a datagram of the game
		var err error
		if network.Signaling, address, err = find(port, logger); err != nil {
			return nil, err
		}
	}
	network.Dialer.API = webrtc.NewAPI(webrtc.WithSettingEngine(engine))
	dialer := minecraft.Dialer{IdentityData: login.IdentityData{DisplayName: "gopher"}, ErrorLog: logger}
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	return dialer.DialContextNetwork(ctx, network, address)
}

func run(wanted settings) error {
	conn, err := dial(wanted.Port, wanted.Lan)
	if err != nil {
		return fmt.Errorf("dial: %w", err)
	}
	defer conn.Close()
	if err := conn.DoSpawnTimeout(longest); err != nil {
		return fmt.Errorf("spawn: %w", err)
	}
	_ = conn.SetReadDeadline(time.Now().Add(longest))
	waiting, checksums, whole := map[protocol.ChunkPos]int{}, map[string]uint32{}, 0
	others, built := seen{}, false
	for whole < wanted.Columns || (wanted.Block != 0 && !others.all()) {
		if whole >= wanted.Columns && !built {
			built = true
			if err := build(conn, wanted.Block); err != nil {
				return err
			}
		}
		pk, err := conn.ReadPacket()
		if err != nil {
			return fmt.Errorf("after %d whole columns: %w", whole, err)
		}
		others.hear(pk)
		switch pk := pk.(type) {
		case *packet.LevelChunk:
			limit, _ := pk.SubChunkLimit.Value()
			asked := int(limit) + 1
			waiting[pk.Position] = asked
			offsets := make([]protocol.SubChunkOffset, asked)
			for i := range offsets {
				offsets[i] = protocol.SubChunkOffset{0, int8(i), 0}
			}
			at := protocol.SubChunkPos{pk.Position[0], lowest, pk.Position[1]}
			if err := conn.WritePacket(&packet.SubChunkRequest{Position: at, Offsets: offsets}); err != nil {
				return err
			}
		case *packet.SubChunk:
			for _, entry := range pk.SubChunkEntries {
				x, y := pk.Position[0]+int32(entry.Offset[0]), pk.Position[1]+int32(entry.Offset[1])
				z := pk.Position[2] + int32(entry.Offset[2])
				switch entry.Result {
				case protocol.SubChunkResultSuccess:
					payload, _ := entry.RawPayload.Value()
					checksums[fmt.Sprintf("%d %d %d", x, y, z)] = crc32.ChecksumIEEE(payload)
				case protocol.SubChunkResultSuccessAllAir:
				default:
					return fmt.Errorf("%v of %v was answered by %d", entry.Offset, pk.Position, entry.Result)
				}
				at := protocol.ChunkPos{x, z}
				if waiting[at]--; waiting[at] == 0 {
					whole++
				}
			}
		}
	}
	out, err := json.Marshal(checksums)
	if err != nil {
		return err
	}
	return os.WriteFile(wanted.Out, out, 0o600)
}
