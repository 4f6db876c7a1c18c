import type { Command, ParsedScript, SyntaxNode } from 'unbash'

/** Commands that print a number or the name of a commit, whatever they find, or nothing at all. */
const PLAIN = [
  /^git rev-parse(?: --short| --verify)? (?:HEAD|@|main|master)(?:[~^]\d{0,3})?$/,
  /^git merge-base [A-Za-z][A-Za-z0-9_/]* [A-Za-z][A-Za-z0-9_/]*$/,
  /^(?:id -u|nproc|date \+%s)$/,
]

/** Whether what a substitution gives is at most one word, of letters and digits: no option, and no name with a subscript. */
export function hasPlainOutput(script: ParsedScript | undefined): boolean {
  if (script === undefined || script.commands.length !== 1) return false
  const node = script.commands[0]?.command
  if (node === undefined) return false
  if (node.type === 'Pipeline') return node.commands.length > 1 && isCount(node.commands.at(-1))
  if (node.type !== 'Command' || node.prefix.length > 0) return false
  if (isCount(node)) return node.redirects.length > 0
  return node.redirects.length === 0 && PLAIN.some((form) => form.test(wordsOf(node) ?? ''))
}

/** `wc` of its input prints one number. */
function isCount(node: SyntaxNode | undefined): boolean {
  return node?.type === 'Command' && node.prefix.length === 0 && /^wc -[clmw]$/.test(wordsOf(node) ?? '')
}

function wordsOf({ name, args }: Command): string | undefined {
  const words = [name, ...args]
  const isPlain = words.every((word) => word?.type === 'Word' && word.parts === undefined)
  return isPlain ? words.map((word) => word?.text).join(' ') : undefined
}
