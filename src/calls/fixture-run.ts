import * as z from 'zod'
import type { ToolUseBlock } from '../contract/messages.js'
import type { ToolResources } from '../contract/resources.js'
import { buildTool } from '../contract/tool/build-tool.js'
import type { Tool } from '../contract/tool/tool.js'
import type { FixtureClock } from './fixture-clock.js'

/** What a fixture call is told to do. */
export interface Told {
  /** How long it takes, on the fixture clock. */
  readonly ms?: number
  readonly resources?: ToolResources
  readonly isSafe?: boolean
  readonly text?: string
  readonly fails?: boolean
}

const told = z.looseObject({}) as unknown as z.ZodType<Told & Record<string, unknown>>

/** A tool that takes its time and does as its input says. */
export function timedTool(clock: FixtureClock, over: Partial<Tool> & { name?: string } = {}): Tool {
  return buildTool({
    name: 'Timed',
    description: 'Takes its time',
    inputSchema: told,
    isConcurrencySafe: ({ isSafe }: Told) => isSafe === true,
    resources: ({ resources }: Told) => resources ?? {},
    interruptBehavior: () => 'cancel',
    async call({ ms = 1, text = 'done', fails }: Told, { signal }: { signal: AbortSignal }) {
      await clock.sleep(ms, signal)
      if (fails === true) throw new Error('told to fail')
      return { data: text }
    },
    mapToolResultToToolResultBlockParam: (content: string, id: string) => ({
      type: 'tool_result',
      tool_use_id: id,
      content,
    }),
    ...over,
  } as never) as Tool
}

/** Calls of a tool, numbered from 0. */
export function callsOf(inputs: readonly Told[], name = 'Timed'): ToolUseBlock[] {
  return inputs.map((input, index) => ({ type: 'tool_use', id: `call-${index}`, name, input }))
}
