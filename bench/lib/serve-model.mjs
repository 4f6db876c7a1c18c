// A model server as a separate process: node bench/lib/serve-model.mjs TURNS.json
// Prints its URL, answers requests with the turns, which repeat, and lists the received requests at GET /requests.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { evaluate } from '../../scripts/build/evaluate.mjs'
import { root } from '../../scripts/build/root.mjs'

const [file] = process.argv.slice(2)
if (file === undefined)
  throw new Error('The file with the turns is missing. Usage: node bench/lib/serve-model.mjs TURNS.json')
const turns = JSON.parse(await readFile(file, 'utf8'))
const { startModelServer } = await evaluate(join(root, 'src/testing/models/server/start-model-server.ts'))
const server = await startModelServer(turns, { shouldRepeat: true })
console.log(server.url)
