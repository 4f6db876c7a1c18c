import { buildTool, createToolRuntime } from 'haft'
import * as z from 'zod'

/** @import { TimerCall } from './critical-path.mjs' */

const resource = z.union([z.strictObject({ path: z.string() }), z.strictObject({ thing: z.string() })])

/** A tool that waits for the time in its input and declares the resources in its input. */
const Wait = buildTool({
  name: 'Wait',
  description: 'Waits',
  inputSchema: z.object({
    ms: z.number(),
    reads: z.array(resource).optional(),
    writes: z.array(resource).optional(),
    isSafe: z.boolean().optional(),
  }),
  isReadOnly: () => true,
  isConcurrencySafe: ({ isSafe }) => isSafe === true,
  resources: ({ reads, writes }) => ({ ...(reads && { reads }), ...(writes && { writes }) }),
  async call({ ms }) {
    await new Promise((resolve) => setTimeout(resolve, ms))
    return { data: 'done' }
  },
})

/**
 * Returns the milliseconds that a message with these calls takes.
 * @param {readonly TimerCall[]} calls
 * @param {'resources' | 'base'} scheduling
 */
export async function measureTime(calls, scheduling) {
  const runtime = createToolRuntime({
    tools: [Wait],
    permissions: { allow: ['Wait'] },
    scheduling: { rule: scheduling },
  })
  const start = performance.now()
  const results = await runtime.run(
    calls.map((input, index) => ({ type: 'tool_use', id: `call-${index}`, name: 'Wait', input })),
  ).results
  const elapsed = performance.now() - start
  await runtime.dispose()
  const failedResult = results.find(({ is_error }) => is_error)
  if (failedResult !== undefined) throw new Error(`A call failed: ${JSON.stringify(failedResult.content)}`)
  return elapsed
}
