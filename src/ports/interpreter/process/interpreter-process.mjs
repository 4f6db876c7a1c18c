import { writeSync } from 'node:fs'
import { Session } from './session.mjs'

/**
 * The process of one interpreter session. It reads messages as lines of JSON from stdin and writes them to stdout. It ends
 * when stdin is closed, and its parent kills it if it does not answer.
 */

/** More than this is written at once. */
const MAX_UNSENT_CHARS = 64 * 1024

let unsentText = ''

/**
 * Calls and output are written together when the code waits, is checked for its time limit, or has produced much of them,
 * because each write wakes the parent.
 */
function send(/** @type {import('../protocol.js').ToParent} */ message) {
  unsentText += `${JSON.stringify(message)}\n`
  const canWait = message.type === 'call' || message.type === 'emit'
  if (!canWait || unsentText.length > MAX_UNSENT_CHARS) flush()
}

/** Blocks while the parent does not read, so that code cannot fill the memory of this process with output. */
function flush() {
  if (unsentText === '') return
  const bytes = Buffer.from(unsentText)
  unsentText = ''
  for (let offset = 0; offset < bytes.length; ) offset += writeSync(1, bytes, offset)
}

const session = new Session({ send, flush })
/** Parts of a line that is not complete yet. @type {string[]} */
let lineParts = []
/** A reply whose JSON text is the next line. @type {import('../protocol.js').FromParent | undefined} */
let reply
let lastMessage = Promise.resolve()

process.stdin.setEncoding('utf8')
process.stdin.on('data', (/** @type {string} */ chunk) => {
  const lines = chunk.split('\n')
  const rest = lines.pop() ?? ''
  for (const line of lines) {
    handleLine(lineParts.length === 0 ? line : lineParts.join('') + line)
    lineParts = []
  }
  if (rest !== '') lineParts.push(rest)
  if (lines.length > 0) lastMessage = lastMessage.then(() => session.reportIdle())
})
process.stdin.on('end', () => process.exit(0))

/** @param {string} line */
function handleLine(line) {
  if (reply !== undefined) {
    handle(reply, line)
    reply = undefined
    return
  }
  /** @type {import('../protocol.js').FromParent} */
  const message = JSON.parse(line)
  if (message.type === 'reply' && 'isJson' in message.result) reply = message
  else handle(message, '')
}

/**
 * @param {import('../protocol.js').FromParent} message
 * @param {string} json
 */
function handle(message, json) {
  lastMessage = lastMessage.then(() => session.handle(message, json))
}
