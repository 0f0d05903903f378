// A Bedrock client that chunkscope did not write: bedrock-protocol joins, prismarine-chunk decodes what it is sent.
//
//   CHUNKSCOPE_NPM=<folder with node_modules> node client.cjs SETTINGS.json
//
// SETTINGS: {version, port, radius, columns: [[x, z], ...], out, stay, dimension, command}
// With ``command`` it says that, once it is in, and looks at nothing before it is in ``dimension``; the columns are there.
// Asks for all sub-chunks of the given columns up to the announced limit and writes to ``out``, as JSON, a list of
// {x, z, mode: "limited" | "limitless" | "full", limit, biomes, sections: {y: [["<base64 of 4096 x u32le ids>", ...]]}}
// in the order x << 8 | z << 4 | y, beside ``names``: {id: {name, states}} by minecraft-data's list,
// and ``hashed``: whether ids are hashes; ``items``: whether a list of items came. An air sub-chunk has no layers.
// Ends by itself when it has them, having printed {"event": "done"}; with ``stay`` it goes on until its input is closed,
// and prints {"event": "block", x, y, z, layer, id} for each block that is changed meanwhile. It prints {"event": "error"} for what it
// cannot read.
//
// Patches of the peer, each with its reason (all in how this script calls it, none in its files):
// - prismarine-chunk looks up each id in the registry of its own version, which 1.26 does not have, and throws for ids
//   it does not know: ids are kept as they are read, the names are looked up here.
// - it decodes whole columns 64 blocks too high: sub-chunks of whole columns are read one by one, by their index byte.
// - it reads biomes to the end of the buffer or a 0 byte, whichever is first: sections are counted here.
'use strict'
const fs = require('fs')
const { createRequire } = require('module')
const peer = createRequire(process.env.CHUNKSCOPE_NPM + '/package.json')

const settings = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'))
const SubChunk = peer('prismarine-chunk/src/bedrock/1.18/SubChunk.js')
const BiomeSection = peer('prismarine-chunk/src/bedrock/1.18/BiomeSection.js')
const Stream = peer('prismarine-chunk/src/bedrock/common/Stream.js')
const { StorageType } = peer('prismarine-chunk/src/bedrock/common/constants.js')
const listed = peer('minecraft-data')('bedrock_' + settings.version).blockStates

const RANGES = [[-4, 24], [0, 8], [0, 16]] // lowest section and count, by dimension
const wantedDimension = settings.dimension ?? 0
const [FLOOR, SECTIONS] = RANGES[wantedDimension]
let dimension = 0
const REQUEST_MODES = { '-1': 'limitless', '-2': 'limited' }
const say = (line) => process.stdout.write(JSON.stringify(line) + '\n')
const fail = (what, error) => say({ event: 'error', what, reason: String(error?.stack ?? error) })
// prismarine-biome looks up names of biomes, which nobody asks for here.
const registry = { type: 'bedrock', version: { type: 'bedrock' }, biomes: {}, biomesByName: {} }

class RawSubChunk extends SubChunk {
  loadRuntimePalette (layer, stream, size) {
    this.palette[layer] = []
    for (let i = 0; i < size; i++) this.palette[layer].push({ stateId: stream.readZigZagVarInt(), count: 0 })
  }

  addToPalette (layer, stateId) {
    this.palette[layer].push({ stateId, count: 0 })
  }
}

const seen = new Set()

function layersOf (section) {
  return section.blocks.map((storage, layer) => {
    const ids = new Uint32Array(4096)
    for (let i = 0; i < 4096; i++) {
      ids[i] = section.palette[layer][storage.get(i >> 8, i & 15, (i >> 4) & 15)].stateId >>> 0
      seen.add(ids[i])
    }
    return Buffer.from(ids.buffer).toString('base64')
  })
}

function decodeTerrain (stream) {
  const section = new RawSubChunk(registry, null, { y: 0, subChunkVersion: 9 })
  section.decode(StorageType.Runtime, stream)
  return { y: section.y << 24 >> 24, layers: layersOf(section) }
}

function decodeBiomes (stream) {
  const sections = []
  for (let i = 0; i < SECTIONS && stream.readOffset < stream.buffer.length; i++) {
    if (stream.peek() === 0xff) { // as the section below
      stream.readByte()
      sections.push(sections[sections.length - 1])
      continue
    }
    const section = new BiomeSection(registry, i)
    section.read(StorageType.Runtime, stream)
    const ids = new Uint32Array(4096)
    for (let at = 0; at < 4096; at++) ids[at] = section.getBiomeId(at >> 8, at & 15, (at >> 4) & 15)
    sections.push(Buffer.from(ids.buffer).toString('base64'))
  }
  return sections
}

const wanted = new Set(settings.columns.map((at) => at.join(',')))
const columns = new Map()
let missing = 0

function announced (client, packet) {
  const key = packet.x + ',' + packet.z
  if (dimension !== wantedDimension || !wanted.has(key) || columns.has(key)) return
  const stream = new Stream(packet.payload)
  const { mode, limit } = modeOf(packet)
  const column = { x: packet.x, z: packet.z, mode, limit, sections: {} }
  columns.set(key, column)
  if (mode === 'full') {
    for (let i = 0; i < packet.sub_chunk_count; i++) {
      const { y, layers } = decodeTerrain(stream)
      column.sections[y] = layers
    }
  } else {
    const requests = [] // an offset's parts are called x, y, z from 1.26.30 on
    for (let dy = 0; dy < (mode === 'limited' ? Math.min(SECTIONS, limit + 1) : SECTIONS); dy++) requests.push({ dx: 0, dy, dz: 0, x: 0, y: dy, z: 0 })
    missing += requests.length
    client.queue('subchunk_request', { dimension, origin: { x: packet.x, y: FLOOR, z: packet.z }, requests })
  }
  column.biomes = decodeBiomes(stream)
}

function modeOf (packet) {
  const limit = packet.highest_subchunk_count
  if (client.options.protocolVersion < 2168) return { mode: REQUEST_MODES[packet.sub_chunk_count] ?? 'full', limit }
  if (limit === undefined) return { mode: 'full' }
  return limit < 0 ? { mode: 'limitless' } : { mode: 'limited', limit }
}

function answered (packet) {
  for (const entry of packet.entries) {
    const x = packet.origin.x + entry.dx
    const y = packet.origin.y + entry.dy
    const z = packet.origin.z + entry.dz
    const column = columns.get(x + ',' + z)
    if (!column || y in column.sections) continue
    missing--
    column.sections[y] = []
    if (entry.result === 'success') {
      const { y: index, layers } = decodeTerrain(new Stream(entry.payload))
      if (index !== y) fail('index', `sub-chunk ${y} says it is ${index}`)
      column.sections[y] = layers
    } else if (entry.result !== 'success_all_air') {
      fail('result', `${entry.result} for ${x} ${y} ${z}`)
    }
  }
}

function finish (client) {
  const names = {}
  const states = hashed ? byHash() : listed
  for (const id of seen) if (states[id]) names[id] = { name: states[id].name, states: plain(states[id].states) }
  fs.writeFileSync(settings.out, JSON.stringify({ columns: [...columns.values()], names, hashed, items }))
  say({ event: 'done' })
  finished = true
  if (settings.stay) return
  client.close()
  setTimeout(() => process.exit(0), 100)
}

function byHash () { // as prismarine-block hashes what minecraft-data lists
  const Block = peer('prismarine-block')(peer('prismarine-registry')('bedrock_' + settings.version))
  return Object.fromEntries(listed.map((state) => [Block.getHash(state.name, state.states) >>> 0, state]))
}

const plain = (tags) => Object.fromEntries(Object.entries(tags).map(([key, tag]) => [key, tag.type === 'byte' ? tag.value !== 0 : tag.value]))

const client = peer('bedrock-protocol').createClient({
  host: '127.0.0.1', port: settings.port, version: settings.version, username: 'Interop', offline: true,
  viewDistance: settings.radius, skipPing: true, followPort: false
})

function guarded (what, handle) {
  client.on(what, (packet) => {
    try {
      handle(packet)
    } catch (error) {
      fail(what, error)
    }
    if (!finished && spawned && columns.size === wanted.size && missing === 0) finish(client)
  })
}

let spawned = false
let finished = false
let hashed = false
let items = false
client.on('start_game', (packet) => {
  hashed = packet.block_network_ids_are_hashes ?? false
  items ||= packet.itemstates !== undefined
})
client.on('item_registry', (packet) => { items = packet.itemstates !== undefined })
client.on('spawn', () => {
  if (dimension === wantedDimension) {
    spawned = true
    return
  }
  const origin = { type: 'player', uuid: '00000000-0000-0000-0000-000000000000', request_id: 'cross', player_entity_id: 0n }
  const version = client.options.protocolVersion < 898 ? 1 : 'latest'
  client.queue('command_request', { command: settings.command, origin, internal: false, version })
})
guarded('change_dimension', (packet) => {
  dimension = packet.dimension
  say({ event: 'dimension', dimension, position: packet.position, screen: packet.loading_screen_id ?? null })
})
guarded('command_output', (packet) => say({ event: 'output', line: packet.output[0].message_id, request: packet.origin.request_id }))
guarded('player_action', (packet) => {
  say({ event: 'action', action: packet.action })
  spawned = true
})
guarded('play_status', () => {
  if (dimension === 0) return
  spawned = client.options.protocolVersion < 560 // from there on the server says so in a packet of its own
  const nowhere = { x: 0, y: 0, z: 0 }
  client.queue('player_action', { runtime_entity_id: client.entityId, action: 'dimension_change_ack', position: nowhere, result_position: nowhere, face: 0 })
})
guarded('level_chunk', (packet) => announced(client, packet))
guarded('subchunk', answered)
guarded('set_time', () => {})
for (const name of ['update_block', 'update_block_synced']) {
  guarded(name, ({ position, layer, block_runtime_id: id }) => say({ event: 'block', ...position, layer, id }))
}
client.on('error', (error) => fail('session', error))
client.on('kick', (packet) => fail('kick', JSON.stringify(packet)))
process.stdin.on('end', () => process.exit(0))
process.stdin.resume()
say({ port: settings.port })
