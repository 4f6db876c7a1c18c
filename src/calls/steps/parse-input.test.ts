import { expect, test } from 'vitest'
import * as z from 'zod'
import { lazySchema, type StandardSchema } from '../../contract/schema.js'
import type { Tool } from '../../contract/tool/tool.js'
import { createFixtureMcpTool } from '../../testing/fixture-mcp-tool.js'
import { createFixtureTool } from '../fixture-host.js'
import { parseToolInput } from './parse-input.js'

async function parse(tool: Tool, input: unknown, isSchemaSent = () => true) {
  return parseToolInput(tool, input, { isSchemaSent })
}

const getFailure = (tool: Tool, input: unknown, isSchemaSent = () => true) =>
  parse(tool, input, isSchemaSent).then(
    () => ({ code: 'none', message: '' }),
    ({ code, message }) => ({ code, message }),
  )

const Search = createFixtureTool({
  name: 'Search',
  inputSchema: z.strictObject({
    query: z.string().min(2),
    limit: z.number().int().optional(),
    kinds: z.array(z.enum(['file', 'folder'])).optional(),
  }),
})

test('a valid input needs no repair', async () => {
  expect(await parse(Search, { query: 'cat', limit: 5 })).toEqual({ input: { query: 'cat', limit: 5 }, repairs: [] })
})

test('each issue has one line with path, expected and received value', async () => {
  const input = { query: 'x', limit: true, kinds: ['file', 7], colour: 'red' }

  expect(await getFailure(Search, input)).toEqual({
    code: 'input_invalid',
    message: [
      'InputValidationError: the input of Search does not match its schema:',
      '- query: Too small: expected string to have >=2 characters, received "x"',
      '- limit: expected number, received boolean',
      '- kinds.1: Invalid option: expected one of "file"|"folder", received 7',
      '- input: Unrecognized key: "colour"',
    ].join('\n'),
  })
})

test('an absent parameter is reported as missing', async () => {
  expect((await getFailure(Search, {})).message).toContain('- query: is missing, expected string')
})

test.each([[null], [undefined], ['text'], [[]], [7]])(
  'the input %j is refused because it is not an object',
  async (input) => {
    expect((await getFailure(Search, input)).code).toBe('input_invalid')
  },
)

test('the error for an input with a thousand issues is short', async () => {
  const { message } = await getFailure(Search, { query: 'cat', kinds: Array(1000).fill('x'.repeat(10_000)) })

  expect(message.split('\n')).toHaveLength(22)
  expect(message).toContain('- and 980 more')
  expect(message.length).toBeLessThan(8_000)
})

test('the error for a deferred tool whose schema was not sent says how to load it', async () => {
  const { code, message } = await getFailure(Search, { q: 'cat' }, () => false)

  expect(code).toBe('tool_not_loaded')
  expect(message).toContain(
    'The schema of Search was never sent to you. Load it first with ToolSearch, query "select:Search", then call again.',
  )
})

test('a valid input for a deferred tool is accepted', async () => {
  expect((await parse(Search, { query: 'cat' }, () => false)).input).toEqual({ query: 'cat' })
})

test('a value sent as JSON text is decoded, and the repair is recorded', async () => {
  expect(await parse(Search, { query: 'cat', limit: '5', kinds: '["file"]' })).toEqual({
    input: { query: 'cat', limit: 5, kinds: ['file'] },
    repairs: ['limit', 'kinds'],
  })
})

test('the input of a strict tool is not repaired', async () => {
  const strictTool = createFixtureTool({ strict: true, inputSchema: z.strictObject({ limit: z.number() }) })

  expect((await getFailure(strictTool, { limit: '5' })).message).toContain('limit: expected number, received string')
})

test('a strict schema refuses an internal field', async () => {
  const { code, message } = await getFailure(createFixtureTool(), { text: 'x', _simulatedSedEdit: { filePath: 'a' } })

  expect(code).toBe('input_invalid')
  expect(message).toContain('Unrecognized key: "_simulatedSedEdit"')
})

test.each([
  ['a loose schema', createFixtureTool({ inputSchema: z.looseObject({}) })],
  ['a JSON Schema that allows any field', createFixtureMcpTool('server', 'tool', { schema: { type: 'object' } })],
])('an internal field is stripped from an input with %s', async (_, tool) => {
  expect((await parse(tool, { command: 'x', _simulatedSedEdit: {} })).input).toEqual({ command: 'x' })
})

test('an internal field cannot be set through a prototype or JSON text', async () => {
  const tool = createFixtureTool({ inputSchema: z.looseObject({}) })
  const inputWithPrototype = JSON.parse('{"command":"x","__proto__":{"_simulatedSedEdit":{}}}')

  expect('_simulatedSedEdit' in (await parse(tool, inputWithPrototype)).input).toBe(false)
  expect('_simulatedSedEdit' in (await parse(tool, '{"_simulatedSedEdit":{}}')).input).toBe(false)
})

const createStandardSchema = (validate: (value: unknown) => unknown) =>
  ({ '~standard': { version: 1, vendor: 'test', validate } }) as unknown as StandardSchema<unknown, object>

test.each([
  ['throws', createStandardSchema(() => JSON.parse('{'))],
  ['rejects', createStandardSchema(async () => JSON.parse('{'))],
  ['returns undefined', createStandardSchema(() => undefined)],
  ['returns a string', createStandardSchema(() => ({ value: 'x' }))],
  ['returns an array', createStandardSchema(() => ({ value: [] }))],
  ['cannot be built', lazySchema(() => JSON.parse('{'))],
])('an input whose schema %s is refused', async (_, inputSchema) => {
  const { code, message } = await getFailure(createFixtureTool({ inputSchema: inputSchema as Tool['inputSchema'] }), {})

  expect(code).toBe('input_invalid')
  expect(message).toContain('InputValidationError: the schema of Echo cannot be used')
})

test('a schema may be asynchronous and return any thenable', async () => {
  const thenableSchema = createStandardSchema((value) =>
    Object.fromEntries([['then', (done: (result: unknown) => void) => done({ value })]]),
  )

  expect(
    (await parse(createFixtureTool({ inputSchema: thenableSchema as Tool['inputSchema'] }), { a: 1 })).input,
  ).toEqual({
    a: 1,
  })
})

test('malformed issues of a schema still produce an error message', async () => {
  const malformedSchema = createStandardSchema(() => ({
    issues: [{ path: [null, { key: Symbol('k') }], message: 5 }, { path: 7 }],
  }))

  expect((await getFailure(createFixtureTool({ inputSchema: malformedSchema as Tool['inputSchema'] }), {})).code).toBe(
    'input_invalid',
  )
})

test('an input that is nested too deeply for the schema is refused', async () => {
  interface Tree {
    readonly child?: Tree | undefined
  }
  const tree: z.ZodType<Tree> = z.lazy(() => z.object({ child: tree.optional() }))
  let deepInput = {}
  for (let depth = 0; depth < 100_000; depth++) deepInput = { child: deepInput }

  expect(
    (await getFailure(createFixtureTool({ inputSchema: tree as unknown as Tool['inputSchema'] }), deepInput)).code,
  ).toBe('input_invalid')
})

test.each([
  ['{"query": "cat" "limit": 5}', 'expected "," or "}", at character 17 of 27, after "{\\"query\\": \\"cat\\" "'],
  ['{"query": "cat', 'the text ends inside a string, at character 15 of 14, after "{\\"query\\": \\"cat"'],
])('the input %j is reported as invalid JSON, with the place', async (input, problem) => {
  expect(await getFailure(Search, input)).toEqual({
    code: 'input_invalid',
    message: `InputValidationError: the input of Search is not valid JSON: ${problem}. Nothing ran. Send the whole input again as one valid JSON object.`,
  })
})
