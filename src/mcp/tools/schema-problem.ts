import type { JsonSchema } from '../../contract/schema.js'
import { isRecord } from '../../shared/is-record.js'
import { quote } from '../../shared/quote.js'
import { reasonOf } from '../../shared/reason-of.js'
import { findRenamingProblem } from './property-names.js'

const MAX_NODES = 20_000
const SCHEMA_TYPES: ReadonlySet<unknown> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
  'null',
])

const SCHEMA_MAP_KEYWORDS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const
const SCHEMA_LIST_KEYWORDS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const
const SCHEMA_KEYWORDS = [
  'additionalProperties',
  'additionalItems',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'contains',
  'not',
  'if',
  'then',
  'else',
] as const

interface Visit {
  readonly schema: unknown
  readonly path: string
}

/** Describes why an input schema cannot be used; undefined if it can. */
export function findInputSchemaProblem(schema: unknown): string | undefined {
  if (!isRecord(schema)) return 'its input schema is not an object'
  if (schema.type === undefined) return 'its input schema lacks "type": "object"'
  if (schema.type !== 'object') return `its input schema has the type ${describeValue(schema.type)} instead of "object"`
  return findSchemaProblem(schema) ?? findRenamingProblem(schema)
}

export function findSchemaProblem(root: JsonSchema): string | undefined {
  const pendingVisits: Visit[] = [{ schema: root, path: '' }]
  let nodes = 0
  for (let visit = pendingVisits.pop(); visit !== undefined; visit = pendingVisits.pop()) {
    nodes++
    if (nodes > MAX_NODES) return `its schema has more than ${MAX_NODES} subschemas`
    const problem = findSubschemaProblem(visit, root)
    if (problem !== undefined) return problem
    if (isRecord(visit.schema)) addSubschemas(pendingVisits, visit.schema, visit.path)
  }
  return undefined
}

/** Iterates over a schema and its subschemas. Their structure must have been checked. */
export function* visitSubschemas(root: JsonSchema): Generator<unknown> {
  const pendingVisits: Visit[] = [{ schema: root, path: '' }]
  for (let visit = pendingVisits.pop(); visit !== undefined; visit = pendingVisits.pop()) {
    yield visit.schema
    if (isRecord(visit.schema)) addSubschemas(pendingVisits, visit.schema, visit.path)
  }
}

function addSubschemas(pendingVisits: Visit[], schema: JsonSchema, path: string): void {
  const addEach = (keyword: string, parts: Iterable<readonly [unknown, unknown]>): void => {
    for (const [name, part] of parts) pendingVisits.push({ schema: part, path: `${path}/${keyword}/${name}` })
  }
  const { items } = schema
  for (const keyword of SCHEMA_MAP_KEYWORDS) addEach(keyword, Object.entries(schema[keyword] ?? {}))
  for (const keyword of SCHEMA_LIST_KEYWORDS) addEach(keyword, Object.entries(schema[keyword] ?? []))
  for (const keyword of SCHEMA_KEYWORDS)
    if (schema[keyword] !== undefined) pendingVisits.push({ schema: schema[keyword], path: `${path}/${keyword}` })
  if (Array.isArray(items)) addEach('items', items.entries())
  else if (items !== undefined) pendingVisits.push({ schema: items, path: `${path}/items` })
}

function findSubschemaProblem({ schema, path }: Visit, root: JsonSchema): string | undefined {
  if (typeof schema === 'boolean') return undefined
  if (!isRecord(schema)) return `${describePath(path)} is ${describeValue(schema)} instead of a schema`
  return (
    findTypeProblem(schema, path) ??
    findStructureProblem(schema, path) ??
    (schema.$ref === undefined ? undefined : findReferenceProblem(schema.$ref, root, path))
  )
}

function findTypeProblem({ type }: JsonSchema, path: string): string | undefined {
  if (type === undefined) return undefined
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  const isKnown = types.length > 0 && types.every((name) => SCHEMA_TYPES.has(name))
  return isKnown
    ? undefined
    : `${describePath(path)} has the type ${quote(typeof type === 'string' ? type : JSON.stringify(type))}, which is not a JSON Schema type`
}

function findStructureProblem(schema: JsonSchema, path: string): string | undefined {
  const invalidMap = SCHEMA_MAP_KEYWORDS.find((keyword) => schema[keyword] !== undefined && !isRecord(schema[keyword]))
  if (invalidMap !== undefined) return `${describePath(`${path}/${invalidMap}`)} is not an object`
  const invalidList = SCHEMA_LIST_KEYWORDS.find(
    (keyword) => schema[keyword] !== undefined && !Array.isArray(schema[keyword]),
  )
  if (invalidList !== undefined) return `${describePath(`${path}/${invalidList}`)} is not a list`
  const { required, pattern } = schema
  // Drafts 3 and 4 used a boolean here, which validators ignore.
  const isRequiredValid = required === undefined || typeof required === 'boolean' || isListOfText(required)
  if (!isRequiredValid) return `${describePath(`${path}/required`)} is not a list of names`
  const problem = pattern === undefined ? undefined : findPatternProblem(pattern)
  return problem === undefined ? undefined : `${describePath(`${path}/pattern`)} ${problem}`
}

function isListOfText(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function findPatternProblem(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string') return 'is not a string'
  try {
    new RegExp(pattern, 'u')
    return undefined
  } catch (error) {
    return `is invalid: ${reasonOf(error)}`
  }
}

/** Describes why a reference is invalid: it must resolve within the schema and must not be circular. */
function findReferenceProblem(reference: unknown, root: JsonSchema, path: string): string | undefined {
  const seenReferences = new Set<unknown>()
  for (let currentReference = reference; currentReference !== undefined; ) {
    if (typeof currentReference !== 'string') return `${describePath(path)} has a $ref that is not a string`
    if (seenReferences.has(currentReference)) return `${describePath(path)} has a circular $ref`
    seenReferences.add(currentReference)
    const target = resolve(currentReference, root)
    if (target === undefined) return `${describePath(path)} refers to ${quote(currentReference)}, which does not exist`
    currentReference = isRecord(target) && Object.keys(target).every((key) => key === '$ref') ? target.$ref : undefined
  }
  return undefined
}

function resolve(reference: string, root: JsonSchema): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return hasAnchor(reference, root) ? root : undefined
  let target: unknown = root
  for (const segment of reference.slice(2).split('/')) {
    const key = decode(segment)
    if (Array.isArray(target)) target = target[Number(key)]
    else target = isRecord(target) && Object.hasOwn(target, key) ? target[key] : undefined
  }
  return target
}

/** Whether a reference is one of the rare kinds that are supported: the schema's own `$id`, or an anchor. */
function hasAnchor(reference: string, root: JsonSchema): boolean {
  if (reference === root.$id || reference === root.id) return true
  const anchor = reference.slice(1)
  const definitions = [root.$defs, root.definitions].flatMap((defs) => (isRecord(defs) ? Object.values(defs) : []))
  return (
    reference.startsWith('#') && definitions.some((definition) => isRecord(definition) && definition.$anchor === anchor)
  )
}

function decode(segment: string): string {
  const unescapedKey = segment.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(unescapedKey)
  } catch {
    return unescapedKey
  }
}

function describePath(path: string): string {
  return path === '' ? 'its schema' : `its schema at ${quote(path)}`
}

function describeValue(value: unknown): string {
  return value === undefined
    ? 'nothing'
    : Array.isArray(value)
      ? 'a list'
      : isRecord(value)
        ? 'an object'
        : quote(value)
}

const HEADER_KEYWORD = 'x-mcp-header'
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const HEADER_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])

/**
 * Describes why the headers declared in a schema are invalid; undefined if they are valid. Recursive, so the depth must be
 * checked first.
 */
export function findHeaderProblem(schema: unknown): string | undefined {
  const names = new Set<string>()
  return visitForHeaders(schema, true, false, names)
}

function visitForHeaders(
  part: unknown,
  isReachable: boolean,
  isProperty: boolean,
  names: Set<string>,
): string | undefined {
  if (Array.isArray(part)) return findFirstProblem(part, (item) => visitForHeaders(item, false, false, names))
  if (!isRecord(part)) return undefined
  const problem = HEADER_KEYWORD in part ? findDeclarationProblem(part, isReachable && isProperty, names) : undefined
  if (problem !== undefined) return problem
  return findFirstProblem(Object.entries(part), ([keyword, value]) => {
    if (DATA_KEYWORDS.has(keyword)) return undefined
    if (keyword !== 'properties' || !isRecord(value)) return visitForHeaders(value, false, false, names)
    return findFirstProblem(Object.values(value), (property) => visitForHeaders(property, isReachable, true, names))
  })
}

/** Keywords whose values are not schemas. */
const DATA_KEYWORDS: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', HEADER_KEYWORD])

function findDeclarationProblem(
  part: Record<string, unknown>,
  isPlainProperty: boolean,
  names: Set<string>,
): string | undefined {
  const name = part[HEADER_KEYWORD]
  if (!isPlainProperty) return `its schema has ${HEADER_KEYWORD} outside a plain property`
  if (typeof name !== 'string' || !HEADER_NAME.test(name))
    return `its ${HEADER_KEYWORD} ${quote(name)} is not a valid header name`
  if (!HEADER_TYPES.has(part.type))
    return `its ${HEADER_KEYWORD} ${quote(name)} is on a property that is not a string, integer or boolean`
  if (names.has(name.toLowerCase())) return `it declares the header ${quote(name)} twice`
  names.add(name.toLowerCase())
  return undefined
}

function findFirstProblem<T>(values: readonly T[], find: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const problem = find(value)
    if (problem !== undefined) return problem
  }
  return undefined
}
