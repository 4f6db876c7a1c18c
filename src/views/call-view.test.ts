import { expect, test } from 'vitest'
import * as z from 'zod'
import { buildTool } from '../contract/tool/build-tool.js'
import type { Tool } from '../contract/tool/tool.js'
import { builtInTools } from '../tools/index.js'
import { type CallState, describeCall } from './call-view.js'

const EveryView = buildTool({
  name: 'EveryView',
  description: 'Has a view for each state',
  inputSchema: z.object({ a: z.string() }),
  call: async ({ a }) => ({ data: a }),
  renderToolResultMessage: () => 'result',
  renderToolUseProgressMessage: () => 'progress',
  renderToolUseQueuedMessage: () => 'queued',
  renderToolUseRejectedMessage: () => 'rejected',
  renderToolUseErrorMessage: () => 'error',
})

test('each state of a call has its view', () => {
  const bodyIn = (state: CallState, output?: unknown) =>
    describeCall(
      { toolName: 'EveryView', tool: EveryView as unknown as Tool, input: {}, state, output, resultText: 'why' },
      { verbose: false },
    ).body
  expect(bodyIn('queued')).toBe('queued')
  expect(bodyIn('waiting-for-permission')).toBe('rejected')
  expect(bodyIn('running')).toBe('progress')
  expect(bodyIn('done', 'x')).toBe('result')
  expect(bodyIn('failed')).toBe('error')
  // A failed command has an output, which is more useful than the error.
  expect(bodyIn('failed', 'x')).toBe('result')
})

test('a view that throws or is invalid is replaced by the default', () => {
  const tool = buildTool({
    ...{ name: 'Broken', description: 'd', inputSchema: z.object({ a: z.string() }), call: async () => ({ data: 1 }) },
    renderToolUseMessage: () => {
      throw new Error('partial input')
    },
    renderToolResultMessage: () => ({ $$typeof: 'element' }) as never,
    getToolUseSummary: () => 'x'.repeat(200),
  }) as unknown as Tool
  const { body, summary } = describeCall(
    { toolName: 'Broken', tool, input: {}, output: 1, resultText: 'text', state: 'done' },
    { verbose: false },
  )
  expect(body).toBe('text')
  expect(summary).toHaveLength(50)
})

test('every built-in tool has a title, even for a call without input', () => {
  const titledTools = builtInTools.filter((tool) =>
    JSON.stringify(
      describeCall({ toolName: tool.name, tool, input: {}, state: 'running' }, { verbose: false }).title,
    ).includes('"text"'),
  )
  expect(titledTools).toHaveLength(builtInTools.length)
})
