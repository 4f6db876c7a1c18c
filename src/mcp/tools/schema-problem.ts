import type { JsonSchema } from '../../contract/schema.js'
import { isRecord } from '../../shared/is-record.js'
import { quote } from '../../shared/quote.js'
import { reasonOf } from '../../shared/reason-of.js'

const MAX_NODES = 20_000
/** What providers accept as the name of a property. */
const PROPERTY_KEY = /^[a-zA-Z0-9_.-]{1,64}$/
const TYPES: ReadonlySet<unknown> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'])

const MAPS_OF_SCHEMAS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const
const LISTS_OF_SCHEMAS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'] as const
const SCHEMAS = [
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

/** Why a schema for the input of a tool cannot be used, or undefined where it can. */
export function inputSchemaProblem(schema: unknown): string | undefined {
  if (!isRecord(schema)) return 'its input schema is no object'
  if (schema.type === undefined) return 'its input schema does not say that it describes an object ("type": "object")'
  if (schema.type !== 'object') return `its input schema describes ${describe(schema.type)} and not an object`
  return schemaProblem(schema, { checksKeys: true })
}

export function schemaProblem(root: JsonSchema, { checksKeys = false } = {}): string | undefined {
  const waiting: Visit[] = [{ schema: root, path: '' }]
  let nodes = 0
  for (let visit = waiting.pop(); visit !== undefined; visit = waiting.pop()) {
    nodes++
    if (nodes > MAX_NODES) return `its schema has more than ${MAX_NODES} parts`
    const problem = partProblem(visit, root, checksKeys)
    if (problem !== undefined) return problem
    if (isRecord(visit.schema)) addParts(waiting, visit.schema, visit.path)
  }
  return undefined
}

function addParts(waiting: Visit[], schema: JsonSchema, path: string): void {
  const addEach = (word: string, parts: Iterable<readonly [unknown, unknown]>): void => {
    for (const [name, part] of parts) waiting.push({ schema: part, path: `${path}/${word}/${name}` })
  }
  const { items } = schema
  for (const word of MAPS_OF_SCHEMAS) addEach(word, Object.entries(schema[word] ?? {}))
  for (const word of LISTS_OF_SCHEMAS) addEach(word, Object.entries(schema[word] ?? []))
  for (const word of SCHEMAS)
    if (schema[word] !== undefined) waiting.push({ schema: schema[word], path: `${path}/${word}` })
  if (Array.isArray(items)) addEach('items', items.entries())
  else if (items !== undefined) waiting.push({ schema: items, path: `${path}/items` })
}

function partProblem({ schema, path }: Visit, root: JsonSchema, checksKeys: boolean): string | undefined {
  if (typeof schema === 'boolean') return undefined
  if (!isRecord(schema)) return `${at(path)} is ${describe(schema)} where a schema must be`
  return (
    typeProblem(schema, path) ??
    formProblem(schema, path) ??
    (checksKeys ? keyProblem(schema, path) : undefined) ??
    (schema.$ref === undefined ? undefined : referenceProblem(schema.$ref, root, path))
  )
}

function typeProblem({ type }: JsonSchema, path: string): string | undefined {
  if (type === undefined) return undefined
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  const isKnown = types.length > 0 && types.every((each) => TYPES.has(each))
  return isKnown ? undefined : `${at(path)} has the type ${quote(JSON.stringify(type))}, which is none`
}

function formProblem(schema: JsonSchema, path: string): string | undefined {
  const map = MAPS_OF_SCHEMAS.find((word) => schema[word] !== undefined && !isRecord(schema[word]))
  if (map !== undefined) return `${at(path)}/${map} is no object`
  const list = LISTS_OF_SCHEMAS.find((word) => schema[word] !== undefined && !Array.isArray(schema[word]))
  if (list !== undefined) return `${at(path)}/${list} is no list`
  const { required, pattern } = schema
  // Draft 3 and 4 wrote a flag here, which validators pass over.
  const isRequiredRight = required === undefined || typeof required === 'boolean' || isListOfText(required)
  if (!isRequiredRight) return `${at(path)}/required is no list of names`
  const wrong = pattern === undefined ? undefined : patternProblem(pattern)
  return wrong === undefined ? undefined : `${at(path)}/pattern ${wrong}`
}

function keyProblem({ properties }: JsonSchema, path: string): string | undefined {
  const key = isRecord(properties) ? Object.keys(properties).find((each) => !PROPERTY_KEY.test(each)) : undefined
  return key === undefined ? undefined : `${at(path)} has a property ${quote(key)}, a name that providers refuse`
}

function isListOfText(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function patternProblem(pattern: unknown): string | undefined {
  if (typeof pattern !== 'string') return 'is no text'
  try {
    new RegExp(pattern, 'u')
    return undefined
  } catch (error) {
    return `cannot be used: ${reasonOf(error)}`
  }
}

/** References lead to a part of the same schema, and in the end to one that says something. */
function referenceProblem(reference: unknown, root: JsonSchema, path: string): string | undefined {
  const seen = new Set<unknown>()
  for (let next = reference; next !== undefined; ) {
    if (typeof next !== 'string') return `${at(path)} has a $ref that is no text`
    if (seen.has(next)) return `${at(path)} has a $ref that leads in a circle`
    seen.add(next)
    const target = resolve(next, root)
    if (target === undefined) return `${at(path)} refers to ${quote(next)}, which is not there`
    next = isRecord(target) && Object.keys(target).every((key) => key === '$ref') ? target.$ref : undefined
  }
  return undefined
}

function resolve(reference: string, root: JsonSchema): unknown {
  if (reference === '#') return root
  if (!reference.startsWith('#/')) return hasAnchor(reference, root) ? root : undefined
  let target: unknown = root
  for (const part of reference.slice(2).split('/')) {
    const key = decode(part)
    if (Array.isArray(target)) target = target[Number(key)]
    else target = isRecord(target) && Object.hasOwn(target, key) ? target[key] : undefined
  }
  return target
}

/** The other ways to name a part, which real schemas hardly use: the whole schema by its own address, or an anchor in it. */
function hasAnchor(reference: string, root: JsonSchema): boolean {
  if (reference === root.$id || reference === root.id) return true
  const anchor = reference.slice(1)
  const parts = [root.$defs, root.definitions].flatMap((defs) => (isRecord(defs) ? Object.values(defs) : []))
  return reference.startsWith('#') && parts.some((part) => isRecord(part) && part.$anchor === anchor)
}

function decode(part: string): string {
  const plain = part.replaceAll('~1', '/').replaceAll('~0', '~')
  try {
    return decodeURIComponent(plain)
  } catch {
    return plain
  }
}

function at(path: string): string {
  return path === '' ? 'its schema' : `its schema at ${quote(path)}`
}

function describe(value: unknown): string {
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

/** Why the headers that a schema asks for cannot be sent. Called only for schemas of bearable depth. */
export function headerProblem(schema: unknown): string | undefined {
  const names = new Set<string>()
  return visitForHeaders(schema, true, false, names)
}

function visitForHeaders(
  part: unknown,
  isReachable: boolean,
  isProperty: boolean,
  names: Set<string>,
): string | undefined {
  if (Array.isArray(part)) return first(part, (each) => visitForHeaders(each, false, false, names))
  if (!isRecord(part)) return undefined
  const problem = HEADER_KEYWORD in part ? declarationProblem(part, isReachable && isProperty, names) : undefined
  if (problem !== undefined) return problem
  return first(Object.entries(part), ([word, value]) => {
    if (DATA.has(word)) return undefined
    if (word !== 'properties' || !isRecord(value)) return visitForHeaders(value, false, false, names)
    return first(Object.values(value), (property) => visitForHeaders(property, isReachable, true, names))
  })
}

/** What stands there is no schema. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', HEADER_KEYWORD])

function declarationProblem(part: Record<string, unknown>, isInPlace: boolean, names: Set<string>): string | undefined {
  const name = part[HEADER_KEYWORD]
  if (!isInPlace) return `its schema has ${HEADER_KEYWORD} where no single property is meant`
  if (typeof name !== 'string' || !HEADER_NAME.test(name))
    return `its ${HEADER_KEYWORD} ${quote(name)} is no header name`
  if (!HEADER_TYPES.has(part.type))
    return `its ${HEADER_KEYWORD} ${quote(name)} is on a property that is neither text, integer nor boolean`
  if (names.has(name.toLowerCase())) return `it declares the header ${quote(name)} twice`
  names.add(name.toLowerCase())
  return undefined
}

function first<T>(values: readonly T[], find: (value: T) => string | undefined): string | undefined {
  for (const value of values) {
    const found = find(value)
    if (found !== undefined) return found
  }
  return undefined
}
