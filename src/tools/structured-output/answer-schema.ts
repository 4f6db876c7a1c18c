import { describesObject, isTooDeep, type JsonSchema } from '../../contract/schema.js'
import { jsonSchemaProblem } from '../../shared/json-schema-problem.js'

/** The caller's schema as the input of a tool, which must be an object: any other value goes into a field of one. */
export function answerSchema(schema: JsonSchema): { readonly input: JsonSchema; readonly isWrapped: boolean } {
  if (describesObject(schema)) return { input: schema, isWrapped: false }
  if (schema.type === undefined && typeof schema.properties === 'object') {
    return { input: { ...schema, type: 'object' }, isWrapped: false }
  }
  const { $schema, ...rest } = schema
  const input = {
    ...($schema !== undefined && { $schema }),
    type: 'object',
    properties: { value: moved(rest) },
    required: ['value'],
    additionalProperties: false,
  }
  return { input, isWrapped: true }
}

/** Where values stand that only look like schemas. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples'])

/** The schema with references that still lead to the same place, now that it stands deeper. */
function moved(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(moved)
  if (typeof schema !== 'object' || schema === null) return schema
  // One with an address of its own counts its references from there.
  if ('$id' in schema && typeof schema.$id === 'string') return schema
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (DATA.has(key)) return [key, value]
      return [key, key === '$ref' && typeof value === 'string' ? movedReference(value) : moved(value)]
    }),
  )
}

function movedReference(reference: string): string {
  return /^#(?:\/|$)/.test(reference) ? `#/properties/value${reference.slice(1)}` : reference
}

/** Why answers cannot be held to a schema, for the person who wrote it; undefined if they can. */
export async function outputSchemaProblem(schema: unknown): Promise<string | undefined> {
  const problem = isTooDeep(schema) ? 'it is nested too deeply' : await jsonSchemaProblem(schema)
  return problem === undefined ? undefined : `The JSON Schema for the answer cannot be used: ${problem}.`
}
