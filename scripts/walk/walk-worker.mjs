import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * Runs two Bash calls through a session of instrumented modules, and writes which functions the second one called. The
 * first one loads and prepares what all calls share.
 */
const [modules = '', outputPath = ''] = process.argv.slice(2)

/** @typedef {{ readonly id: number, isOpen: boolean }} Frame */

/** The functions that are running now; the last one is the innermost. @type {Frame[]} */
let stack = []
let isRecording = false
/** Pairs of a calling and a called function; the caller of a function that continues is not known. @type {[number, number][]} */
const steps = []

const leave = (/** @type {Frame} */ frame) => {
  stack = stack.filter((openFrame) => openFrame !== frame)
}
const walk = {
  enter(/** @type {number} */ id) {
    if (isRecording) steps.push([stack.at(-1)?.id ?? -1, id])
    const frame = { id, isOpen: true }
    stack.push(frame)
    return frame
  },
  exit(/** @type {Frame} */ frame) {
    frame.isOpen = false
    leave(frame)
  },
  pause(/** @type {Frame} */ frame, /** @type {unknown} */ value) {
    leave(frame)
    return value
  },
  resume(/** @type {Frame} */ frame, /** @type {unknown} */ value) {
    if (isRecording) steps.push([-1, frame.id])
    if (frame.isOpen && !stack.includes(frame)) stack.push(frame)
    return value
  },
  async *iterate(/** @type {Frame} */ frame, /** @type {any} */ iterable) {
    const iterator = iterable[Symbol.asyncIterator]?.() ?? iterable[Symbol.iterator]()
    try {
      for (;;) {
        leave(frame)
        const { done, value } = await iterator.next()
        walk.resume(frame, undefined)
        if (done) return
        yield value
      }
    } finally {
      await iterator.return?.()
    }
  },
}
Object.assign(globalThis, { walk })

const load = (/** @type {string} */ path) => import(pathToFileURL(join(modules, path)).href)
const { createToolRuntime } = await load('runtime/create-tool-runtime.js')
const { builtInTools } = await load('tools/index.js')
const { Session } = await load('session/session.js')
const cwd = realpathSync(mkdtempSync(join(tmpdir(), 'haft-walk-')))
const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }
const commands = ['pwd', 'ls']
let requestCount = 0
const model = {
  id: 'walk',
  provider: 'walk',
  facts: { contextWindow: 200_000, maxOutputTokens: 8_000 },
  async *stream() {
    isRecording = false
    const command = commands[requestCount++]
    if (command === undefined) yield { type: 'block-ended', block: { type: 'text', text: 'done' } }
    else {
      isRecording = requestCount === commands.length
      const block = { type: 'tool_use', id: `call-${requestCount}`, name: 'Bash', input: { command } }
      yield { type: 'block-ended', block }
    }
    yield { type: 'message-ended', stopReason: command === undefined ? 'end_turn' : 'tool_use', usage }
  },
}
const session = new Session({ runtime: createToolRuntime({ tools: builtInTools, cwd }), model, system: [] })
const { reason } = await session.ask('go')
await session.dispose()
rmSync(cwd, { recursive: true })
if (reason !== 'completed') throw new Error(`The session ended with the reason ${reason} instead of completed.`)
writeFileSync(outputPath, JSON.stringify(steps))
