import { buildTool, createToolRuntime } from 'haft'
import * as z from 'zod'

/**
 * @typedef {{ ms: number, reads?: string[], writes?: string[], isSafe?: boolean }} TimerCall
 */

/** Waits for the given time and declares the given resources. */
const Wait = buildTool({
  name: 'Wait',
  description: 'Waits',
  inputSchema: z.object({
    ms: z.number(),
    reads: z.array(z.string()).optional(),
    writes: z.array(z.string()).optional(),
    isSafe: z.boolean().optional(),
  }),
  isReadOnly: () => true,
  isConcurrencySafe: ({ isSafe }) => isSafe === true,
  resources: ({ reads, writes }) =>
    /** @type {any} */ ({ ...(reads && { reads: paths(reads) }), ...(writes && { writes: paths(writes) }) }),
  async call({ ms }) {
    await new Promise((resolve) => setTimeout(resolve, ms))
    return { data: 'done' }
  },
})

/** @param {readonly string[]} names */
function paths(names) {
  return names.map((path) => ({ path }))
}

/**
 * Milliseconds that a message with these calls takes.
 * @param {readonly TimerCall[]} calls
 * @param {'resources' | 'base'} scheduling
 */
export async function timeOf(calls, scheduling) {
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
  const failed = results.find(({ is_error }) => is_error)
  if (failed !== undefined) throw new Error(`A call failed: ${JSON.stringify(failed.content)}`)
  return elapsed
}

/**
 * Milliseconds until the last call ends if each call starts as soon as all earlier calls that it conflicts with have ended.
 * @param {readonly TimerCall[]} calls
 */
export function criticalPath(calls) {
  /** @type {number[]} */
  const ends = []
  for (const [index, call] of calls.entries()) {
    const waits = calls.slice(0, index).map((earlier, at) => (areInConflict(earlier, call) ? (ends[at] ?? 0) : 0))
    ends.push(Math.max(0, ...waits) + call.ms)
  }
  return Math.max(...ends)
}

/**
 * @param {TimerCall} a
 * @param {TimerCall} b
 */
function areInConflict(a, b) {
  const touchedBy = ({ reads = [], writes = [] } = b) => [...reads, ...writes]
  return doOverlap(a.writes ?? [], touchedBy(b)) || doOverlap(b.writes ?? [], touchedBy(a))
}

/**
 * @param {readonly string[]} paths
 * @param {readonly string[]} otherPaths
 */
function doOverlap(paths, otherPaths) {
  return paths.some((path) =>
    otherPaths.some((other) => `${path}/`.startsWith(`${other}/`) || `${other}/`.startsWith(`${path}/`)),
  )
}
