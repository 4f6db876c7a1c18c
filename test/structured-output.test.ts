import { expect, test } from 'vitest'
import { readStructuredOutput } from '../src/contract/attachments.js'
import { createToolRuntime } from '../src/runtime/create-tool-runtime.js'
import { builtInTools } from '../src/tools/index.js'
import { createStructuredOutputTool } from '../src/tools/structured-output/tool.js'
import { call, textOf } from './runtime-fixtures.js'

const schema = {
  type: 'object',
  properties: { title: { type: 'string' }, stars: { type: 'integer', maximum: 5 } },
  required: ['title', 'stars'],
  additionalProperties: false,
}

test('StructuredOutput exists only if a host adds it, after the built-in tools', async () => {
  const plainRuntime = createToolRuntime({ tools: builtInTools })
  const tools = [createStructuredOutputTool(schema)]
  const extendedRuntime = createToolRuntime({
    tools: builtInTools,
    mcpTools: () => tools,
    permissions: { mode: 'plan' },
  })
  const [plainDefinitions, extendedDefinitions] = await Promise.all([
    plainRuntime.definitions(),
    extendedRuntime.definitions(),
  ])

  expect(plainDefinitions.map(({ name }) => name)).not.toContain('StructuredOutput')
  expect(extendedDefinitions.slice(0, -1)).toEqual(plainDefinitions)
  expect(extendedDefinitions.at(-1)).toMatchObject({ name: 'StructuredOutput', input_schema: schema })
  await Promise.all([plainRuntime.dispose(), extendedRuntime.dispose()])
})

test('an invalid answer gets one line for each mistake, and a valid one is accepted', async () => {
  const tools = [createStructuredOutputTool(schema)]
  const runtime = createToolRuntime({ tools: builtInTools, mcpTools: () => tools, permissions: { mode: 'dontAsk' } })

  const invalidRun = runtime.run([call('StructuredOutput', { stars: 9, x: 1 })])
  expect(
    textOf((await invalidRun.results)[0])
      .split('\n')
      .slice(1)
      .sort(),
  ).toEqual(['- stars: must be <= 5, received 9', '- title: is missing', '- x: is not a parameter of this tool'])
  expect(readStructuredOutput(await invalidRun.newMessages)).toBeUndefined()

  // Models often send a number as text.
  const validRun = runtime.run([call('StructuredOutput', { title: 'Haft', stars: '5' })])
  expect((await validRun.results)[0]?.is_error).toBeUndefined()
  expect(readStructuredOutput(await validRun.newMessages)).toEqual({ value: { title: 'Haft', stars: 5 } })

  const [ofSubAgent] = await runtime.fork().run([call('StructuredOutput', { title: 'Haft', stars: 5 })]).results
  expect(textOf(ofSubAgent)).toContain('Answer in plain text')
  await runtime.dispose()
})
