import { expect, test } from 'vitest'
import * as z from 'zod'
import { createFixtureMcpTool } from '../../testing/fixture-mcp-tool.js'
import { Cancellation } from '../cancellation.js'
import { createFixtureTool, FixtureHost, type FixtureOptions, waitForever } from '../fixture-host.js'

const replaceOutput = (updatedToolOutput: unknown) => () => ({ hookSpecificOutput: { updatedToolOutput } })
const outputSchema = z.strictObject({ lines: z.array(z.string()) })
const LinesTool = createFixtureTool({
  name: 'Lines',
  outputSchema,
  call: async () => ({ data: { lines: ['secret'] } }),
})
const Remote = Object.freeze({ ...createFixtureMcpTool('server', 'lines'), outputSchema })
const remoteCall = { name: 'mcp__server__lines', input: { query: 'x' } }

const run = (options: FixtureOptions, name = 'Lines', input: unknown = { text: 'x' }) =>
  new FixtureHost({ tools: [LinesTool, Remote], allow: ['mcp__server'], ...options }).run(name, input)

test.each([
  ['a built-in tool', 'Lines', { text: 'x' }],
  ['an MCP tool', remoteCall.name, remoteCall.input],
])('a hook replaces the output of %s', async (_, name, input) => {
  const { block } = await run({ hooks: { PostToolUse: replaceOutput({ lines: ['***'] }) } }, name, input)

  expect(block.content).toBe('{"lines":["***"]}')
})

test.each([
  ['a built-in tool', 'Lines', { text: 'x' }],
  ['an MCP tool', remoteCall.name, remoteCall.input],
])(
  'the output of %s is withheld if a hook replaces it with one that does not match the output schema',
  async (_, name, input) => {
    const { block, error } = await run({ hooks: { PostToolUse: replaceOutput({ lines: [5] }) } }, name, input)

    expect(error?.code).toBe('output_invalid')
    expect(block).toMatchObject({ is_error: true, content: expect.stringContaining('lines.0: expected string') })
    expect(JSON.stringify(block)).not.toContain('secret')
  },
)

test.each([
  ['throws', () => JSON.parse('{')],
  ['rejects', async () => JSON.parse('{')],
  ['returns undefined', () => undefined],
])('an output replaced by a hook is withheld if the output schema %s', async (_, validate) => {
  const brokenSchema = { '~standard': { version: 1, vendor: 'test', validate } } as never
  const { error } = await run({
    tools: [Object.freeze({ ...LinesTool, outputSchema: brokenSchema })],
    hooks: { PostToolUse: replaceOutput({ lines: [] }) },
  })

  expect(error?.code).toBe('output_invalid')
})

test('without an output schema, a hook may return any output', async () => {
  const { block } = await run({ tools: [createFixtureTool()], hooks: { PostToolUse: replaceOutput('other') } }, 'Echo')

  expect(block.content).toBe('other')
})

test('hooks see the output of a call, and their feedback is appended', async () => {
  let toolResponse: unknown
  const { block, stop } = await run({
    hooks: {
      PostToolUse: (payload) => {
        toolResponse = payload.tool_response
        return { decision: 'block', reason: 'Run the tests.', continue: false, stopReason: 'enough' }
      },
    },
  })

  expect(toolResponse).toEqual({ lines: ['secret'] })
  expect(block.content).toBe('{"lines":["secret"]}\n\n<hook-feedback>\nRun the tests.\nenough\n</hook-feedback>')
  expect(stop).toBe('enough')
})

test('the result of a call is withheld if its hooks did not finish', async () => {
  const cancellation = new Cancellation(1)
  const host = new FixtureHost({
    tools: [LinesTool],
    hooks: {
      PostToolUse: () => {
        queueMicrotask(() => cancellation.cancel({ type: 'interrupted' }))
        return waitForever()
      },
    },
  })

  const { code, text } = await host.getRefusal('Lines', { text: 'x' }, { cancellation })

  expect(code).toBe('cancelled')
  expect(text).toBe(
    'The user cancelled Lines. It had finished, but its result is withheld because the checks after the call did not complete.',
  )
})

test('hooks after a call run even if the tool aborted its own signal', async () => {
  const tool = createFixtureTool({
    call: async (_, { abortController }) => {
      abortController.abort()
      return { data: 'secret' }
    },
  })

  const { block } = await run({ tools: [tool], hooks: { PostToolUse: replaceOutput('***') } }, 'Echo')

  expect(block.content).toBe('***')
})

test('after a failed call only the failure hooks run, and their feedback is appended', async () => {
  const events: string[] = []
  const tool = createFixtureTool({
    call: async () => {
      throw new Error('disk full')
    },
  })
  const hooks = {
    PostToolUse: () => void events.push('post'),
    PostToolUseFailure: (payload: Readonly<Record<string, unknown>>) => {
      events.push(String(payload.error))
      return { hookSpecificOutput: { additionalContext: 'Free some space.' } }
    },
  }

  const { block } = await run({ tools: [tool], hooks }, 'Echo')

  expect(events).toEqual(['disk full'])
  expect(block).toEqual({
    type: 'tool_result',
    tool_use_id: 'toolu_1',
    content: 'disk full\n\n<hook-feedback>\nFree some space.\n</hook-feedback>',
    is_error: true,
  })
})

test('failure hooks do not run if a hook replaces the output with an invalid one', async () => {
  const failures: unknown[] = []
  await run({ hooks: { PostToolUse: replaceOutput(5), PostToolUseFailure: (payload) => void failures.push(payload) } })

  expect(failures).toEqual([])
})

test('failure hooks do not run after a denied call', async () => {
  const failures: unknown[] = []
  await run({ deny: ['Lines'], hooks: { PostToolUseFailure: (payload) => void failures.push(payload) } })

  expect(failures).toEqual([])
})
