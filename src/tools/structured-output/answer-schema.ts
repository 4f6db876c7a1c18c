import { describesObject, isTooDeep, type JsonSchema } from '../../contract/schema.js'
import { findJsonSchemaProblem } from './json-schema-problem.js'

/** Converts the caller's schema to a tool input, which must be an object. Schemas of other types are wrapped in a field. */
export function toAnswerSchema(schema: JsonSchema): { readonly input: JsonSchema; readonly isWrapped: boolean } {
  if (describesObject(schema)) return { input: schema, isWrapped: false }
  if (schema.type === undefined && typeof schema.properties === 'object') {
    return { input: { ...schema, type: 'object' }, isWrapped: false }
  }
  const { $schema, ...schemaWithoutDialect } = schema
  const input = {
    ...($schema !== undefined && { $schema }),
    type: 'object',
    properties: { value: moveReferences(schemaWithoutDialect) },
    required: ['value'],
    additionalProperties: false,
  }
  return { input, isWrapped: true }
}

/** Keywords whose values are data, even if those look like schemas. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples'])

/** Adjusts local references, because the schema moves into the field. */
function moveReferences(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(moveReferences)
  if (typeof schema !== 'object' || schema === null) return schema
  // References inside a schema with an `$id` are relative to that `$id`.
  if ('$id' in schema && typeof schema.$id === 'string') return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (DATA_KEYWORDS.has(key)) return [key, value]
      return [key, key === '$ref' && typeof value === 'string' ? moveReference(value) : moveReferences(value)]
    }),
  )
}

function moveReference(reference: string): string {
  return /^#(?:\/|$)/.test(reference) ? `#/properties/value${reference.slice(1)}` : reference
}

/** Returns the problem of an answer schema, worded for its author; undefined if it is usable. */
export async function findOutputSchemaProblem(schema: unknown): Promise<string | undefined> {
  const problem = isTooDeep(schema) ? 'it is nested too deeply' : await findJsonSchemaProblem(schema)
  return problem === undefined ? undefined : `The JSON Schema for the answer cannot be used: ${problem}.`
}
