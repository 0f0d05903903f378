// A Bedrock client that chunkscope did not write: bedrock-protocol joins, says which entities it sees, and builds.
//
//   CHUNKSCOPE_NPM=<folder with node_modules> node builder.cjs SETTINGS.json
//
// SETTINGS: {version, port, name, block, place: [x, y, z], eye: [x, y, z], item, new_items}
// Once it is in it places ``block``, a runtime id, on top of ``place``, and breaks it again when it was told of it.
// It prints {"event": "player" | "animal" | "listed" | "block" | "removed" | "error", ...}, and goes on until its input is closed.
'use strict'
const fs = require('fs')
const { createRequire } = require('module')
const peer = createRequire(process.env.CHUNKSCOPE_NPM + '/package.json')

const settings = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'))
const say = (line) => process.stdout.write(JSON.stringify(line, (_, value) => typeof value === 'bigint' ? Number(value) : value) + '\n')
const fail = (what, error) => say({ event: 'error', what, reason: String(error?.stack ?? error) })

const client = peer('bedrock-protocol').createClient({
  host: '127.0.0.1', port: settings.port, version: settings.version, username: settings.name, offline: true,
  viewDistance: 4, skipPing: true, followPort: false
})
const vector = ([x, y, z]) => ({ x, y, z })
const nothing = settings.new_items ? { network_id: 0, count: 0, metadata: 0, has_stack_id: false, block_runtime_id: 0, extra: { has_nbt: 'false', can_place_on: [], can_destroy: [] } } : { network_id: 0 }
const held = { network_id: 1, count: 1, metadata: 0, has_stack_id: settings.new_items ? false : 0, block_runtime_id: settings.block, extra: { has_nbt: 'false', can_place_on: [], can_destroy: [] } }

function use (action, at, item) {
  client.queue('inventory_transaction', {
    transaction: {
      legacy: { legacy_request_id: 0 },
      transaction_type: 'item_use',
      container_presence: true,
      actions: [],
      transaction_data: {
        action_type: action, trigger_type: 'player_input', block_position: vector(at), face: 1, hotbar_slot: 0, hand: 'main_hand',
        held_item: item, player_pos: vector(settings.eye), click_pos: { x: 0.5, y: 1, z: 0.5 }, block_runtime_id: 0,
        client_prediction: 'success', client_cooldown_state: 'off'
      }
    }
  })
}

const [x, y, z] = settings.place
let broken = false
client.on('spawn', () => {
  try {
    if (settings.block) use('click_block', settings.place, held)
  } catch (error) {
    fail('spawn', error)
  }
})
const changed = ({ position, layer, block_runtime_id: id }) => {
  say({ event: 'block', ...position, layer, id })
  if (settings.block && !broken && id === settings.block && position.x === x && position.y === y + 1 && position.z === z) {
    broken = true
    use('break_block', [x, y + 1, z], nothing)
  }
}
client.on('update_block', changed)
client.on('update_block_synced', changed)
client.on('add_player', (packet) => say({ event: 'player', name: packet.username, id: packet.runtime_id, position: packet.position }))
client.on('add_entity', (packet) => say({ event: 'animal', type: packet.entity_type, id: packet.runtime_id, metadata: packet.metadata.length }))
client.on('player_list', () => say({ event: 'listed' }))
client.on('move_player', (packet) => say({ event: 'moved', id: packet.runtime_id }))
client.on('move_entity', (packet) => say({ event: 'wandered', id: packet.runtime_entity_id }))
client.on('remove_entity', (packet) => say({ event: 'removed', id: packet.entity_id_self }))
client.on('error', (error) => fail('session', error))
client.on('kick', (packet) => fail('kick', JSON.stringify(packet)))
process.stdin.on('end', () => process.exit(0))
process.stdin.resume()
say({ port: settings.port })
