import { describe, expect, test } from 'vitest'
import type { JsonSchema } from '../../contract/schema.js'
import { createJsonSchemaValidator } from '../../shared/json-schema-validator.js'
import { callTool } from '../../testing/call-tool.js'
import { findOutputSchemaProblem, toAnswerSchema } from './answer-schema.js'
import { createStructuredOutputTool, StructuredOutputTool } from './tool.js'

async function isAccepted(schema: JsonSchema, input: unknown): Promise<boolean> {
  const validate = await createJsonSchemaValidator(toAnswerSchema(schema).input)
  return validate(input).issues === undefined
}

async function submitAnswer(schema: JsonSchema, input: unknown): Promise<unknown> {
  const context = { toolUseId: 'x' } as never
  const { data } = await createStructuredOutputTool(schema).call(input, context, undefined as never, undefined as never)
  return data
}

describe('an answer', () => {
  const object = { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] }
  const tree = {
    $ref: '#/$defs/node',
    $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' } }, additionalProperties: false } },
  }
  const list = { type: 'array', items: { anyOf: [{ type: 'string' }, { $ref: '#' }] } }
  test.each<[string, JsonSchema, unknown, unknown, unknown]>([
    ['that is an object', object, { count: 1 }, { count: 1 }, { count: 'x' }],
    [
      'that is an object by a schema without a type',
      { properties: object.properties },
      { count: 1 },
      { count: 1 },
      { count: 'x' },
    ],
    ['that is a list', { type: 'array', items: { type: 'number' } }, { value: [1] }, [1], { value: ['x'] }],
    ['that may be null', { type: ['object', 'null'] }, { value: null }, null, { value: 1 }],
    [
      'of a schema that is a reference',
      tree,
      { value: { next: { next: {} } } },
      { next: { next: {} } },
      { value: { next: { x: 1 } } },
    ],
    ['of a schema that refers to itself', list, { value: ['a', ['b']] }, ['a', ['b']], { value: ['a', [1]] }],
    [
      'whose values look like references',
      { enum: [{ $ref: '#/x' }] },
      { value: { $ref: '#/x' } },
      { $ref: '#/x' },
      { value: 1 },
    ],
    [
      'of a draft-07 schema',
      { $schema: 'http://json-schema.org/draft-07/schema#', items: [{ type: 'string' }] },
      { value: ['a'] },
      ['a'],
      { value: [1] },
    ],
    [
      'of a schema with an $id',
      { $id: 'https://a.example/s', type: 'array', items: { $ref: '#/$defs/n' }, $defs: { n: { type: 'number' } } },
      { value: [1] },
      [1],
      { value: ['x'] },
    ],
  ])('%s is accepted only if it matches the schema', async (_, schema, input, value, invalidInput) => {
    expect(await isAccepted(schema, input)).toBe(true)
    expect(await submitAnswer(schema, input)).toEqual(value)
    expect(await isAccepted(schema, invalidInput)).toBe(false)
    expect(createStructuredOutputTool(schema).inputJSONSchema?.type).toBe('object')
    expect(await findOutputSchemaProblem(schema)).toBeUndefined()
  })

  test('of any form is accepted if there is no schema', async () => {
    expect(await callTool(StructuredOutputTool, { value: [1] })).toContain('The answer was accepted')
  })
})

describe('an invalid schema', () => {
  test.each([
    ['text', 'it is not an object'],
    [null, 'it is not an object'],
    [[], 'it is not an object'],
    [{ type: 'strin' }, '/type must be equal to one of the allowed values'],
    [{ type: 'object', properties: [] }, '/properties must be object'],
    [{ type: 'string', pattern: '(' }, 'Invalid regular expression'],
    [{ $ref: '#/nowhere' }, "can't resolve reference #/nowhere"],
    [JSON.parse(`${'{"a":'.repeat(300)}true${'}'.repeat(300)}`), 'it is nested too deeply'],
  ])('is refused: %j', async (schema, problem) => {
    const text = await findOutputSchemaProblem(schema)

    expect(text).toMatch(/^The JSON Schema for the answer cannot be used: /)
    expect(text).toContain(problem)
  })
})
