import { isDeepStrictEqual } from 'node:util'

/** A request body by its parts; all other fields are in `otherFields`. */
export interface RequestParts {
  readonly tools: readonly unknown[]
  readonly system: readonly unknown[]
  readonly messages: readonly unknown[]
  readonly otherFields: unknown
}

/** The parts of a body, without cache control markers. */
export function splitParts(body: Record<string, unknown>): RequestParts {
  const { tools = [], system = [], messages = [], ...otherFields } = removeCacheControl(body) as Record<string, never>
  return { tools, system, messages, otherFields }
}

/** The parts in which a request does not start with an earlier one; empty if it does. */
export function findBrokenParts(earlierParts: RequestParts, laterParts: RequestParts): readonly string[] {
  return [
    ...(beginsWith(laterParts.tools, earlierParts.tools) ? [] : ['tools']),
    ...(isDeepStrictEqual(laterParts.system, earlierParts.system) ? [] : ['system']),
    ...(beginsWith(laterParts.messages, earlierParts.messages) ? [] : ['messages']),
    ...(isDeepStrictEqual(laterParts.otherFields, earlierParts.otherFields) ? [] : ['other fields']),
  ]
}

function beginsWith(list: readonly unknown[], prefix: readonly unknown[]): boolean {
  return isDeepStrictEqual(list.slice(0, prefix.length), prefix)
}

function removeCacheControl(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(removeCacheControl)
  if (typeof value !== 'object' || value === null) return value
  const fields = Object.entries(value).filter(([key]) => key !== 'cache_control')
  return Object.fromEntries(fields.map(([key, field]) => [key, removeCacheControl(field)]))
}
