import type { SchemaIssue } from '../../contract/schema.js'
import type { Tool } from '../../contract/tool/tool.js'
import { isObject } from '../../shared/is-record.js'
import type { Input } from '../call.js'
import { checkSchema, type SchemaCheck } from './check-schema.js'
import { toIssuePath } from './issue-lines.js'

export interface Repair {
  readonly value: Input
  /** The paths of decoded values. An empty string means the whole input. */
  readonly paths: readonly string[]
}

/** Decoded values can contain encoded ones, and each round decodes one level. No model is known to nest deeper. */
const MAX_ROUNDS = 4

/**
 * Models often send a number, boolean, list or object as JSON text. Decodes the strings at the paths that failed
 * validation, and returns the repaired input if it is then valid. The input itself is not modified.
 */
export async function repairInput(
  tool: Tool,
  input: unknown,
  issues: readonly SchemaIssue[],
): Promise<Repair | undefined> {
  let value = input
  let currentIssues = issues
  const paths = new Set<string>()
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const draft = new InputDraft(value)
    for (const path of currentIssues.flatMap(listFailedPaths)) if (draft.decodeAt(path)) paths.add(path.join('.'))
    if (!draft.isChanged) return undefined
    value = draft.value
    const check: SchemaCheck = await checkSchema(tool, value)
    if (check.issues === undefined) return { value: check.value, paths: [...paths] }
    currentIssues = check.issues
  }
  return undefined
}

/** Returns the paths that an issue is about. For a union without a matching branch, includes the paths of each branch. */
function listFailedPaths(issue: SchemaIssue): readonly (readonly string[])[] {
  const path = toIssuePath(issue)
  const { errors } = issue as { errors?: unknown }
  if (!Array.isArray(errors)) return [path]
  const branchPaths = errors
    .flat()
    .filter(isObject)
    .flatMap((each) => listFailedPaths(each as unknown as SchemaIssue))
  return [path, ...branchPaths.map((innerPath) => [...path, ...innerPath])]
}

/** A value under repair. Containers are copied on their first change. */
class InputDraft {
  value: unknown
  isChanged = false
  readonly #copies = new Set<object>()

  constructor(value: unknown) {
    this.value = value
  }

  /** Decodes the string at a path. Returns whether it was JSON that can be decoded without loss. */
  decodeAt(path: readonly string[]): boolean {
    const decodedValue = decodeJson(readValueAt(this.value, path))
    if (decodedValue === undefined || path.includes('__proto__')) return false
    this.#replace(path, decodedValue.value)
    this.isChanged = true
    return true
  }

  #replace(path: readonly string[], replacement: unknown): void {
    const key = path.at(-1)
    if (key === undefined) {
      this.value = replacement
      return
    }
    this.value = this.#toWritableCopy(this.value)
    let parent = this.value as Record<string, unknown>
    for (const step of path.slice(0, -1)) {
      const child = this.#toWritableCopy(parent[step])
      parent[step] = child
      parent = child
    }
    parent[key] = replacement
  }

  #toWritableCopy(container: unknown): Record<string, unknown> {
    if (this.#copies.has(container as object)) return container as Record<string, unknown>
    const copy = Array.isArray(container) ? [...container] : { ...(container as object) }
    this.#copies.add(copy)
    return copy as Record<string, unknown>
  }
}

function decodeJson(value: unknown): { value: unknown } | undefined {
  if (typeof value !== 'string') return undefined
  try {
    const decodedValue: unknown = JSON.parse(value)
    return isExact(value, decodedValue) ? { value: decodedValue } : undefined
  } catch {
    // Not JSON, so the model meant the string itself.
    return undefined
  }
}

/** Whether decoding a text loses nothing. A long sequence of digits is an identifier, and would lose precision as a number. */
function isExact(text: string, decodedValue: unknown): boolean {
  if (typeof decodedValue !== 'number') return true
  const isWhole = /^\s*-?\d+\s*$/.test(text)
  return (
    Number.isFinite(decodedValue) &&
    (!isWhole || Number.isSafeInteger(decodedValue) || String(decodedValue) === text.trim())
  )
}

function readValueAt(value: unknown, path: readonly string[]): unknown {
  let current = value
  for (const key of path) {
    if (!isObject(current) || !Object.hasOwn(current, key)) return undefined
    current = current[key]
  }
  return current
}
