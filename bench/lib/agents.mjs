import { buildTool, createToolRuntime } from 'haft'
import { Session } from 'haft/agent'
import * as z from 'zod'
import { openPiAgent } from '../peers/pi-agent.mjs'

/**
 * @typedef {{ turns: number, calls: number, tools?: number }} Script
 * The messages of the scripted model in one conversation: `turns` messages with `calls` calls each, then a text. `tools` is
 * the number of registered tools, 1 by default.
 */

/**
 * @typedef {object} BenchAgent
 * @property {(script: Script) => Promise<number>} converse runs one new conversation and returns the number of results
 * @property {() => () => Promise<void>} create creates runtime and session, and returns a function that disposes of
 * them
 */

/** @type {Readonly<Record<string, () => Promise<BenchAgent>>>} */
export const AGENT_OPENERS = { 'pi-agent': openPiAgent, haft: openHaft }

/** @returns {Promise<BenchAgent>} */
async function openHaft() {
  /** @type {Map<number, ReturnType<typeof createToolRuntime>>} */
  const runtimes = new Map()
  return {
    async converse({ turns, calls, tools = 1 }) {
      const runtime = runtimes.get(tools) ?? openRuntime(tools)
      runtimes.set(tools, runtime)
      const session = new Session({ runtime, model: createScriptedModel(turns, calls), system: [] })
      const { reason } = await session.ask('go')
      if (reason !== 'completed')
        throw new Error(`The conversation ended with the reason ${reason} instead of completed.`)
      return countResults(session.conversation.messages)
    },
    create() {
      const runtime = openRuntime(1)
      const session = new Session({ runtime, model: createScriptedModel(0, 0), system: [] })
      return async () => {
        await session.dispose()
      }
    },
  }
}

/** @param {number} count */
function openRuntime(count) {
  const tools = Array.from({ length: count }, (_, index) => createNoopTool(index === 0 ? 'noop' : `noop${index}`))
  return createToolRuntime({ tools, permissions: { allow: ['noop'] } })
}

const inputSchema = z.object({ value: z.string() })

/** @param {string} name */
function createNoopTool(name) {
  return buildTool({
    ...{ name, description: 'Does nothing', inputSchema },
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    call: async () => ({ data: 'ok' }),
  })
}

/**
 * Sends whole blocks, as the peer's stream sends a whole message. The inputs differ from turn to turn, because Haft
 * stops a model that keeps repeating the same call.
 * @param {number} turns
 * @param {number} calls
 * @returns {import('haft/models').Model}
 */
function createScriptedModel(turns, calls) {
  let turn = 0
  const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 }
  return {
    id: 'bench',
    provider: 'bench',
    facts: { contextWindow: 200_000, maxOutputTokens: 8_000 },
    async *stream() {
      const isLast = turn++ >= turns
      for (let index = 0; !isLast && index < calls; index++) {
        const id = `call-${turn}-${index}`
        yield { type: 'block-ended', block: { type: 'tool_use', id, name: 'noop', input: { value: `${turn}` } } }
      }
      if (isLast) yield { type: 'block-ended', block: { type: 'text', text: 'done' } }
      yield { type: 'message-ended', stopReason: isLast ? 'end_turn' : 'tool_use', usage }
    },
  }
}

/** @param {readonly import('haft').Message[]} messages */
function countResults(messages) {
  return messages
    .flatMap((message) => (message.type === 'user' && typeof message.content !== 'string' ? message.content : []))
    .filter((block) => block.type === 'tool_result' && block.is_error !== true).length
}
