import type { JsonSchema } from '../../contract/schema.js'
import { cutText } from '../../shared/cut-text.js'
import { isRecord } from '../../shared/is-record.js'
import { quote } from '../../shared/quote.js'

/** The names of root properties that providers accept. Nested names are not restricted. */
const ACCEPTED_NAME = /^[a-zA-Z0-9_.-]{1,64}$/
const MAX_NAME_CHARS = 64

/** An input schema whose root properties have names that providers accept, and the way back to the original names. */
export interface RenamedInput {
  readonly schema: JsonSchema
  /** Returns the arguments with the names that the server uses. */
  restore(args: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>
}

/** Renames root properties that providers reject. Returns undefined if there are none. */
export function renameProperties(schema: JsonSchema): RenamedInput | undefined {
  const newNames = chooseNames(schema)
  if (newNames.size === 0) return undefined
  const originalNames = new Map([...newNames].map(([original, renamed]) => [renamed, original]))
  return {
    schema: renameInSchema(schema, newNames),
    restore: (args) => {
      const restored = new Map(Object.entries(args))
      for (const [renamed, original] of originalNames) {
        if (!restored.has(renamed)) continue
        restored.set(original, restored.get(renamed))
        restored.delete(renamed)
      }
      return Object.fromEntries(restored)
    },
  }
}

/** Describes why root properties that providers reject cannot be renamed; undefined if they can, or need not be. */
export function findRenamingProblem(schema: JsonSchema): string | undefined {
  const [name] = chooseNames(schema).keys()
  if (name === undefined) return undefined
  const obstacle = listRootSchemas(schema)
    .flatMap((part) => Object.keys(part))
    .find((keyword) => NAME_DEPENDENT_KEYWORDS.has(keyword))
  if (obstacle === undefined && !refersToRoot(schema)) return undefined
  const reason = obstacle === undefined ? 'another part of the schema refers to it' : `the schema uses ${obstacle}`
  return `its schema has a property ${quote(name)}, a name that providers reject and that cannot be changed, because ${reason}`
}

/** Keywords of the root that depend on property names in ways that renaming could break. */
const NAME_DEPENDENT_KEYWORDS: ReadonlySet<string> = new Set([
  'patternProperties',
  'propertyNames',
  'dependencies',
  'const',
  'enum',
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
])

const LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf'] as const
const SCHEMA_KEYWORDS = ['if', 'then', 'else', 'not'] as const

/** Returns the schemas that apply to the arguments as a whole. */
function listRootSchemas(schema: JsonSchema): readonly JsonSchema[] {
  const { dependentSchemas } = schema
  const parts: unknown[] = [
    ...LIST_KEYWORDS.flatMap((keyword) => (Array.isArray(schema[keyword]) ? schema[keyword] : [])),
    ...SCHEMA_KEYWORDS.map((keyword) => schema[keyword]),
    ...(isRecord(dependentSchemas) ? Object.values(dependentSchemas) : []),
  ]
  return [schema, ...parts.filter(isRecord).flatMap(listRootSchemas)]
}

function refersToRoot(schema: JsonSchema): boolean {
  return /"\$(?:ref|dynamicRef)":"#(?:"|\/(?!\$defs\/|definitions\/))/.test(JSON.stringify(schema))
}

function chooseNames(schema: JsonSchema): ReadonlyMap<string, string> {
  const names = new Set(listRootSchemas(schema).flatMap(({ properties }) => Object.keys(properties ?? {})))
  const takenNames = new Set([...names].filter((name) => ACCEPTED_NAME.test(name)))
  const newNames = new Map<string, string>()
  for (const name of names) {
    if (ACCEPTED_NAME.test(name)) continue
    const base = name.replace(/[^a-zA-Z0-9_.-]/g, '_') || '_'
    let newName = cutText(base, MAX_NAME_CHARS)
    for (let count = 2; takenNames.has(newName); count++) {
      const suffix = `_${count}`
      newName = `${cutText(base, MAX_NAME_CHARS - suffix.length)}${suffix}`
    }
    takenNames.add(newName)
    newNames.set(name, newName)
  }
  return newNames
}

function renameInSchema(schema: JsonSchema, newNames: ReadonlyMap<string, string>): JsonSchema {
  const toNewName = (name: unknown) => (typeof name === 'string' ? (newNames.get(name) ?? name) : name)
  const renameKeys = (record: object) =>
    Object.fromEntries(Object.entries(record).map(([name, value]) => [toNewName(name), value]))
  const renameIn = (part: unknown) => (isRecord(part) ? renameInSchema(part, newNames) : part)
  const changed: Record<string, unknown> = { ...schema }
  const { properties, required, dependentRequired, dependentSchemas } = schema
  if (isRecord(properties)) changed.properties = renameKeys(properties)
  if (Array.isArray(required)) changed.required = required.map(toNewName)
  if (isRecord(dependentRequired))
    changed.dependentRequired = mapValues(renameKeys(dependentRequired), (names) =>
      Array.isArray(names) ? names.map(toNewName) : names,
    )
  if (isRecord(dependentSchemas)) changed.dependentSchemas = mapValues(renameKeys(dependentSchemas), renameIn)
  for (const keyword of LIST_KEYWORDS) {
    const parts = schema[keyword]
    if (Array.isArray(parts)) changed[keyword] = parts.map(renameIn)
  }
  for (const keyword of SCHEMA_KEYWORDS) if (keyword in schema) changed[keyword] = renameIn(schema[keyword])
  return changed
}

function mapValues(record: object, change: (value: unknown) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]))
}
