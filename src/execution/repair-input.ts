import type { SchemaIssue } from '../contract/schema.js'
import type { Tool } from '../contract/tool.js'
import type { MaybePromise } from '../shared/maybe-promise.js'
import { checkSchema } from './check-schema.js'
import { issuePath } from './issue-lines.js'

export interface Repair {
  readonly value: unknown
  /** Where a value was decoded; an empty text is the input as a whole. */
  readonly paths: readonly string[]
}

/** Nested values may come encoded inside encoded ones; no model was seen to go deeper. */
const MAX_ROUNDS = 3

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
  const paths: string[] = []
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const decoded = decodeAt(value, failing)
    if (decoded === undefined) return undefined
    value = decoded.value
    paths.push(...decoded.paths)
    const check: MaybePromise<Awaited<ReturnType<typeof checkSchema>>> = checkSchema(tool, value)
    const result = await check
    if (result.issues === undefined) return { value: result.value, paths }
    failing = result.issues
  }
  return undefined
}

function decodeAt(value: unknown, issues: readonly SchemaIssue[]): Repair | undefined {
  let current = value
  const paths: string[] = []
  for (const issue of issues) {
    const path = issuePath(issue)
    const decoded = decodeJson(valueAt(current, path))
    if (decoded === undefined) continue
    current = replaceAt(current, path, decoded.value)
    paths.push(path.join('.'))
  }
  return paths.length === 0 ? undefined : { value: current, paths }
}

function decodeJson(value: unknown): { value: unknown } | undefined {
  if (typeof value !== 'string') return undefined
  try {
    const decoded: unknown = JSON.parse(value)
    return typeof decoded === 'string' || decoded === null ? undefined : { value: decoded }
  } catch {
    // Not JSON: then it is what the model meant to send.
    return undefined
  }
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>((at, key) => (isContainer(at) && Object.hasOwn(at, key) ? at[key] : undefined), value)
}

function replaceAt(value: unknown, [key, ...rest]: readonly string[], replacement: unknown): unknown {
  if (key === undefined) return replacement
  if (!isContainer(value)) return value
  const copy: Record<string, unknown> = Array.isArray(value) ? Object.assign([], value) : { ...value }
  copy[key] = replaceAt(copy[key], rest, replacement)
  return copy
}

function isContainer(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
