import { expect, test } from 'vitest'
import { createJsonSchemaValidator, runWithTimeout } from './json-schema-validator.js'

const findIssues = async (schema: Record<string, unknown>, value: unknown) => {
  const { issues = [] } = (await createJsonSchemaValidator(schema))(value)
  return issues.map(({ path = [], message }) => `${path.join('.')}: ${message}`)
}

test('a valid input is returned unchanged', async () => {
  const schema = { type: 'object', properties: { query: { type: 'string', default: 'x' }, n: { type: 'number' } } }
  const input = { n: 5, other: true }

  expect((await createJsonSchemaValidator(schema))(input)).toEqual({ value: { n: 5, other: true } })
})

test('each issue of an invalid input has a path and a message', async () => {
  const schema = {
    type: 'object',
    properties: { query: { type: 'string' }, kind: { enum: ['a', 'b'] }, list: { items: { type: 'integer' } } },
    required: ['query'],
    additionalProperties: false,
  }

  expect(await findIssues(schema, { kind: 'c', list: [1, 1.5], 'odd/name~': 1 })).toEqual([
    'query: is missing',
    'odd/name~: is not a parameter of this tool',
    'kind: must be one of ["a","b"]',
    'list.1: must be integer',
  ])
})

test('tuples follow the draft that the schema declares', async () => {
  const draft7 = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { pair: { items: [{ type: 'string' }, { type: 'number' }] } },
  }
  const draft2020 = {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    type: 'object',
    properties: { pair: { prefixItems: [{ type: 'string' }, { type: 'number' }] } },
  }

  expect(await findIssues(draft7, { pair: ['a', 'b'] })).toEqual(['pair.1: must be number'])
  expect(await findIssues(draft2020, { pair: ['a', 'b'] })).toEqual(['pair.1: must be number'])
})

test('a schema without a declared draft is read as 2020-12, or as draft-07 if it is invalid in 2020-12', async () => {
  const modernSchema = { type: 'object', properties: { pair: { prefixItems: [{ type: 'string' }], items: false } } }
  const old = { type: 'object', properties: { pair: { items: [{ type: 'string' }], additionalItems: false } } }

  expect(await findIssues(modernSchema, { pair: ['a', 'b'] })).toEqual(['pair: must NOT have more than 1 items'])
  expect(await findIssues(old, { pair: ['a', 'b'] })).toEqual(['pair: must NOT have more than 1 items'])
})

test('an unevaluated property of 2020-12 is reported as an unknown parameter', async () => {
  const schema = { type: 'object', allOf: [{ properties: { a: {} } }], unevaluatedProperties: false }

  expect(await findIssues(schema, { a: 1, b: 2 })).toEqual(['b: is not a parameter of this tool'])
})

test('an inherited property counts as missing', async () => {
  expect(await findIssues({ type: 'object', required: ['toString'] }, {})).toEqual(['toString: is missing'])
})

test('unknown keywords and formats are ignored', async () => {
  const schema = { type: 'object', 'x-own': 1, properties: { at: { type: 'string', format: 'unknown-format' } } }

  expect(await findIssues(schema, { at: 'now' })).toEqual([])
})

test.each<[string, Record<string, unknown>]>([
  ['a type that does not exist', { type: 'object', properties: { a: { type: 'strnig' } } }],
  ['a dangling reference', { type: 'object', properties: { a: { $ref: '#/$defs/none' } } }],
  ['a reference to another host', { type: 'object', properties: { a: { $ref: 'https://example.com/s.json' } } }],
  ['an invalid pattern', { type: 'object', properties: { a: { pattern: '(' } } }],
])('a schema with %s is rejected every time', async (_, schema) => {
  await expect(async () => createJsonSchemaValidator(schema)).rejects.toThrow()
  await expect(async () => createJsonSchemaValidator(schema)).rejects.toThrow()
})

test('a schema is compiled once, and later calls return its validator synchronously', async () => {
  const schema = { type: 'object' }
  const first = createJsonSchemaValidator(schema)

  expect(createJsonSchemaValidator(schema)).toBe(first)
  expect(createJsonSchemaValidator(schema)).toBe(first)
  expect(await first).toBe(createJsonSchemaValidator(schema))
})

test('two schemas may have the same id', async () => {
  const schema = (type: string) => ({ $id: 'https://example.com/tool', type: 'object', properties: { a: { type } } })

  expect(await findIssues(schema('string'), { a: 1 })).toEqual(['a: must be string'])
  expect(await findIssues(schema('number'), { a: 1 })).toEqual([])
})

test('runWithTimeout returns the result of work that is done in time, or rethrows its error', () => {
  expect(runWithTimeout(1_000, () => runWithTimeout(1_000, () => 'done'))).toBe('done')
  expect(() =>
    runWithTimeout(1_000, () => {
      throw new TypeError('own')
    }),
  ).toThrow(new TypeError('own'))
})

test('runWithTimeout interrupts a regular expression with catastrophic backtracking', () => {
  expect(() => runWithTimeout(20, () => /^(a+)+$/.test(`${'a'.repeat(40)}b`))).toThrow('timed out')
})
