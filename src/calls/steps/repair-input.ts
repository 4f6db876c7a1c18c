import type { SchemaIssue } from '../../contract/schema.js'
import type { Tool } from '../../contract/tool/tool.js'
import { isObject } from '../../shared/is-record.js'
import type { Input } from '../call.js'
import { checkSchema, type SchemaCheck } from './check-schema.js'
import { issuePath } from './issue-lines.js'

export interface Repair {
  readonly value: Input
  /** Where a value was decoded; an empty text is the input as a whole. */
  readonly paths: readonly string[]
}

/** Encoded values may hold encoded ones; no model was seen to go deeper. */
const MAX_ROUNDS = 4

/**
 * Models often send a number, boolean, list or object as JSON text. Where the input as sent fails, decodes the texts at
 * the places that failed, and gives the repaired input if that passes. What was sent is never changed.
 */
export async function repairInput(
  tool: Tool,
  input: unknown,
  issues: readonly SchemaIssue[],
): Promise<Repair | undefined> {
  let value = input
  let failing = issues
  const paths = new Set<string>()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const draft = new Draft(value)
    for (const path of failing.flatMap(failedPlaces)) if (draft.decodeAt(path)) paths.add(path.join('.'))
    if (!draft.isChanged) return undefined
    value = draft.value
    const check: SchemaCheck = await checkSchema(tool, value)
    if (check.issues === undefined) return { value: check.value, paths: [...paths] }
    failing = check.issues
  }
  return undefined
}

/** Where an issue says that something is wrong; of a union that fits in no branch, what is wrong with each. */
function failedPlaces(issue: SchemaIssue): readonly (readonly string[])[] {
  const path = issuePath(issue)
  const { errors } = issue as { errors?: unknown }
  if (!Array.isArray(errors)) return [path]
  const inner = errors
    .flat()
    .filter(isObject)
    .flatMap((each) => failedPlaces(each as unknown as SchemaIssue))
  return [path, ...inner.map((below) => [...path, ...below])]
}

/** A value under repair: containers are copied once, when something inside them is first changed. */
class Draft {
  value: unknown
  isChanged = false
  readonly #own = new Set<object>()

  constructor(value: unknown) {
    this.value = value
  }

  /** True where the text at a place was JSON, and stands decoded now. */
  decodeAt(path: readonly string[]): boolean {
    const decoded = decodeJson(valueAt(this.value, path))
    if (decoded === undefined || path.includes('__proto__')) return false
    this.#replace(path, decoded.value)
    this.isChanged = true
    return true
  }

  #replace(path: readonly string[], replacement: unknown): void {
    const key = path.at(-1)
    if (key === undefined) {
      this.value = replacement
      return
    }
    this.value = this.#owned(this.value)
    let parent = this.value as Record<string, unknown>
    for (const step of path.slice(0, -1)) {
      const child = this.#owned(parent[step])
      parent[step] = child
      parent = child
    }
    parent[key] = replacement
  }

  #owned(container: unknown): Record<string, unknown> {
    if (this.#own.has(container as object)) return container as Record<string, unknown>
    const copy = Array.isArray(container) ? [...container] : { ...(container as object) }
    this.#own.add(copy)
    return copy as Record<string, unknown>
  }
}

function decodeJson(value: unknown): { value: unknown } | undefined {
  if (typeof value !== 'string') return undefined
  try {
    const decoded: unknown = JSON.parse(value)
    return isExact(value, decoded) ? { value: decoded } : undefined
  } catch {
    // Not JSON: then it is what the model meant to send.
    return undefined
  }
}

/** A long row of digits is a name, and would be another number once decoded. */
function isExact(text: string, decoded: unknown): boolean {
  if (typeof decoded !== 'number') return true
  const isWhole = /^\s*-?\d+\s*$/.test(text)
  return Number.isFinite(decoded) && (!isWhole || Number.isSafeInteger(decoded) || String(decoded) === text.trim())
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value
  for (const key of path) {
    if (!isObject(at) || !Object.hasOwn(at, key)) return undefined
    at = at[key]
  }
  return at
}
