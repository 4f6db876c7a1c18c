import { reasonOf } from '../../shared/reason-of.js'
import { ToolDefinitionError } from '../errors.js'
import { describesObject, type JsonSchema, resolveSchema, type StandardSchema } from '../schema.js'
import type { Tool } from './tool.js'

const convertedSchemas = new WeakMap<object, JsonSchema>()
const presetTexts = new WeakMap<object, string>()

/** Returns the JSON Schema of a tool's input: `inputJSONSchema` unchanged, or the converted schema, which is cached. */
export function inputJSONSchemaOf(tool: Pick<Tool, 'name' | 'inputSchema' | 'inputJSONSchema'>): JsonSchema {
  if (tool.inputJSONSchema !== undefined) return tool.inputJSONSchema
  const cached = convertedSchemas.get(tool.inputSchema)
  if (cached !== undefined) return cached
  const text = presetTexts.get(tool.inputSchema)
  const schema = text === undefined ? convertSchema(tool.name, tool.inputSchema) : (JSON.parse(text) as JsonSchema)
  convertedSchemas.set(tool.inputSchema, schema)
  return schema
}

/** Returns the JSON Schema of the data that a tool returns; undefined if it has none or it cannot be converted. */
export function outputJSONSchemaOf({ outputSchema }: Pick<Tool, 'outputSchema'>): JsonSchema | undefined {
  if (outputSchema === undefined) return undefined
  try {
    return resolveSchema(outputSchema)['~standard'].jsonSchema?.output({ target: 'draft-2020-12' })
  } catch {
    // The schema only documents the output. Some schemas, such as those with transforms, have no JSON Schema.
    return undefined
  }
}

/** Presets the converted schema of a tool (as JSON text), so that it need not be converted at run time. */
export function presetInputJSONSchema({ inputSchema }: Pick<Tool, 'inputSchema'>, text: string): void {
  presetTexts.set(inputSchema, text)
}

function convertSchema(toolName: string, inputSchema: StandardSchema): JsonSchema {
  const schema = convertOrThrow(toolName, () => {
    const standardSchema = resolveSchema(inputSchema)['~standard']
    if (standardSchema.jsonSchema === undefined) throw new Error(findAdvice(standardSchema.vendor))
    return standardSchema.jsonSchema.input({ target: 'draft-2020-12' })
  })
  if (typeof schema !== 'object' || schema === null || !describesObject(schema)) {
    throw new ToolDefinitionError(
      'schema_not_object',
      toolName,
      'inputSchema',
      'must describe an object ("type": "object" at its root).',
    )
  }
  // The dialect is the same for every tool; repeating it in each definition would waste tokens.
  const { $schema, ...withoutDialect } = schema
  return withoutSafeBounds(withoutDialect) as JsonSchema
}

/** Removes the bounds that Zod adds to every integer: they say nothing that JSON does not. */
function withoutSafeBounds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSafeBounds)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key, bound]) =>
          !(key === 'maximum' && bound === Number.MAX_SAFE_INTEGER) &&
          !(key === 'minimum' && bound === Number.MIN_SAFE_INTEGER),
      )
      .map(([key, member]) => [key, withoutSafeBounds(member)]),
  )
}

function convertOrThrow(toolName: string, convert: () => JsonSchema): JsonSchema {
  try {
    return convert()
  } catch (cause) {
    const reason = reasonOf(cause)
    throw new ToolDefinitionError(
      'schema_not_convertible',
      toolName,
      'inputSchema',
      `cannot be converted to JSON Schema: ${reason}`,
      { cause },
    )
  }
}

function findAdvice(vendor: string): string {
  if (vendor === 'zod') return 'this version of Zod is too old; use 4.2 or later'
  if (vendor === 'valibot') return 'wrap the schema with toStandardJsonSchema from @valibot/to-json-schema'
  return `${vendor} does not support JSON Schema; add inputJSONSchema`
}
