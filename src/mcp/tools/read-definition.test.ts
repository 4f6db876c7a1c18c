import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { readDefinitions } from './read-definition.js'

const readSingleDefinition = (entry: object) =>
  readDefinitions([{ name: 'tool', inputSchema: { type: 'object' }, ...entry }])
const readDefinition = (entry: object) => readSingleDefinition(entry).definitions[0]
const findRefusalReason = (inputSchema: unknown) => readSingleDefinition({ inputSchema }).refused[0]?.reason
const createSchemaWithProperty = (schema: object) => ({ type: 'object', properties: { a: schema } })

test('the schemas of an MCP tool are kept unchanged', () => {
  const inputSchema = {
    type: 'object',
    $schema: 'http://json-schema.org/draft-07/schema#',
    'x-own': [1],
    properties: {},
  }

  expect(readDefinition({ inputSchema })?.inputSchema).toBe(inputSchema)
})

test('a long description of an MCP tool is shortened to 2,048 characters without splitting a character', () => {
  expect(readDefinition({ description: 'x'.repeat(3_000) })?.description).toHaveLength(2_048)
  expect(readDefinition({ description: '🙂'.repeat(2_000) })?.description).toMatch(/^🙂+…$/u)
  expect(readDefinition({ description: 'x'.repeat(2_048) })?.description).toBe('x'.repeat(2_048))
})

test('invisible characters and terminal codes are removed from an MCP tool definition', () => {
  const textWithHiddenCharacters = '\u001b[2J\u001b]0;title\u0007Adds\u202e two\u200b numbers\u{e0041}\u{e0042}'

  expect(readDefinition({ description: textWithHiddenCharacters, title: textWithHiddenCharacters })).toMatchObject({
    description: 'Adds two numbers',
    title: 'Adds two numbers',
  })
  expect(readSingleDefinition({ name: 'ba\u200bsh' }).refused).toEqual([
    { name: 'bash', reason: 'its name contains invisible characters' },
  ])
})

test.each([
  [{}, { readOnly: false, destructive: true, openWorld: true }],
  [{ readOnlyHint: true }, { readOnly: true, destructive: false, openWorld: true }],
  [
    { readOnlyHint: 'yes', openWorldHint: 0 },
    { readOnly: false, destructive: true, openWorld: true },
  ],
  [
    { destructiveHint: false, openWorldHint: false },
    { readOnly: false, destructive: false, openWorld: false },
  ],
  [
    { readOnlyHint: true, destructiveHint: true },
    { readOnly: true, destructive: true, openWorld: true },
  ],
])('the hints %j are read as %j: a missing or invalid hint counts as the worst case', (annotations, hints) => {
  expect(readDefinition({ annotations })?.hints).toEqual(hints)
})

test('the search hint and always-load flag of an MCP tool are read from _meta', () => {
  const _meta = { 'anthropic/searchHint': 'add\ntwo numbers', 'anthropic/alwaysLoad': true }

  expect(readDefinition({ _meta })).toMatchObject({ searchHint: 'add two numbers', alwaysLoad: true })
  expect(readDefinition({ _meta: { 'anthropic/alwaysLoad': 'true' } })).toMatchObject({ alwaysLoad: false })
})

test.each([
  [undefined, 'its input schema is not an object'],
  [{}, 'its input schema lacks "type": "object"'],
  [{ type: 'array' }, 'its input schema has the type "array" instead of "object"'],
  [{ type: 'object', properties: [] }, 'its schema at "/properties" is not an object'],
  [{ type: 'object', required: 'a' }, 'its schema at "/required" is not a list of names'],
  [
    createSchemaWithProperty({ type: 'text' }),
    'its schema at "/properties/a" has the type "text", which is not a JSON Schema type',
  ],
  [
    createSchemaWithProperty({ type: [] }),
    'its schema at "/properties/a" has the type "[]", which is not a JSON Schema type',
  ],
  [createSchemaWithProperty({ anyOf: {} }), 'its schema at "/properties/a/anyOf" is not a list'],
  [createSchemaWithProperty({ items: 5 }), 'its schema at "/properties/a/items" is "5" instead of a schema'],
  [
    createSchemaWithProperty({ pattern: '(' }),
    expect.stringContaining('its schema at "/properties/a/pattern" is invalid'),
  ],
  [
    { type: 'object', properties: { $where: {} }, propertyNames: {} },
    expect.stringContaining('its schema has a property "$where", a name that providers reject and that cannot'),
  ],
  [createSchemaWithProperty({ $ref: 'https://example.com/a.json' }), expect.stringContaining('which does not exist')],
  [
    {
      ...createSchemaWithProperty({ $ref: '#/$defs/b' }),
      $defs: { b: { $ref: '#/$defs/c' }, c: { $ref: '#/$defs/b' } },
    },
    expect.stringContaining('circular'),
  ],
  [
    createSchemaWithProperty({ type: 'number', 'x-mcp-header': 'A' }),
    expect.stringContaining('not a string, integer or boolean'),
  ],
  [
    createSchemaWithProperty({ items: { type: 'string', 'x-mcp-header': 'A' } }),
    expect.stringContaining('outside a plain property'),
  ],
])('an MCP tool with the input schema %j is refused', (schema, expected) => {
  expect(findRefusalReason(schema)).toEqual(expected)
})

test.each([
  [{ type: 'object' }],
  [{ type: 'object', properties: { $where: {} } }],
  [createSchemaWithProperty({ properties: { $meta: {} } })],
  [createSchemaWithProperty({ type: ['string', 'null'], pattern: '^a$', enum: ['a'] })],
  [
    {
      ...createSchemaWithProperty({ $ref: '#/$defs/tree' }),
      $defs: { tree: createSchemaWithProperty({ $ref: '#/$defs/tree' }) },
    },
  ],
  [{ ...createSchemaWithProperty({ $ref: '#' }), additionalProperties: false }],
  [{ ...createSchemaWithProperty({ $ref: '#/definitions/a~1b%20c' }), definitions: { 'a/b c': true } }],
  [createSchemaWithProperty({ type: 'string', 'x-mcp-header': 'Region' })],
  [createSchemaWithProperty({ default: { 'x-mcp-header': 5, $ref: 'nowhere' } })],
])('an MCP tool with the input schema %j is accepted', (schema) => {
  expect(findRefusalReason(schema)).toBeUndefined()
})

test('an MCP tool with an invalid output schema is refused', () => {
  expect(readSingleDefinition({ outputSchema: { type: 'nothing' } }).refused[0]?.reason).toContain(
    'output schema: its schema has the type',
  )
})

test('every entry of any tool list is accepted or refused with a reason', () => {
  const schema = fc.oneof(
    fc.json().map((text) => JSON.parse(text)),
    fc.constant({ type: 'object' }),
  )
  const entry = fc.oneof(
    fc.json().map((text) => JSON.parse(text)),
    fc.record(
      { name: fc.string(), inputSchema: schema, outputSchema: schema, annotations: schema, _meta: schema },
      { requiredKeys: [] },
    ),
  )
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      const { definitions, refused } = readDefinitions(entries)
      expect(definitions.length + refused.length).toBe(entries.length)
      expect(refused.every(({ reason }) => reason !== '')).toBe(true)
    }),
    createPropertyOptions(300),
  )
})
