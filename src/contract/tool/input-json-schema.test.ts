import { toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { ToolDefinitionError } from '../errors.js'
import { lazySchema, type ObjectSchema } from '../schema.js'
import { buildTool } from './build-tool.js'
import { inputJSONSchemaOf } from './input-json-schema.js'

function createToolWith(inputSchema: ObjectSchema) {
  return buildTool({ name: 'T', description: 'd', inputSchema, call: async () => ({ data: 1 }) })
}

describe('the input JSON Schema of a tool', () => {
  test('describes the input of a Zod schema, before defaults are filled in', () => {
    const schema = z.strictObject({ path: z.string().describe('Where'), depth: z.number().default(1) })

    expect(inputJSONSchemaOf(createToolWith(schema))).toEqual({
      type: 'object',
      properties: { path: { type: 'string', description: 'Where' }, depth: { type: 'number', default: 1 } },
      required: ['path'],
      additionalProperties: false,
    })
  })

  test('is converted from a Valibot schema', () => {
    const schema = toStandardJsonSchema(v.strictObject({ path: v.string() }))

    expect(inputJSONSchemaOf(createToolWith(schema))).toEqual({
      type: 'object',
      properties: { path: { type: 'string' } },
      required: ['path'],
      additionalProperties: false,
    })
  })

  test('is converted from an ArkType schema, which is a function', () => {
    expect(inputJSONSchemaOf(createToolWith(type({ path: 'string' })))).toEqual({
      type: 'object',
      properties: { path: { type: 'string' } },
      required: ['path'],
    })
  })

  test('is converted once', () => {
    const tool = createToolWith(lazySchema(() => z.object({ a: z.string() })))

    expect(inputJSONSchemaOf(tool)).toBe(inputJSONSchemaOf(tool))
  })

  test('is returned unchanged if it comes from a protocol', () => {
    const schema = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object', not: { required: ['x'] } }
    const tool = buildTool({ name: 'R', description: 'd', inputJSONSchema: schema, call: async () => ({ data: 1 }) })

    expect(inputJSONSchemaOf(tool)).toBe(schema)
  })
})

describe('a schema that cannot be sent causes an error that names the tool', () => {
  test.each<[string, string, ObjectSchema, string]>([
    [
      'a type that JSON lacks',
      'schema_not_convertible',
      z.object({ when: z.date() }),
      'cannot be converted to JSON Schema',
    ],
    ['a library without JSON Schema', 'schema_not_convertible', v.object({ a: v.string() }), 'toStandardJsonSchema'],
    [
      'a union at the root',
      'schema_not_object',
      z.union([z.object({ a: z.string() }), z.object({ b: z.string() })]),
      'object',
    ],
    [
      'a factory that throws',
      'schema_not_convertible',
      lazySchema((): z.ZodObject => {
        throw new Error('broken factory')
      }),
      'broken factory',
    ],
  ])('because of %s', (_, code, schema, message) => {
    const attempt = () => inputJSONSchemaOf(createToolWith(schema))
    expect(attempt).toThrow(ToolDefinitionError)
    expect(attempt).toThrow(
      expect.objectContaining({
        code,
        toolName: 'T',
        member: 'inputSchema',
        message: expect.stringContaining(message),
      }),
    )
  })
})
