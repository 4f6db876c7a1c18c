import type { JsonSchema } from '../../contract/schema.js'
import { isRecord } from '../../shared/is-record.js'
import { createJsonSchemaValidator } from '../../shared/json-schema-validator.js'
import { reasonOf } from '../../shared/reason-of.js'
import type { McpToolDefinition, ParsedDefinitions, RefusedDefinition } from './read-definition.js'
import { visitSubschemas } from './schema-problem.js'

/** How long the schemas of one server may be compiled. The rest is compiled by the first call of each tool. */
const MAX_TOTAL_MS = 2_000

/**
 * Refuses tools whose schemas cannot be compiled. Most schemas surely can, which a look at their keywords shows; only the others
 * are compiled, because that takes milliseconds for each.
 */
export async function refuseUncompilable({ definitions, refused }: ParsedDefinitions): Promise<ParsedDefinitions> {
  const problems = new Map<McpToolDefinition, string>()
  let spentMs = 0
  for (const definition of definitions) {
    for (const [label, schema] of listSchemas(definition)) {
      if (spentMs > MAX_TOTAL_MS || problems.has(definition) || isSurelyCompilable(schema)) continue
      const startedAt = performance.now()
      try {
        await createJsonSchemaValidator(schema)
      } catch (error) {
        problems.set(definition, `${label} cannot be compiled: ${reasonOf(error)}`)
      }
      spentMs += performance.now() - startedAt
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  if (problems.size === 0) return { definitions, refused }
  return {
    definitions: definitions.filter((definition) => !problems.has(definition)),
    refused: [...refused, ...Array.from(problems, ([{ name }, reason]): RefusedDefinition => ({ name, reason }))],
  }
}

function listSchemas({ inputSchema, outputSchema }: McpToolDefinition): readonly (readonly [string, JsonSchema])[] {
  const input = ['its input schema', inputSchema] as const
  return outputSchema === undefined ? [input] : [input, ['its output schema', outputSchema]]
}

const isNumber = (value: unknown): boolean => typeof value === 'number' && Number.isFinite(value)
const isBoolean = (value: unknown): boolean => typeof value === 'boolean'
const isText = (value: unknown): boolean => typeof value === 'string'
const isAnything = (): boolean => true

/** The keywords that can be compiled with every value that passes the test. `findSchemaProblem` has checked the structure. */
const PLAIN_KEYWORDS: ReadonlyMap<string, (value: unknown) => boolean> = new Map([
  ...['type', 'properties', 'allOf', 'anyOf', 'oneOf', 'prefixItems', '$defs', 'definitions'].map(
    (keyword) => [keyword, isAnything] as const,
  ),
  ...['additionalProperties', 'propertyNames', 'contains', 'not', 'if', 'then', 'else', 'pattern', 'const'].map(
    (keyword) => [keyword, isAnything] as const,
  ),
  ...['title', 'description', 'default', 'examples', '$comment', 'deprecated', 'readOnly', 'writeOnly'].map(
    (keyword) => [keyword, isAnything] as const,
  ),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'minLength', 'maxLength'].map(
    (keyword) => [keyword, isNumber] as const,
  ),
  ...['minItems', 'maxItems', 'minProperties', 'maxProperties'].map((keyword) => [keyword, isNumber] as const),
  ['multipleOf', (value) => typeof value === 'number' && value > 0],
  ['uniqueItems', isBoolean],
  ['format', isText],
  ['$schema', isKnownDialect],
  ['items', (value) => isRecord(value) || isBoolean(value)],
  ['required', (value) => Array.isArray(value) && new Set(value).size === value.length],
  // `findSchemaProblem` has checked that the target exists.
  ['$ref', (value) => typeof value === 'string' && SUBSCHEMA_POINTER.test(value)],
  ['enum', (value) => Array.isArray(value) && value.length > 0],
])

const SUBSCHEMA_POINTER =
  /^#(?:\/(?:properties|\$defs|definitions)\/[^/]+|\/(?:items|additionalProperties)|\/(?:anyOf|oneOf|allOf)\/\d+)*$/

function isKnownDialect(value: unknown): boolean {
  return typeof value === 'string' && /^https?:\/\/json-schema\.org\/(?:draft-07|draft\/2020-12)\/schema#?$/.test(value)
}

function isSurelyCompilable(schema: JsonSchema): boolean {
  for (const part of visitSubschemas(schema)) {
    if (!isRecord(part)) continue
    for (const [keyword, value] of Object.entries(part)) {
      const isPlain = PLAIN_KEYWORDS.get(keyword)?.(value) ?? (part === schema && isRootId(keyword, value))
      if (!isPlain) return false
    }
  }
  return true
}

function isRootId(keyword: string, value: unknown): boolean {
  return keyword === '$id' && typeof value === 'string' && URL.canParse(value) && !value.includes('#')
}
