// A Bedrock server that chunkscope did not write: bedrock-protocol speaks, prismarine-chunk encodes.
//
//   CHUNKSCOPE_NPM=<folder with node_modules> node server.cjs SETTINGS.json
//
// SETTINGS: {version, mode: "limited"|"limitless", limitForm: "index"|"count", world, maxPlayers, host, hashed,
//            compression: "deflate"|"none", faults: {split, delayMs, reverse, missingShare, seed}}
// world:    {spawn: [x, y, z], air, sections: [{x, y, z, layers: ["<base64 of 4096 x u32le runtime ids>", ...],
//            biomes: "<base64 of 4096 x u32le>"}]}, all in the order x << 8 | z << 4 | y; ids as the wire has them,
//            hashes where `hashed`; air is the id of air.
// Prints one JSON line {"port": N} when it listens, one {"event": ...} line per request; ends with its stdin.
//
// Patches of the peer, each with its reason (all in how this script calls it, none in its files):
// - prismarine-chunk writes a negative section index as an unsigned byte and throws: the index is masked.
// - it picks palette widths 7 and 9..15, which the game refuses: storages are made with the next legal width.
// - its column encoder writes no sections for 1.18: only skeleton columns are served.
// - it writes ids with bit 31 set (half of all hashes) as one byte: its zigzag is given an unsigned number.
// - its registry is asked by the id for nothing but a block's name, so a hash may stand where it expects an index.
// - bedrock-protocol prints to stdout when debugging: only this script's JSON lines go there.
'use strict'
const fs = require('fs')
const dgram = require('dgram')
const { createRequire } = require('module')
const peer = createRequire(process.env.CHUNKSCOPE_NPM + '/package.json')

const settings = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'))
const registry = peer('prismarine-registry')('bedrock_' + settings.version)
const SubChunk = peer('prismarine-chunk/src/bedrock/1.18/SubChunk.js')
const BiomeSection = peer('prismarine-chunk/src/bedrock/1.18/BiomeSection.js')
const PalettedStorage = peer('prismarine-chunk/src/bedrock/common/PalettedStorage.js')
const Stream = peer('prismarine-chunk/src/bedrock/common/Stream.js')
const { StorageType } = peer('prismarine-chunk/src/bedrock/common/constants.js')

Stream.prototype.writeZigZagVarInt = function (value) { this.writeVarInt(((value << 1) ^ (value >> 31)) >>> 0) }

const PROTOCOL = peer('bedrock-protocol/src/options.js').Versions[settings.version]
const FLOOR = -4
const SECTIONS = 24
const AIR = settings.world.air
const NO_ID = '00000000-0000-0000-0000-000000000000'
const LEGAL_WIDTHS = [1, 2, 3, 4, 5, 6, 8, 16]
const faults = { split: 1, delayMs: 0, reverse: false, missingShare: 0, seed: 1, ...settings.faults }
const say = (line) => process.stdout.write(JSON.stringify(line) + '\n')

function idsOf (base64) {
  const bytes = Buffer.from(base64, 'base64')
  return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}

function paletted (ids, minimumWidth) {
  const palette = [...new Set(ids)]
  const at = new Map(palette.map((id, i) => [id, i]))
  const width = LEGAL_WIDTHS.find((w) => w >= minimumWidth && 2 ** w >= palette.length)
  const storage = new PalettedStorage(width)
  for (let i = 0; i < 4096; i++) storage.set(i >> 8, i & 15, (i >> 4) & 15, at.get(ids[i]))
  return { palette, storage }
}

async function encodeTerrain (section) {
  const subchunk = new SubChunk(registry, null, { y: section.y & 0xff, subChunkVersion: 9 })
  section.layers.forEach((base64, layer) => {
    const { palette, storage } = paletted(idsOf(base64), 1)
    subchunk.blocks[layer] = storage
    subchunk.palette[layer] = palette.map((id) => ({ stateId: id | 0, count: 1 }))
  })
  return subchunk.encode(StorageType.Runtime, false, false)
}

function encodeBiomes (column) {
  const stream = new Stream()
  for (let y = FLOOR; y < FLOOR + SECTIONS; y++) {
    const ids = column.has(y) ? idsOf(column.get(y).biomes) : new Uint32Array(4096).fill(1)
    const section = new BiomeSection(registry, y)
    const palette = [...new Set(ids)]
    const { storage } = paletted(ids, 1)
    section.biomes = storage
    section.palette = palette
    section.export(StorageType.Runtime, stream)
  }
  return Buffer.concat([stream.getBuffer(), Buffer.from([0])])
}

// The height map of a column: y of the top block that is not air, plus one (this server's own reading).
function surfaceOf (column) {
  const surface = new Int32Array(256).fill(FLOOR * 16)
  for (const section of column.values()) {
    const ids = idsOf(section.layers[0])
    for (let i = 0; i < 4096; i++) {
      const at = ((i >> 4) & 15) << 4 | (i >> 8)
      if (ids[i] !== AIR) surface[at] = Math.max(surface[at], section.y * 16 + (i & 15) + 1)
    }
  }
  return surface
}

// Two things about height maps changed: a second one from 818 on, rows from 2193 on.
function heightsOf (surface, y) {
  const { heightmap_type: type, heightmap } = heightMapOf(surface, y)
  const heights = { heightmap_type: type, render_heightmap_type: PROTOCOL >= 818 ? 'all_copied' : undefined }
  if (!heightmap) return heights
  if (PROTOCOL < 2193) return { ...heights, heightmap }
  const rows = []
  for (let z = 0; z < 16; z++) rows.push([...heightmap.subarray(16 * z, 16 * z + 16)].map((value) => value << 24 >> 24))
  return { ...heights, heightmap: rows }
}

function heightMapOf (surface, y) {
  const low = Math.min(...surface)
  const high = Math.max(...surface)
  if (low > y * 16 + 16) return { heightmap_type: 'too_high' }
  if (high < y * 16) return { heightmap_type: 'too_low' }
  const heightmap = Buffer.alloc(256)
  surface.forEach((top, i) => heightmap.writeInt8(Math.max(-1, Math.min(16, top - y * 16)), i))
  return { heightmap_type: 'has_data', heightmap }
}

async function load (world) {
  const columns = new Map()
  for (const section of world.sections) {
    const key = section.x + ',' + section.z
    if (!columns.has(key)) columns.set(key, { x: section.x, z: section.z, sections: new Map() })
    columns.get(key).sections.set(section.y, section)
  }
  for (const column of columns.values()) {
    column.biomes = encodeBiomes(column.sections)
    column.surface = surfaceOf(column.sections)
    column.highest = Math.max(...column.sections.keys()) - FLOOR
    column.terrain = new Map()
    for (const [y, section] of column.sections) column.terrain.set(y, await encodeTerrain(section))
  }
  return columns
}

function entry (columns, request, offset, refusedOnce) {
  const at = { x: request.origin.x + offset.dx, y: request.origin.y + offset.dy, z: request.origin.z + offset.dz }
  const nothing = PROTOCOL >= 2168 ? undefined : Buffer.alloc(0) // an optional field from there on
  const reply = { ...offset, payload: nothing, heightmap_type: 'no_data', render_heightmap_type: 'no_data' }
  const column = columns.get(at.x + ',' + at.z)
  if (!column) return { ...reply, result: 'chunk_not_found' }
  if (at.y < FLOOR || at.y >= FLOOR + SECTIONS) return { ...reply, result: 'y_index_out_of_bounds' }
  const key = at.x + ',' + at.y + ',' + at.z
  if (faults.missingShare && !refusedOnce.has(key)) {
    refusedOnce.add(key)
    const dice = Math.abs(Math.sin(at.x * 12.9898 + at.y * 78.233 + at.z * 37.719 + faults.seed) * 43758.5453) % 1
    if (dice < faults.missingShare) return { ...reply, result: 'chunk_not_found' }
  }
  const heights = heightsOf(column.surface, at.y)
  if (!column.terrain.has(at.y)) return { ...reply, ...heights, result: 'success_all_air' }
  return { ...reply, ...heights, result: 'success', payload: column.terrain.get(at.y) }
}

function answer (client, columns, request, refusedOnce) {
  const offsets = request.requests.map(({ dx, dy, dz, x, y, z }) => ({ dx: dx ?? x, dy: dy ?? y, dz: dz ?? z }))
  let entries = offsets.map((offset) => entry(columns, request, offset, refusedOnce))
  say({ event: 'request', entries: entries.length, missing: entries.filter((e) => e.result === 'chunk_not_found').length })
  if (faults.reverse) entries = entries.reverse()
  const size = Math.ceil(entries.length / faults.split)
  const parts = []
  for (let i = 0; i < entries.length; i += size) parts.push(entries.slice(i, i + size))
  if (faults.reverse) parts.reverse()
  parts.forEach((part, i) => {
    const send = () => client.queue('subchunk', {
      cache_enabled: false, dimension: request.dimension, origin: request.origin, entries: part
    })
    if (faults.delayMs) setTimeout(send, faults.delayMs * (i + 1))
    else send()
  })
}

// What StartGame gained after 486; a release's own table takes what it knows.
function laterFields () {
  return {
    editor_world: false, editor_world_type: 'not_editor', created_in_editor: false, exported_from_editor: false,
    hardcore: false, persona_disabled: false, custom_skins_disabled: false, emote_chat_muted: false,
    chat_restriction_level: 'none', disable_player_interactions: false, server_editor_connection_policy: 0,
    allow_anonymous_block_drops_in_editor_worlds: false, server_identifier: 'server', world_identifier: 'world',
    scenario_identifier: '', owner_identifier: 'owner', property_data: { type: 'compound', name: '', value: {} },
    block_pallette_checksum: [0, 0], world_template_id: NO_ID, client_side_generation: false,
    block_network_ids_are_hashes: settings.hashed === true, tick_death_systems: false, server_controlled_sound: false,
    is_chat_logging: false, has_server_join_info: false
  }
}

function startGame (spawn) {
  return {
    entity_id: 1n, runtime_entity_id: 1n, player_gamemode: 'creative',
    player_position: { x: spawn[0], y: spawn[1], z: spawn[2] }, rotation: { x: 0, z: 0 }, seed: PROTOCOL < 503 ? 1 : [0, 1],
    biome_type: 0, biome_name: 'plains', dimension: PROTOCOL < 503 ? 0 : 'overworld', generator: 1, world_gamemode: 'creative', difficulty: 1,
    spawn_position: { x: spawn[0] | 0, y: spawn[1] | 0, z: spawn[2] | 0 }, achievements_disabled: true,
    day_cycle_stop_time: 6000, edu_offer: 0, edu_features_enabled: false, edu_product_uuid: '', rain_level: 0,
    lightning_level: 0, has_confirmed_platform_locked_content: false, is_multiplayer: true, broadcast_to_lan: true,
    xbox_live_broadcast_mode: 4, platform_broadcast_mode: 4, enable_commands: true, is_texturepacks_required: false,
    gamerules: [{ name: 'dodaylightcycle', editable: false, type: 'bool', value: false }], experiments: [],
    experiments_previously_used: false, bonus_chest: false, map_enabled: false, permission_level: PROTOCOL < 534 ? 2 : 'operator',
    server_chunk_tick_range: 4, has_locked_behavior_pack: false, has_locked_resource_pack: false,
    is_from_locked_world_template: false, msa_gamertags_only: false, is_from_world_template: false,
    is_world_template_option_locked: false, only_spawn_v1_villagers: false, game_version: settings.version,
    limited_world_width: 0, limited_world_length: 0, is_new_nether: true,
    edu_resource_uri: { button_name: '', link_uri: '' }, experimental_gameplay_override: false, level_id: 'interop',
    world_name: 'interop', premium_world_template_id: '', is_trial: false, movement_authority: 'server_with_rewind',
    rewind_history_size: 40, server_authoritative_block_breaking: false, current_tick: [0, 6000], enchantment_seed: 1,
    block_properties: [], itemstates: [], multiplayer_correlation_id: '', server_authoritative_inventory: true,
    engine: 'interop', block_pallete_checksum: [0, 0], ...laterFields()
  }
}

function welcome (client, columns, spawn) {
  client.write('resource_packs_info', {
    must_accept: false, has_scripts: false, force_server_packs: false, behaviour_packs: [], texture_packs: [],
    has_addons: false, resource_pack_links: [], disable_vibrant_visuals: false,
    world_template: { uuid: NO_ID, version: '' }
  })
  client.on('resource_pack_client_response', (packet) => {
    if (packet.response_status === 'have_all_packs') {
      client.write('resource_pack_stack', {
        must_accept: false, behavior_packs: [], resource_packs: [], game_version: '', experiments: [],
        experiments_previously_used: false, has_editor_packs: false
      })
    } else if (packet.response_status === 'completed') {
      client.write('start_game', startGame(spawn))
    }
  })
  client.on('request_chunk_radius', (packet) => {
    const radius = Math.min(packet.chunk_radius, 8)
    client.queue('chunk_radius_update', { chunk_radius: radius })
    client.queue('network_chunk_publisher_update', {
      coordinates: { x: spawn[0] | 0, y: spawn[1] | 0, z: spawn[2] | 0 }, radius: radius * 16, saved_chunks: []
    })
    for (const column of columns.values()) {
      const limit = settings.mode === 'limited' ? column.highest + (settings.limitForm === 'count' ? 1 : 0) : undefined
      const told = PROTOCOL < 2168
        ? { sub_chunk_count: limit === undefined ? -1 : -2, highest_subchunk_count: limit }
        : { sub_chunk_count: 0, highest_subchunk_count: limit ?? -1, blobs: [] }
      client.queue('level_chunk', {
        x: column.x, z: column.z, dimension: 0, ...told, cache_enabled: false, payload: column.biomes
      })
    }
    client.queue('play_status', { status: 'player_spawn' })
    for (const said of settings.says ?? []) client.queue('text', said)
  })
  const refusedOnce = new Set()
  client.on('subchunk_request', (packet) => answer(client, columns, packet, refusedOnce))
}

async function freePort () {
  const socket = dgram.createSocket('udp4')
  await new Promise((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const { port } = socket.address()
  await new Promise((resolve) => socket.close(resolve))
  return port
}

async function main () {
  const columns = await load(settings.world)
  const port = await freePort()
  const server = peer('bedrock-protocol').createServer({
    host: settings.host ?? '127.0.0.1', port, version: settings.version, offline: settings.offline !== false,
    compressionAlgorithm: settings.compression ?? 'deflate', maxPlayers: settings.maxPlayers ?? 3, motd: { motd: 'interop', levelName: 'interop' }
  })
  server.on('connect', (client) => {
    client.on('join', () => welcome(client, columns, settings.world.spawn))
    client.on('error', (error) => say({ event: 'error', reason: String(error) }))
  })
  process.stdin.on('end', () => process.exit(0))
  process.stdin.resume()
  say({ port })
}

main()
