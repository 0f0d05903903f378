// A whole Bedrock server of protocol 2168 that chunkscope did not write: dragonfly v0.11.2, with sub-chunk requests.
//
//	dragonfly2168 SETTINGS.json
//	dragonfly2168 --states > blockStates.json
//	dragonfly2168 --upgrade < states of 1.18.10 > what they are today
//
// It serves a world folder as the game saved it, or generates the given world, whose ids are indices into the given
// states; dragonfly looks each state up in its own list. Prints one JSON line {"port": N} when it listens, {"event":
// "unknown", ...} for a state it does not have, and {"event": "sample", ...} for what its own reader finds in the folder
// at each sampled block (names brought up to its version); ends with its stdin. Players are kept where the settings name
// a folder for them, {"event": "kept", "id": ...} each time. Entities are spawned where the settings ask for them. With --states it only writes its own list of block states,
// by runtime id, in the form of minecraft-data; with --upgrade it brings such states up to date by worldupgrader.
package main

import (
	"log"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"chunkscope.example/interop/given"
	"github.com/df-mc/dragonfly/server"
	"github.com/df-mc/dragonfly/server/block"
	"github.com/df-mc/dragonfly/server/block/cube"
	"github.com/df-mc/dragonfly/server/entity"
	"github.com/df-mc/dragonfly/server/item"
	"github.com/df-mc/dragonfly/server/player"
	"github.com/df-mc/dragonfly/server/player/playerdb"
	"github.com/df-mc/dragonfly/server/player/skin"
	"github.com/df-mc/dragonfly/server/session"
	"github.com/df-mc/dragonfly/server/world"
	"github.com/df-mc/dragonfly/server/world/mcdb"
	"github.com/df-mc/go-nethernet"
	"github.com/df-mc/go-nethernet/discovery"
	"github.com/df-mc/go-nethernet/endpoint"
	"github.com/go-gl/mathgl/mgl64"
	"github.com/google/uuid"
	"github.com/pion/webrtc/v4"
	"github.com/sandertv/gophertunnel/minecraft"
)

// listener is dragonfly's own kind, which it does not export.
type listener struct{ *minecraft.Listener }

func (l listener) Accept() (session.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return conn.(session.Conn), nil
}

func (l listener) Disconnect(conn session.Conn, reason string) error {
	return l.Listener.Disconnect(conn.(*minecraft.Conn), reason)
}

// acceptBy takes sessions that are signalled in some way; pion leaves 127.0.0.1 out unless it is told to.
func acceptBy(signaling nethernet.Signaling, anonymous bool, conf server.Config) (server.Listener, error) {
	var engine webrtc.SettingEngine
	engine.SetIncludeLoopbackCandidate(true)
	network := minecraft.NetherNet{Signaling: signaling, Log: conf.Log}
	network.ListenConfig.API = webrtc.NewAPI(webrtc.WithSettingEngine(engine))
	network.ListenConfig.AllowAnonymous = anonymous
	l, err := minecraft.ListenConfig{
		StatusProvider: conf.StatusProvider, AuthenticationDisabled: true, ErrorLog: conf.Log,
	}.ListenNetwork(network, "")
	if err != nil {
		return nil, err
	}
	return listener{l}, nil
}

// listenNetherNet answers offers by HTTP.
func listenNetherNet(wanted given.Settings, conf server.Config) (server.Listener, error) {
	handler := endpoint.HandlerConfig{Logger: conf.Log}.New()
	l, err := acceptBy(handler, false, conf)
	if err != nil {
		return nil, err
	}
	offers, err := net.Listen("tcp", wanted.FreePort())
	if err != nil {
		return nil, err
	}
	go func() { log.Fatal(http.Serve(offers, handler)) }()
	given.Say(map[string]any{"port": offers.Addr().(*net.TCPAddr).Port})
	return l, nil
}

// listenLan answers LAN discovery, whose listener does not tell its port: a free one is looked for before. "lan" says that
// offers that nobody has signed are taken, too.
func listenLan(wanted given.Settings, conf server.Config) (server.Listener, error) {
	free, err := net.ListenPacket("udp", wanted.FreePort())
	if err != nil {
		return nil, err
	}
	at := free.LocalAddr().(*net.UDPAddr)
	_ = free.Close()
	games, err := discovery.ListenConfig{Log: conf.Log, BroadcastAddress: at}.Listen(at.String())
	if err != nil {
		return nil, err
	}
	l, err := acceptBy(games, wanted.Transport == "lan", conf)
	if err != nil {
		return nil, err
	}
	given.Say(map[string]any{"port": at.Port})
	return l, nil
}

func listen(wanted given.Settings, conf server.Config) (server.Listener, error) {
	l, err := minecraft.ListenConfig{
		StatusProvider: conf.StatusProvider, AuthenticationDisabled: true,
	}.Listen("raknet", wanted.FreePort())
	if err != nil {
		return nil, err
	}
	given.Say(map[string]any{"port": l.Addr().(*net.UDPAddr).Port})
	return listener{l}, nil
}

// keeper tells when a player is kept, which is some time after it has left.
type keeper struct{ *playerdb.Provider }

func (k keeper) Save(id uuid.UUID, data player.Config, w *world.World) error {
	err := k.Provider.Save(id, data, w)
	given.Say(map[string]any{"event": "kept", "id": id.String()})
	return err
}

// open opens the folder and tells what its sampled blocks are.
func open(wanted given.Settings) (*mcdb.DB, error) {
	if _, err := os.Stat(filepath.Join(wanted.Folder, "level.dat")); err != nil {
		return nil, err
	}
	db, err := mcdb.Open(wanted.Folder)
	if err != nil {
		return nil, err
	}
	for _, at := range wanted.Samples {
		column, err := db.LoadColumn(world.ChunkPos{int32(at[0] >> 4), int32(at[2] >> 4)}, world.Overworld)
		if err != nil {
			return nil, err
		}
		id := column.Chunk.Block(uint8(at[0]&15), int16(at[1]), uint8(at[2]&15), 0)
		name, properties, _ := world.DefaultBlockRegistry.RuntimeIDToState(id)
		given.Say(map[string]any{"event": "sample", "at": at, "name": name, "states": properties})
	}
	return db, nil
}

func main() {
	if os.Args[1] == "--states" {
		writeStates()
		return
	}
	if os.Args[1] == "--upgrade" {
		upgradeStates()
		return
	}
	wanted, err := given.Read()
	if err != nil {
		log.Fatal(err)
	}
	given.EndWithStdin()
	void := newGenerator(given.Settings{})
	overworld := newGenerator(wanted)
	listening := listen
	switch wanted.Transport {
	case "nethernet":
		listening = listenNetherNet
	case "lan", "signed lan":
		listening = listenLan
	}
	conf := server.Config{
		Log: slog.New(slog.NewTextHandler(os.Stderr, nil)),
		Listeners: []func(server.Config) (server.Listener, error){
			func(conf server.Config) (server.Listener, error) { return listening(wanted, conf) },
		},
		AuthDisabled:            true,
		DisableResourceBuilding: true,
		ReadOnlyWorld:           true,
		RandomTickSpeed:         -1,
		MaxChunkRadius:          16,
		Generator: func(dimension world.Dimension) world.Generator {
			if dimension == world.Overworld {
				return overworld
			}
			return void
		},
	}
	if wanted.Folder != "" {
		if conf.WorldProvider, err = open(wanted); err != nil {
			log.Fatal(err)
		}
	}
	if wanted.Players != "" {
		players, err := playerdb.NewProvider(wanted.Players)
		if err != nil {
			log.Fatal(err)
		}
		conf.PlayerProvider = keeper{players}
	}
	srv := conf.New()
	spawn := wanted.World.Spawn
	srv.World().SetSpawn(cube.Pos{int(spawn[0]), int(spawn[1]), int(spawn[2])})
	srv.World().SetDefaultGameMode(world.GameModeSpectator)
	srv.Listen()
	for p := range srv.Accept() {
		if wanted.Entities {
			populate(p.Tx(), p.Position())
		}
	}
}

// populate spawns one entity of each kind that differs on the wire, beside a place: of them fall a block, which lands,
// an item and a TNT; a text, a crystal and a player stand where they are.
func populate(tx *world.Tx, at mgl64.Vec3) {
	beside := func(x, z float64) world.EntitySpawnOpts {
		return world.EntitySpawnOpts{Position: at.Add(mgl64.Vec3{x, 0, z})}
	}
	named := beside(-3, -3)
	named.NameTag = "A crystal"
	npc := player.Config{Name: "npc", UUID: uuid.New(), Position: at.Add(mgl64.Vec3{3, 0, 3}), Skin: skin.New(64, 32)}
	for _, each := range []*world.EntityHandle{
		entity.NewText("A text", at.Add(mgl64.Vec3{0, 0, 4})),
		entity.NewItem(beside(3, 0), item.NewStack(block.Stone{}, 5)),
		entity.NewItem(beside(-3, 0), item.NewStack(item.Apple{}, 1)),
		entity.NewFallingBlock(beside(3, -3), block.Sand{}),
		entity.NewTNT(beside(0, -3), time.Minute),
		entity.NewEndCrystal(named),
		world.EntitySpawnOpts{Position: npc.Position, ID: npc.UUID}.New(player.Type, npc),
	} {
		tx.AddEntity(each)
	}
}
