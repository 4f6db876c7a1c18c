// A model server for benchmarks of the terminal, as a separate process: node bench/lib/terminal-model.mjs
// Prints its URL. The answer depends on the prompt: for "lines 2000 piece 20 pause 0 of round 1" it streams text, for
// "calls 300 of round 1" it makes calls.
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'

export const ANSWER_TEXT = 'of the answer, which is as long as lines of prose and code usually are'
export const CALLS_PER_MESSAGE = 10
const CHARACTERS_PER_TOKEN = 4

/** Returns the lines of the answer to "lines N", without its end. @param {number} count */
export function createAnswerLines(count) {
  return Array.from({ length: count }, (_, index) => `Line ${index} ${ANSWER_TEXT}.`)
}

/**
 * @typedef {{ role: string, content: string | readonly { type: string, text?: string }[] }} RequestMessage
 * @typedef {import('../../src/testing/models/server/server-turn.js').ServerTurn} ServerTurn
 */

/** A model whose answer depends on the prompt. It counts its calls itself, because the conversation may be summarised meanwhile. */
export class PromptedModel {
  /** Calls that were made for each prompt. */
  #callCounts = /** @type {Map<string, number>} */ (new Map())
  #messageCount = 0

  /** @param {{ messages: readonly RequestMessage[] }} body @returns {ServerTurn} */
  answer({ messages }) {
    const prompt = findPrompt(messages) ?? ''
    const [answer, lines, piece, pause] = /lines (\d+) piece (\d+) pause (\d+) of round \d+/.exec(prompt) ?? []
    if (answer !== undefined) return answerLines(Number(lines), Number(piece), Number(pause), answer)
    const [request, calls] = /calls (\d+) of round \d+/.exec(prompt) ?? []
    if (request === undefined) return { parts: [{ text: `Received ${prompt.length} characters.` }] }
    const callCount = this.#callCounts.get(request) ?? 0
    if (callCount >= Number(calls)) return { parts: [{ text: `All ${request} have ended.` }] }
    this.#callCounts.set(request, callCount + CALLS_PER_MESSAGE)
    return makeCalls(this.#messageCount++)
  }
}

/** Returns the last text of the user that is not a note of the agent. @param {readonly RequestMessage[]} messages */
function findPrompt(messages) {
  const texts = messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ content }) => (typeof content === 'string' ? [{ type: 'text', text: content }] : content))
    .flatMap(({ type, text }) => (type === 'text' && text !== undefined && !text.startsWith('<') ? [text] : []))
  return texts.at(-1)
}

/** @param {number} count @param {number} piece characters @param {number} pause milliseconds @param {string} name */
function answerLines(count, piece, pause, name) {
  const text = [...createAnswerLines(count), `End of ${name}.`].join('\n\n')
  if (pause === 0) return { parts: [{ text }], pieceSize: piece }
  const block = { index: 0, content_block: { type: 'text', text: '' } }
  const pieces = text.match(new RegExp(`[^]{1,${piece}}`, 'g')) ?? []
  let start = Number.NaN
  return {
    parts: [
      createRawEvent('content_block_start', block),
      ...pieces.flatMap((part, index) => [
        {
          // `gate` is a getter, so that it is read when the server sends this part. A part that is late, because the
          // machine is busy, does not delay the next ones.
          get gate() {
            if (index === 0) start = performance.now()
            return setTimeout(Math.max(0, start + index * pause - performance.now()))
          },
        },
        createRawEvent('content_block_delta', { index: 0, delta: { type: 'text_delta', text: part } }),
      ]),
      createRawEvent('content_block_stop', { index: 0 }),
    ],
  }
}

/** @param {string} type @param {object} fields */
function createRawEvent(type, fields) {
  return { raw: `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n` }
}

/** Makes calls that all differ: an agent stops a model that repeats itself. @param {number} step */
function makeCalls(step) {
  const reads = Array.from({ length: CALLS_PER_MESSAGE - 1 }, (_, index) => ({
    call: 'Read',
    input: { file_path: `file${index}.txt`, limit: 1_000 + step },
  }))
  const command = { call: 'Bash', input: { command: `echo output of step ${step}` } }
  return { parts: [{ text: `Step ${step}: I read some files.` }, ...reads, command] }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { evaluate } = await import('../../scripts/build/evaluate.mjs')
  const { root } = await import('../../scripts/build/root.mjs')
  const { startModelServer } = await evaluate(join(root, 'src/testing/models/server/start-model-server.ts'))
  const model = new PromptedModel()
  const script = [
    (/** @type {{ body: any }} */ { body }) => ({
      ...model.answer(body),
      usage: { input_tokens: Math.round(JSON.stringify(body).length / CHARACTERS_PER_TOKEN) },
    }),
  ]
  const server = await startModelServer(script, { shouldRepeat: true })
  console.log(server.url)
}
