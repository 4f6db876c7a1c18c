import fc from 'fast-check'
import { test } from 'vitest'
import * as z from 'zod'
import type { ToolUseBlock } from '../contract/messages.js'
import type { ObjectSchema } from '../contract/schema.js'
import { buildTool } from '../contract/tool/build-tool.js'
import type { Tool } from '../contract/tool/tool.js'
import {
  type CallConditions,
  type CallFixture,
  callConditions,
  createPlannedMessages,
  expectOneResultEach,
  pickMostlyFrom,
} from '../testing/files/one-result.js'
import { createPropertyOptions } from '../testing/property-runs.js'

const TIMEOUT_MS = 900_000

test(
  'each call has one result, in call order, and is queued and ended once, whatever happens',
  async () => {
    await fc.assert(
      fc.asyncProperty(createPlannedMessages(plan), (message) => expectOneResultEach(fixture, message)),
      createPropertyOptions(200),
    )
  },
  TIMEOUT_MS,
)

const CALL_ENDS = ['well', 'badly', 'when aborted', 'never', 'late', 'without result'] as const

interface CallPlan extends CallConditions {
  readonly tool: string
  readonly end: (typeof CALL_ENDS)[number]
  readonly isSafe: boolean
  readonly touches: readonly string[] | undefined
  readonly needsApproval: boolean
}

const plan: fc.Arbitrary<CallPlan> = fc.record({
  ...callConditions,
  tool: pickMostlyFrom(['Block', 'Cancel', 'Shell', 'Slow', 'Late'], ['Denied', 'Unknown', 'Invalid']),
  end: pickMostlyFrom(['well'], CALL_ENDS),
  isSafe: fc.boolean(),
  touches: fc.option(fc.array(fc.constantFrom('/x/a', '/x/b', 'x:c'), { maxLength: 2 }), { nil: undefined }),
  needsApproval: pickMostlyFrom([false], [true]),
})

function createBlock(input: CallPlan, index: number): ToolUseBlock {
  const isInvalid = input.tool === 'Invalid'
  return {
    ...{ type: 'tool_use', id: `call-${index}` },
    name: isInvalid ? 'Shell' : input.tool,
    input: isInvalid ? { end: 5 } : input,
  }
}

const inputSchema = z.looseObject({ end: z.enum(CALL_ENDS), isSafe: z.boolean() }) as unknown as ObjectSchema<
  CallPlan & object
>

const lateSchema = {
  '~standard': {
    ...inputSchema['~standard'],
    validate: async (value: unknown) => {
      await new Promise(setImmediate)
      return inputSchema['~standard'].validate(value)
    },
  },
} as typeof inputSchema

function createPlannedTool(overrides: Partial<Tool> & { name: string }): Tool {
  return buildTool({
    description: 'Does as planned',
    inputSchema,
    isConcurrencySafe: ({ isSafe }: CallPlan) => isSafe,
    resources: ({ touches }: CallPlan) => {
      const paths = touches?.map((path) => ({ path }))
      return paths === undefined ? {} : { reads: paths.slice(0, 1), writes: paths }
    },
    checkPermissions: (input: CallPlan) =>
      input.needsApproval ? { behavior: 'ask', message: 'Really?' } : { behavior: 'allow', updatedInput: input },
    timeoutMs: () => 3,
    call: (
      { end }: CallPlan,
      { signal }: { signal: AbortSignal },
      _: unknown,
      __: unknown,
      onProgress?: (n: number) => void,
    ) => {
      onProgress?.(1)
      return endAs(end, signal, onProgress)
    },
    ...overrides,
  } as never) as Tool
}

async function endAs(
  end: CallPlan['end'],
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
  createPlannedTool({ name: 'Block' }),
  createPlannedTool({ name: 'Cancel', interruptBehavior: () => 'cancel' }),
  createPlannedTool({ name: 'Shell', needs: ['shell'] }),
  createPlannedTool({ name: 'Slow', timeoutMs: () => 1 }),
  createPlannedTool({ name: 'Late', inputSchema: lateSchema }),
  createPlannedTool({ name: 'Denied' }),
]

const fixture: CallFixture<CallPlan> = {
  options: {
    ...{ tools, cwd: '/x', scheduling: { graceMs: 1 } },
    permissions: { mode: 'default', allow: ['Block', 'Cancel', 'Shell', 'Slow', 'Late'], deny: ['Denied'] },
    ports: { shell: {} as never },
  },
  createBlock,
  changeInput: (input, by) => ({ ...input, touches: by === 'hook' ? ['/x/a', '/x/new'] : undefined }),
  invalidInput: { end: 7 },
}
