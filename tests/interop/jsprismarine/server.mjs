// A Bedrock server of protocol 748 that chunkscope did not write: JSPrismarine, whole columns, no encryption.
//
//   CHUNKSCOPE_NPM=<folder with node_modules> node server.mjs SETTINGS.json
//
// SETTINGS: {layers: [[name, thickness], ...]} of its flat world, from y 0 up. Prints one JSON line {"port": N} when it
// listens and {"event": "layers", ids, air} with the runtime ids it sends for them, which are its own: they do not match
// the 1.21.40 list. Runs in its working folder, where it keeps its configuration; ends with its stdin.
//
// JSPrismarine's quirks, none of them patched: its own start script wants a terminal, so the server is put together
// here; two of its packages are not among its dependencies (package.json names them).
import fs from 'node:fs'
import dgram from 'node:dgram'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

const peer = (name) => import(pathToFileURL(path.join(process.env.CHUNKSCOPE_NPM, 'node_modules', name)).href)
const { Config, Server, BlockMappings } = await peer('@jsprismarine/prismarine/dist/index.es.js')
const { Logger } = await peer('@jsprismarine/logger/dist/index.es.js')

const settings = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'))
const say = (line) => process.stdout.write(JSON.stringify(line) + '\n')

async function freePort () {
  const socket = dgram.createSocket('udp4')
  await new Promise((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const { port } = socket.address()
  await new Promise((resolve) => socket.close(resolve))
  return port
}

const port = await freePort()
const layers = settings.layers.map(([block, size]) => ({ block, size }))
// JSON is YAML, which is what the file's name promises.
fs.writeFileSync('config.yaml', JSON.stringify({
  port,
  'server-ip': '127.0.0.1',
  gamemode: 'creative',
  'view-distance': 10,
  'enable-process-title': false,
  'enable-query': false,
  worlds: { world: { generator: 'Flat', provider: 'Filesystem', seed: 1, layers } }
}))
const server = new Server({ config: new Config(), logger: new Logger('warn'), headless: true })
process.on('uncaughtException', (error) => {
  process.stderr.write(String(error?.stack ?? error) + '\n')
  process.exit(1)
})
await server.bootstrap('127.0.0.1', port)
process.stdin.on('end', () => process.exit(0))
process.stdin.resume()
const idOf = (name) => BlockMappings.getRuntimeId(name)
say({ event: 'layers', ids: settings.layers.map(([name]) => idOf(name)), air: idOf('minecraft:air') })
say({ port })
