import type { SchemaIssue } from '../../contract/schema.js'
import { takeHead } from '../../results/preview.js'
import { reasonOf } from '../../shared/reason-of.js'

/** These limits leave enough for a model to correct itself, and keep the message short for a hostile input. */
const MAX_LINES = 20
const MAX_LINE_LENGTH = 300
const MAX_VALUE_LENGTH = 60

/** Describes each issue in one line that helps the model to correct itself: path, expected and received value. */
export function describeIssues(issues: readonly SchemaIssue[], input: unknown): string {
  const lines = issues.slice(0, MAX_LINES).map((issue) => takeHead(`- ${describeIssue(issue, input)}`, MAX_LINE_LENGTH))
  const omittedCount = issues.length - lines.length
  return [...lines, ...(omittedCount > 0 ? [`- and ${omittedCount} more`] : [])].join('\n')
}

function describeIssue(issue: SchemaIssue, input: unknown): string {
  const path = toIssuePath(issue)
  const label = path.length === 0 ? 'input' : path.join('.')
  const problem = reasonOf(issue)
    .replace(/^Invalid input: /, '')
    .replace(/\s+/g, ' ')
  const { exists, value } = readValueAt(input, path)
  // For a missing parameter, libraries report `received undefined`, which would confuse a model.
  if (!exists) return `${label}: is missing${extractExpectation(problem)}`
  return /received|unrecognized|not a parameter/i.test(problem)
    ? `${label}: ${problem}`
    : `${label}: ${problem}, received ${toExcerpt(value)}`
}

function extractExpectation(problem: string): string {
  const expected = /expected (.+), received undefined$/.exec(problem)?.[1]
  return expected === undefined ? '' : `, expected ${expected}`
}

function readValueAt(input: unknown, path: readonly string[]): { readonly exists: boolean; readonly value?: unknown } {
  let value = input
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return { exists: false }
    value = (value as Record<string, unknown>)[key]
  }
  return { exists: true, value }
}

function toExcerpt(value: unknown): string {
  try {
    const text = JSON.stringify(value) ?? typeof value
    return text.length <= MAX_VALUE_LENGTH ? text : `${takeHead(text, MAX_VALUE_LENGTH)}…`
  } catch {
    // JSON cannot represent the value, for example a cycle or a bigint.
    return typeof value
  }
}

export function toIssuePath({ path }: SchemaIssue): readonly string[] {
  if (!Array.isArray(path)) return []
  return path.map((part: unknown) =>
    String(typeof part === 'object' && part !== null && 'key' in part ? part.key : part),
  )
}
