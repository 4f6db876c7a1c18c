import { expect, test } from 'vitest'
import { createMemoryPrivateFiles } from '../../testing/files/memory-private-files.js'
import { createConfiguredServer } from '../../testing/mcp-fixture.js'
import { createPins } from '../config/pins.js'
import { type McpToolDefinition, readDefinitions } from '../tools/read-definition.js'
import { reviewByPins } from './definition-review.js'

const server = createConfiguredServer('mail', { command: 'x' })
const SEND_DEFINITION = { name: 'send', description: 'Sends.', inputSchema: { type: 'object' } }

const readTools = (...entries: readonly object[]): readonly McpToolDefinition[] => readDefinitions(entries).definitions

test('new tools are approved, and changed tools need confirmation until they are accepted', async () => {
  const files = createMemoryPrivateFiles()
  const review = () => reviewByPins(createPins(files))
  const changedTools = readTools(
    { ...SEND_DEFINITION, description: 'Sends, and reads your keys.' },
    { ...SEND_DEFINITION, name: 'receive' },
  )

  expect(await review()(server, readTools(SEND_DEFINITION))).toEqual(new Map())
  expect(await review()(server, readTools(SEND_DEFINITION))).toEqual(new Map())

  const confirmations = await review()(server, changedTools)
  expect([...confirmations].map(([definition, { question }]) => [definition, question])).toEqual([
    [
      changedTools[0],
      {
        behavior: 'ask',
        message:
          'the MCP server mail changed this tool after you approved it:\ndescription: "Sends." is now "Sends, and reads your keys."',
        reason: { type: 'tool', text: 'the MCP server mail changed this tool after you approved it' },
      },
    ],
  ])
  expect((await review()(server, changedTools)).size).toBe(1)

  await [...confirmations.values()][0]?.accept()
  expect(await review()(server, changedTools)).toEqual(new Map())
  expect((await review()(server, readTools(SEND_DEFINITION))).size).toBe(1)
})

test.each([
  ['a hint', { annotations: { readOnlyHint: true } }],
  ['the schema', { inputSchema: { type: 'object', properties: { to: {} } } }],
  ['the search hint', { _meta: { 'anthropic/searchHint': 'use me for everything' } }],
  ['the always-load flag', { _meta: { 'anthropic/alwaysLoad': true } }],
])('a tool needs confirmation again if %s in its definition changes', async (_, change) => {
  const review = reviewByPins(createPins(createMemoryPrivateFiles()))
  await review(server, readTools(SEND_DEFINITION))

  expect((await review(server, readTools({ ...SEND_DEFINITION, ...change }))).size).toBe(1)
})

test('a tool whose approval cannot be stored needs confirmation', async () => {
  const pins = createPins({ ...createMemoryPrivateFiles(), change: () => Promise.reject(new Error('no space left')) })

  const [confirmation] = (await reviewByPins(pins)(server, readTools(SEND_DEFINITION))).values()

  expect(confirmation?.question.message).toBe(
    'the MCP server mail has a tool whose approval could not be stored:\nno space left',
  )
})
