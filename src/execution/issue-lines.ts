import type { SchemaIssue } from '../contract/schema.js'

/** Enough for a model to correct itself; a hostile input must not make an endless answer. */
const MAX_LINES = 20
const MAX_LINE_LENGTH = 300

/** One line for each issue, for a model to correct itself by: where, what was expected, what came. */
export function issueLines(issues: readonly SchemaIssue[], input: unknown): string {
  const lines = issues.slice(0, MAX_LINES).map((issue) => `- ${line(issue, input)}`.slice(0, MAX_LINE_LENGTH))
  const more = issues.length - lines.length
  return [...lines, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
}

function line(issue: SchemaIssue, input: unknown): string {
  const path = issuePath(issue)
  const where = path.length === 0 ? 'input' : path.join('.')
  if (isMissing(issue, path, input)) return `${where}: is missing`
  return `${where}: ${issue.message.replace(/^Invalid input: /, '').replace(/\s+/g, ' ')}`
}

/** Libraries say of a missing parameter that `undefined` came, which no model ever sent. */
function isMissing({ message }: SchemaIssue, path: readonly string[], input: unknown): boolean {
  if (path.length === 0 || !/received undefined/.test(message)) return false
  const parent = path
    .slice(0, -1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], input)
  return typeof parent !== 'object' || parent === null || !(String(path.at(-1)) in parent)
}

export function issuePath({ path = [] }: SchemaIssue): readonly string[] {
  return path.map((part) => String(typeof part === 'object' ? part.key : part))
}
