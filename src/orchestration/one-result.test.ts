import fc from 'fast-check'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { buildTool } from '../contract/build-tool.js'
import type { ToolEvent } from '../contract/events.js'
import type { ToolUseBlock } from '../contract/messages.js'
import type { ObjectSchema } from '../contract/schema.js'
import type { Tool } from '../contract/tool.js'
import { createToolRuntime } from '../runtime/create-tool-runtime.js'
import { propertyRuns } from '../testing/property-runs.js'
import type { CallRun } from './call-run.js'

const TIMEOUT_MS = 900_000

test(
  'whatever happens, each call has one result, in order, and is queued and ended once',
  async () => {
    await fc.assert(
      fc.asyncProperty(message, async ({ calls, disturbance, at, maxConcurrency, scheduling }) => {
        const { runtime, run, told } = open(maxConcurrency, scheduling)
        const read = readAll(run)
        for (const [index, plan] of calls.entries()) {
          if (index === at) disturb(run, disturbance)
          run.add(blockOf(plan, index))
          if (plan.pauses) await new Promise(setImmediate)
        }
        if (at >= calls.length) disturb(run, disturbance)
        run.end()
        // A person who went away keeps a call waiting until somebody gives up.
        if (calls.some(({ answer }) => answer === 'never')) setTimeout(() => run.cancel({ type: 'aborted' }), 6)
        const outcomes = await run.outcomes()

        const ids = calls.map((_, index) => `call-${index}`)
        expect(outcomes.map(({ block }) => block.tool_use_id)).toEqual(ids)
        expect(await read).toEqual(told)
        for (const id of ids) expectOneLife(told.filter((event) => 'toolUseId' in event && event.toolUseId === id))
        await runtime.dispose()
      }),
      propertyRuns(200),
    )
  },
  TIMEOUT_MS,
)

/** Queued first, ended last, started at most once and before all that only a started call can do. */
function expectOneLife(events: readonly ToolEvent[]): void {
  const types = events.map(({ type }) => type)
  expect(types[0]).toBe('call-queued')
  expect(types.at(-1)).toBe('call-ended')
  expect(types.filter((type) => type === 'call-queued' || type === 'call-ended')).toHaveLength(2)
  expect(types.filter((type) => type === 'call-started').length).toBeLessThanOrEqual(1)
  const inCall = types.findIndex((type) => IN_CALL.has(type))
  if (inCall !== -1) expect(types.indexOf('call-started')).toBeLessThan(inCall)
}

const IN_CALL: ReadonlySet<string> = new Set([
  ...['permission-asked', 'permission-decided', 'call-progressed', 'hook-reported'],
])

const ENDS = ['well', 'badly', 'when aborted', 'never', 'late', 'without result'] as const
const HOOKS = ['silent', 'allows', 'denies', 'asks', 'changes', 'breaks', 'throws', 'stops'] as const
const ANSWERS = ['allow', 'deny', 'change', 'fail', 'never', 'nonsense'] as const

interface Plan {
  readonly tool: string
  readonly end: (typeof ENDS)[number]
  readonly hook: (typeof HOOKS)[number]
  readonly answer: (typeof ANSWERS)[number]
  readonly isSafe: boolean
  readonly touches: readonly string[] | undefined
  readonly asks: boolean
  readonly pauses: boolean
}

function mostly<T>(common: readonly T[], rare: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom(...common) },
    { weight: 1, arbitrary: fc.constantFrom(...rare) },
  )
}

const plan: fc.Arbitrary<Plan> = fc.record({
  tool: mostly(['Block', 'Cancel', 'Shell', 'Slow', 'Late'], ['Denied', 'Unknown', 'Invalid']),
  end: mostly(['well'], ENDS),
  hook: mostly(['silent'], HOOKS),
  answer: mostly(['allow', 'change'], ANSWERS),
  isSafe: fc.boolean(),
  touches: fc.option(fc.array(fc.constantFrom('/x/a', '/x/b', 'x:c'), { maxLength: 2 }), { nil: undefined }),
  asks: mostly([false], [true]),
  pauses: fc.boolean(),
})

const message = fc.record({
  calls: fc.array(plan, { maxLength: 8 }),
  disturbance: mostly(['none'], ['abort', 'interrupt', 'discard', 'interrupt, then abort']),
  at: fc.nat(9),
  maxConcurrency: fc.constantFrom(1, 2, 10),
  scheduling: fc.constantFrom('resources', 'base'),
})

function blockOf(input: Plan, index: number): ToolUseBlock {
  const isInvalid = input.tool === 'Invalid'
  return {
    ...{ type: 'tool_use', id: `call-${index}` },
    name: isInvalid ? 'Shell' : input.tool,
    input: isInvalid ? { end: 5 } : input,
  }
}

function disturb(run: CallRun, disturbance: string): void {
  if (disturbance.startsWith('interrupt')) run.interrupt('wait')
  if (disturbance.endsWith('abort')) run.cancel({ type: 'aborted' })
  if (disturbance === 'discard') setImmediate(() => run.cancel({ type: 'aborted', message: 'broke off' }))
}

async function readAll(run: CallRun): Promise<readonly ToolEvent[]> {
  const events = []
  for await (const event of run) events.push(event)
  return events
}

function open(maxConcurrency: number, scheduling: 'base' | 'resources') {
  const told: ToolEvent[] = []
  const runtime = createToolRuntime({
    ...{ tools, maxConcurrency, scheduling, graceMs: 1, cwd: '/x' },
    permissions: { mode: 'default', allow: ['Block', 'Cancel', 'Shell', 'Slow', 'Late'], deny: ['Denied'] },
    hooks: {
      PreToolUse: [{ hooks: [{ type: 'function', run: answerHook }] }],
      PostToolUse: [{ hooks: [{ type: 'function', run: () => ({ decision: 'block', reason: 'seen' }) }] }],
    },
    ask: ({ input }) => answerQuestion(input as unknown as Plan),
    onEvent: (event) => told.push(event),
    ports: { shell: {} as never },
  })
  return { runtime, run: runtime.open(), told }
}

function answerHook({ tool_input }: { tool_input: Plan }): unknown {
  const decide = (permissionDecision: string, updatedInput?: object) => ({
    hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision, updatedInput },
  })
  switch (tool_input.hook) {
    case 'allows':
      return decide('allow')
    case 'denies':
      return decide('deny')
    case 'asks':
      return decide('ask')
    case 'changes':
      return decide('allow', { ...tool_input, touches: ['/x/a', '/x/new'], hook: 'silent' })
    case 'breaks':
      return decide('allow', { end: 7 })
    case 'throws':
      throw new Error('hook')
    case 'stops':
      return { continue: false, stopReason: 'enough' }
    default:
      return undefined
  }
}

async function answerQuestion(input: Plan): Promise<{ behavior: 'allow' | 'deny' }> {
  await new Promise(setImmediate)
  switch (input.answer) {
    case 'change':
      return { behavior: 'allow', ...{ updatedInput: { ...input, touches: undefined } } }
    case 'fail':
      throw new Error('nobody')
    case 'never':
      return new Promise(() => {})
    case 'nonsense':
      return 5 as never
    default:
      return { behavior: input.answer }
  }
}

const inputSchema = z.looseObject({ end: z.enum(ENDS), isSafe: z.boolean() }) as unknown as ObjectSchema<Plan & object>

/** A schema that has to be loaded. */
const lateSchema = {
  '~standard': {
    ...inputSchema['~standard'],
    validate: async (value: unknown) => {
      await new Promise(setImmediate)
      return inputSchema['~standard'].validate(value)
    },
  },
} as typeof inputSchema

function planned(over: Partial<Tool> & { name: string }): Tool {
  return buildTool({
    description: 'Does as planned',
    inputSchema,
    isConcurrencySafe: ({ isSafe }: Plan) => isSafe,
    resources: ({ touches }: Plan) => (touches === undefined ? {} : { reads: touches.slice(0, 1), writes: touches }),
    checkPermissions: (input: Plan) =>
      input.asks ? { behavior: 'ask', message: 'Really?' } : { behavior: 'allow', updatedInput: input },
    timeoutMs: () => 3,
    call: (
      { end }: Plan,
      { signal }: { signal: AbortSignal },
      _: unknown,
      __: unknown,
      onProgress?: (n: number) => void,
    ) => {
      onProgress?.(1)
      return endAs(end, signal, onProgress)
    },
    ...over,
  } as never) as Tool
}

async function endAs(
  end: Plan['end'],
  signal: AbortSignal,
  onProgress?: (n: number) => void,
): Promise<{ data: string }> {
  await new Promise(setImmediate)
  if (end === 'badly') throw new Error('badly')
  if (end === 'without result') return undefined as never
  if (end === 'never') {
    setTimeout(() => onProgress?.(2), 6)
    return new Promise(() => {})
  }
  if (end === 'late') await new Promise((resolve) => setTimeout(resolve, 2))
  if (end === 'when aborted' && !signal.aborted) {
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
  }
  return { data: end }
}

const tools: readonly Tool[] = [
  planned({ name: 'Block' }),
  planned({ name: 'Cancel', interruptBehavior: () => 'cancel' }),
  planned({ name: 'Shell', needs: ['shell'] }),
  planned({ name: 'Slow', timeoutMs: () => 1 }),
  planned({ name: 'Late', inputSchema: lateSchema }),
  planned({ name: 'Denied' }),
]
