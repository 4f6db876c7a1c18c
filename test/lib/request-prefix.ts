import { isDeepStrictEqual } from 'node:util'

/** A request body by its parts; all other fields are in `rest`. */
export interface RequestParts {
  readonly tools: readonly unknown[]
  readonly system: readonly unknown[]
  readonly messages: readonly unknown[]
  readonly rest: unknown
}

/** The parts of a body, without cache control markers. */
export function splitParts(body: Record<string, unknown>): RequestParts {
  const { tools = [], system = [], messages = [], ...rest } = withoutCacheControl(body) as Record<string, never>
  return { tools, system, messages, rest }
}

/** The parts in which a request does not start with an earlier one; empty if it does. */
export function findBrokenParts(earlier: RequestParts, later: RequestParts): readonly string[] {
  return [
    ...(beginsWith(later.tools, earlier.tools) ? [] : ['tools']),
    ...(isDeepStrictEqual(later.system, earlier.system) ? [] : ['system']),
    ...(beginsWith(later.messages, earlier.messages) ? [] : ['messages']),
    ...(isDeepStrictEqual(later.rest, earlier.rest) ? [] : ['rest']),
  ]
}

function beginsWith(list: readonly unknown[], prefix: readonly unknown[]): boolean {
  return isDeepStrictEqual(list.slice(0, prefix.length), prefix)
}

function withoutCacheControl(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutCacheControl)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([key]) => key !== 'cache_control')
  return Object.fromEntries(fields.map(([key, field]) => [key, withoutCacheControl(field)]))
}
