// A model server as a process of its own: node bench/lib/serve-model.mjs TURNS.json
// Prints its address, answers with the turns over and over, and tells at GET /requests what was asked and when.
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { evaluate } from '../../scripts/build/evaluate.mjs'
import { root } from '../../scripts/build/root.mjs'

const [file] = process.argv.slice(2)
if (file === undefined) throw new Error('Name a file with turns.')
const turns = JSON.parse(await readFile(file, 'utf8'))
const { startModelServer } = await evaluate(join(root, 'src/testing/model-server/start-model-server.ts'))
const server = await startModelServer(turns, { repeats: true })
console.log(server.url)
