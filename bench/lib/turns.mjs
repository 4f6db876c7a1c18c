import { buildTool, createToolRuntime } from 'haft'
import * as z from 'zod'
import { PEER_TURNS } from '../peers/peer-turns.mjs'

/**
 * @typedef {(count: number) => Promise<number>} Turn
 * Runs a turn in which the model makes this many calls of a tool that does nothing. Returns how many were answered.
 */

const inputSchema = z.object({ value: z.string() })
const noop = async () => 'ok'

export const PLAIN_TURN_NAME = 'schema.parse + await fn()'

/** @type {Readonly<Record<string, () => Promise<Turn>>>} */
export const TURN_RUNNERS = {
  [PLAIN_TURN_NAME]: async () => runPlainTurn,
  haft: async () => createHaftTurn(openRuntime()),
  ...PEER_TURNS,
}

export function openRuntime() {
  const tool = buildTool({
    ...{ name: 'noop', description: 'Does nothing', inputSchema },
    isReadOnly: () => true,
    isConcurrencySafe: () => true,
    call: async () => ({ data: await noop() }),
  })
  return createToolRuntime({ tools: [tool], permissions: { allow: ['noop'] } })
}

/**
 * @param {ReturnType<typeof openRuntime>} runtime
 * @returns {Turn}
 */
export function createHaftTurn(runtime) {
  return async (count) => {
    const results = await runtime.run(createCalls(count)).results
    return results.filter(({ is_error }) => is_error !== true).length
  }
}

/**
 * @param {number} count
 * @returns {import('haft').ToolUseBlock[]}
 */
export function createCalls(count) {
  return Array.from({ length: count }, (_, index) => ({
    ...{ type: 'tool_use', id: `call-${index}`, name: 'noop', input: { value: 'a' } },
  }))
}

/** @type {Turn} */
async function runPlainTurn(count) {
  for (const { input } of createCalls(count)) {
    inputSchema.parse(input)
    await noop()
  }
  return count
}
