import { isRecord } from '../../shared/is-record.js'
import { quote } from '../../shared/quote.js'

const KEYWORD = 'x-mcp-header'
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])

/** Why the headers that a schema asks for cannot be sent. Called only for schemas of bearable depth. */
export function headerProblem(schema: unknown): string | undefined {
  const names = new Set<string>()
  return visit(schema, true, false, names)
}

function visit(part: unknown, isReachable: boolean, isProperty: boolean, names: Set<string>): string | undefined {
  if (Array.isArray(part)) return first(part, (each) => visit(each, false, false, names))
  if (!isRecord(part)) return undefined
  const problem = KEYWORD in part ? declarationProblem(part, isReachable && isProperty, names) : undefined
  if (problem !== undefined) return problem
  return first(Object.entries(part), ([word, value]) => {
    if (DATA.has(word)) return undefined
    if (word !== 'properties' || !isRecord(value)) return visit(value, false, false, names)
    return first(Object.values(value), (property) => visit(property, isReachable, true, names))
  })
}

/** What stands there is no schema. */
const DATA: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples', KEYWORD])

function declarationProblem(part: Record<string, unknown>, isInPlace: boolean, names: Set<string>): string | undefined {
  const name = part[KEYWORD]
  if (!isInPlace) return `its schema has ${KEYWORD} where no single property is meant`
  if (typeof name !== 'string' || !HEADER_NAME.test(name)) return `its ${KEYWORD} ${quote(name)} is no header name`
  if (!TYPES.has(part.type))
    return `its ${KEYWORD} ${quote(name)} is on a property that is neither text, integer nor boolean`
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
