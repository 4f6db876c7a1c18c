import type { Command, ParsedScript, SyntaxNode, Word } from 'unbash'

/** Commands that print numbers, whatever they find, or nothing at all. */
const NUMBER = /^(?:id -u|nproc|date \+%s)$/
/** Commands that print a commit, or the name that they were given. */
const COMMITS = [
  /^git rev-parse(?: --short| --verify)? (?:HEAD|@|main|master)(?:[~^]\d{0,3})?$/,
  /^git merge-base [A-Za-z][A-Za-z0-9_/]* [A-Za-z][A-Za-z0-9_/]*$/,
]

/** Whether what a substitution gives is at most one word, of letters and digits: no option, and no name with a subscript. */
export function hasPlainOutput(script: ParsedScript | undefined): boolean {
  return givesNumber(script) || COMMITS.some((form) => form.test(onlyCommand(script) ?? ''))
}

/** Whether a substitution gives a number, or nothing. */
export function givesNumber(script: ParsedScript | undefined): boolean {
  const node = script?.commands.length === 1 ? script.commands[0]?.command : undefined
  if (node?.type === 'Pipeline') return node.commands.length > 1 && isCount(node.commands.at(-1))
  if (node?.type === 'Command' && isCount(node)) return node.redirects.length > 0
  return NUMBER.test(onlyCommand(script) ?? '')
}

/** Whether a word of a loop gives numbers only. */
export function givesNumbers({ text, parts }: Word): boolean {
  if (/^(?:\d{1,9}|\{\d{1,9}\.\.\d{1,9}\})$/.test(text)) return true
  const [part] = parts ?? []
  if (parts?.length !== 1 || part?.type !== 'CommandExpansion') return false
  return /^seq(?: \d{1,9}){1,3}$/.test(onlyCommand(part.script) ?? '')
}

/** The words of a script that is one plain command. */
function onlyCommand(script: ParsedScript | undefined): string | undefined {
  const node = script?.commands.length === 1 ? script.commands[0]?.command : undefined
  if (node?.type !== 'Command' || node.prefix.length + node.redirects.length > 0) return undefined
  return wordsOf(node)
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
