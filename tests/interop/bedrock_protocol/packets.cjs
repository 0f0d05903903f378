// Reads packets with bedrock-protocol's own tables and writes them again.
//
//   CHUNKSCOPE_NPM=<folder with node_modules> node packets.cjs VERSION < lines of hex
//
// Prints one JSON line per packet: {"name", "params", "hex"} or {"error"}.
'use strict'
const { createRequire } = require('module')
const peer = createRequire(process.env.CHUNKSCOPE_NPM + '/package.json')
const { createDeserializer } = peer('bedrock-protocol/src/transforms/serializer.js')

const version = process.argv[2]
const reader = createDeserializer(version)
const plain = (_, value) => typeof value === 'bigint' ? String(value) : value
// A createSerializer would compile the same tables again.
const writer = { createPacketBuffer: packet => reader.proto.createPacketBuffer('mcpe_packet', packet) }
for (const line of require('fs').readFileSync(0, 'utf8').split('\n').filter(Boolean)) {
  try {
    const { name, params } = reader.parsePacketBuffer(Buffer.from(line, 'hex')).data
    const hex = writer.createPacketBuffer({ name, params }).toString('hex')
    process.stdout.write(JSON.stringify({ name, params, hex }, plain) + '\n')
  } catch (error) {
    process.stdout.write(JSON.stringify({ error: String(error.message) }) + '\n')
  }
}
