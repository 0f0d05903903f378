// A Bedrock server of protocol 975 that chunkscope did not write: SerenityJS, whole columns, hashed ids, no encryption.
//
//   CHUNKSCOPE_NPM=<folder with node_modules> node server.cjs SETTINGS.json
//
// SETTINGS: {states: [{name, states}], world} as tests/support/servers/foreign.py writes it; ids of the world are indices
// into the states, each of which Serenity looks up in its own list; "entities": true spawns some beside the first player.
// Prints one JSON line {"port": N} when it listens, and
// {"event": "unknown", ...} for a state it does not have; ends with its stdin.
//
// Serenity's quirks, none of them patched: @serenityjs/leveldb is not in the registry (stubs/leveldb stands in, worlds
// are kept in memory); columns stop above the highest sub-chunk, and biomes with them.
'use strict'
const fs = require('fs')
const dgram = require('dgram')
const { createRequire } = require('module')
const peer = createRequire(process.env.CHUNKSCOPE_NPM + '/package.json')
const {
  Serenity, InternalProvider, TerrainGenerator, Chunk, BlockPermutation, BlockType, ItemStack, WorldEvent
} = peer('@serenityjs/core')
const { Vector3f } = peer('@serenityjs/protocol')

const settings = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'))
const say = (line) => process.stdout.write(JSON.stringify(line) + '\n')

function idsOf (base64) {
  const bytes = Buffer.from(base64, 'base64')
  return new Uint32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))
}

// Serenity falls back to another state of the block, or to air, without a word: the test wants to know.
function permutation ({ name, states }) {
  const found = BlockPermutation.resolve(name, states)
  const same = found.type.identifier === name && Object.keys(states).length === Object.keys(found.state).length &&
    Object.entries(states).every(([key, value]) => Number(found.state[key]) === Number(value) || found.state[key] === value)
  if (!BlockType.types.has(name) || !same) say({ event: 'unknown', name, states })
  return found
}

const columns = new Map()
for (const section of settings.world.sections) {
  const key = section.x + ',' + section.z
  if (!columns.has(key)) columns.set(key, [])
  columns.get(key).push(section)
}
const permutations = settings.states.map(permutation)

class GivenGenerator extends TerrainGenerator {
  static identifier = 'given'

  async apply (x, z) {
    const chunk = new Chunk(x, z, this.dimension.type)
    for (const section of columns.get(x + ',' + z) ?? []) {
      section.layers.forEach((base64, layer) => {
        idsOf(base64).forEach((id, i) => {
          const at = { x: i >> 8, y: section.y * 16 + (i & 15), z: (i >> 4) & 15 }
          chunk.setPermutation(at, permutations[id], layer, false)
        })
      })
    }
    return chunk
  }
}

// A named cow and a zombie, of which the first jumps to another place after a second, and two items that fall.
function populate (dimension, { x, y, z }) {
  const cow = dimension.spawnEntity('minecraft:cow', new Vector3f(x + 3, y, z))
  cow.setNametag('A cow')
  dimension.spawnEntity('minecraft:zombie', new Vector3f(x - 3, y, z))
  dimension.spawnItem(new ItemStack('minecraft:apple'), new Vector3f(x, y, z + 3))
  dimension.spawnItem(new ItemStack('minecraft:stone', { stackSize: 5 }), new Vector3f(x, y, z - 3))
  setTimeout(() => cow.teleport(new Vector3f(x + 3, y, z + 3)), 1000)
}

async function freePort () {
  const socket = dgram.createSocket('udp4')
  await new Promise((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const { port } = socket.address()
  await new Promise((resolve) => socket.close(resolve))
  return port
}

async function main () {
  const port = await freePort()
  const serenity = new Serenity({
    path: null,
    serenity: { permissions: null, resources: { path: undefined }, offlineMode: true, movementValidation: false },
    network: {},
    raknet: { address: '127.0.0.1', port }
  })
  serenity.registerGenerator(GivenGenerator)
  serenity.registerProvider(InternalProvider)
  const spawnPosition = settings.world.spawn
  await serenity.createWorldAtProviderTarget(InternalProvider, {
    identifier: 'default',
    gamemode: 'spectator',
    dimensions: [{
      identifier: 'overworld', type: 0, generator: 'given', viewDistance: 16, simulationDistance: 1, spawnPosition,
      chunkPregeneration: []
    }]
  })
  if (settings.entities) {
    serenity.on(WorldEvent.PlayerInitialized, ({ player }) => populate(player.dimension, player.position))
  }
  process.stdin.on('end', () => process.exit(0))
  process.stdin.resume()
  await serenity.start()
  say({ port })
}

main()
