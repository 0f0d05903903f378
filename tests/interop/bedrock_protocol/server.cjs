// A Bedrock server that chunkscope did not write: bedrock-protocol speaks, prismarine-chunk encodes.
//
//   CHUNKSCOPE_NPM=<folder with node_modules> node server.cjs SETTINGS.json
//
// SETTINGS: {version, mode: "limited"|"limitless", limitForm: "index"|"count", world, maxPlayers,
//            faults: {split, delayMs, reverse, missingShare, seed}}
// world:    {spawn: [x, y, z], sections: [{x, y, z, layers: ["<base64 of 4096 x u32le runtime ids>", ...],
//            biomes: "<base64 of 4096 x u32le>"}]}, all in the order x << 8 | z << 4 | y.
// Prints one JSON line {"port": N} when it listens, one {"event": ...} line per request; ends with its stdin.
//
// Patches of the peer, each with its reason (all in how this script calls it, none in its files):
// - prismarine-chunk writes a negative section index as an unsigned byte and throws: the index is masked.
// - it picks palette widths 7 and 9..15, which the game refuses: storages are made with the next legal width.
// - its column encoder writes no sections for 1.18: only skeleton columns are served.
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

const FLOOR = -4
const SECTIONS = 24
const AIR = registry.blocksByName.air.defaultState
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
    subchunk.palette[layer] = palette.map((stateId) => ({ stateId, count: 1, ...registry.blockStates[stateId] }))
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

function heightsOf (surface, y) {
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
  const reply = { ...offset, payload: Buffer.alloc(0), heightmap_type: 'no_data' }
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
  let entries = request.requests.map((offset) => entry(columns, request, offset, refusedOnce))
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

function startGame (spawn) {
  return {
    entity_id: 1n, runtime_entity_id: 1n, player_gamemode: 'creative',
    player_position: { x: spawn[0], y: spawn[1], z: spawn[2] }, rotation: { x: 0, z: 0 }, seed: 1,
    biome_type: 0, biome_name: 'plains', dimension: 0, generator: 1, world_gamemode: 'creative', difficulty: 1,
    spawn_position: { x: spawn[0] | 0, y: spawn[1] | 0, z: spawn[2] | 0 }, achievements_disabled: true,
    day_cycle_stop_time: 6000, edu_offer: 0, edu_features_enabled: false, edu_product_uuid: '', rain_level: 0,
    lightning_level: 0, has_confirmed_platform_locked_content: false, is_multiplayer: true, broadcast_to_lan: true,
    xbox_live_broadcast_mode: 4, platform_broadcast_mode: 4, enable_commands: true, is_texturepacks_required: false,
    gamerules: [{ name: 'dodaylightcycle', editable: false, type: 'bool', value: false }], experiments: [],
    experiments_previously_used: false, bonus_chest: false, map_enabled: false, permission_level: 2,
    server_chunk_tick_range: 4, has_locked_behavior_pack: false, has_locked_resource_pack: false,
    is_from_locked_world_template: false, msa_gamertags_only: false, is_from_world_template: false,
    is_world_template_option_locked: false, only_spawn_v1_villagers: false, game_version: '1.18.11',
    limited_world_width: 0, limited_world_length: 0, is_new_nether: true,
    edu_resource_uri: { button_name: '', link_uri: '' }, experimental_gameplay_override: false, level_id: 'interop',
    world_name: 'interop', premium_world_template_id: '', is_trial: false, movement_authority: 'server_with_rewind',
    rewind_history_size: 40, server_authoritative_block_breaking: false, current_tick: [0, 6000], enchantment_seed: 1,
    block_properties: [], itemstates: [], multiplayer_correlation_id: '', server_authoritative_inventory: true,
    engine: 'interop', block_pallete_checksum: [0, 0]
  }
}

function welcome (client, columns, spawn) {
  client.write('resource_packs_info', {
    must_accept: false, has_scripts: false, force_server_packs: false, behaviour_packs: [], texture_packs: []
  })
  client.on('resource_pack_client_response', (packet) => {
    if (packet.response_status === 'have_all_packs') {
      client.write('resource_pack_stack', {
        must_accept: false, behavior_packs: [], resource_packs: [], game_version: '', experiments: [],
        experiments_previously_used: false
      })
    } else if (packet.response_status === 'completed') {
      client.write('start_game', startGame(spawn))
    }
  })
  client.on('request_chunk_radius', (packet) => {
    const radius = Math.min(packet.chunk_radius, 8)
    client.queue('chunk_radius_update', { chunk_radius: radius })
    client.queue('network_chunk_publisher_update', {
      coordinates: { x: spawn[0] | 0, y: spawn[1] | 0, z: spawn[2] | 0 }, radius: radius * 16
    })
    for (const column of columns.values()) {
      const limited = settings.mode === 'limited'
      client.queue('level_chunk', {
        x: column.x, z: column.z, sub_chunk_count: limited ? -2 : -1,
        highest_subchunk_count: limited ? column.highest + (settings.limitForm === 'count' ? 1 : 0) : undefined,
        cache_enabled: false, payload: column.biomes
      })
    }
    client.queue('play_status', { status: 'player_spawn' })
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
    host: '127.0.0.1', port, version: settings.version, offline: settings.offline !== false,
    maxPlayers: settings.maxPlayers ?? 3, motd: { motd: 'interop', levelName: 'interop' }
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
