import { writeSync } from 'node:fs'
import { Session } from './session.mjs'

/**
 * The process of one interpreter session. It reads messages as lines of JSON from stdin and writes them to stdout. It ends
 * when stdin is closed, and its parent kills it if it does not answer.
 */

/** Blocks while the parent does not read, so that code cannot fill the memory of this process with output. */
function send(/** @type {import('../protocol.js').ToParent} */ message) {
  const bytes = Buffer.from(`${JSON.stringify(message)}\n`)
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(1, bytes, offset)
}

const session = new Session(send)
let text = ''
let lastMessage = Promise.resolve()

process.stdin.setEncoding('utf8')
process.stdin.on('data', (/** @type {string} */ chunk) => {
  text += chunk
  const lines = text.split('\n')
  text = lines.pop() ?? ''
  for (const line of lines) lastMessage = lastMessage.then(() => session.handle(JSON.parse(line)))
})
process.stdin.on('end', () => process.exit(0))
