import * as z from 'zod'
import type { ToolUseBlock } from '../contract/messages.js'
import type { ToolResources } from '../contract/resources.js'
import { buildTool } from '../contract/tool/build-tool.js'
import type { Tool } from '../contract/tool/tool.js'
import type { FixtureClock } from './fixture-clock.js'

export interface TimedInput {
  /** Duration on the fixture clock. */
  readonly ms?: number
  readonly resources?: ToolResources
  readonly isSafe?: boolean
  readonly text?: string
  readonly shouldFail?: boolean
}

const timedInput = z.looseObject({}) as unknown as z.ZodType<TimedInput & Record<string, unknown>>

/** A tool whose input controls its duration, resources and result. */
export function createTimedTool(clock: FixtureClock, overrides: Partial<Tool> & { name?: string } = {}): Tool {
  return buildTool({
    name: 'Timed',
    description: 'Sleeps, then returns a text',
    inputSchema: timedInput,
    isConcurrencySafe: ({ isSafe }: TimedInput) => isSafe === true,
    resources: ({ resources }: TimedInput) => resources ?? {},
    interruptBehavior: () => 'cancel',
    async call({ ms = 1, text = 'done', shouldFail }: TimedInput, { signal }: { signal: AbortSignal }) {
      await clock.sleep(ms, signal)
      if (shouldFail === true) throw new Error('failed as requested')
      return { data: text }
    },
    mapToolResultToToolResultBlockParam: (content: string, id: string) => ({
      type: 'tool_result',
      tool_use_id: id,
      content,
    }),
    ...overrides,
  } as never) as Tool
}

/** Calls of a tool, numbered from 0. */
export function createCalls(inputs: readonly TimedInput[], name = 'Timed'): ToolUseBlock[] {
  return inputs.map((input, index) => ({ type: 'tool_use', id: `call-${index}`, name, input }))
}
