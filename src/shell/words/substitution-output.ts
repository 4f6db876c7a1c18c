import type { Command, ParsedScript, Word } from 'unbash'

/** Commands that print a number, or nothing if they fail. */
const NUMBER_COMMAND = /^(?:id -u|nproc|date \+%s)$/
/** Commands that print a commit ID, or the name that they were given if it is not a commit. */
const COMMIT_COMMANDS = [
  /^git rev-parse(?: --short| --verify)? (?:HEAD|@|main|master)(?:[~^]\d{0,3})?$/,
  /^git merge-base [A-Za-z][A-Za-z0-9_/]* [A-Za-z][A-Za-z0-9_/]*$/,
]

/**
 * Whether a substitution expands to at most one word, which is neither an option nor a name with a subscript.
 */
export function printsPlainWord(script: ParsedScript | undefined): boolean {
  return printsNumber(script) || COMMIT_COMMANDS.some((form) => form.test(textOfOnlyCommand(script) ?? ''))
}

/** Whether a substitution expands to a number or nothing. */
export function printsNumber(script: ParsedScript | undefined): boolean {
  const node = script?.commands.length === 1 ? script.commands[0]?.command : undefined
  if (node?.type === 'Pipeline') {
    const lastCommand = node.commands.at(-1)
    return (
      node.commands.length > 1 &&
      lastCommand?.type === 'Command' &&
      isWordCount(lastCommand) &&
      lastCommand.redirects.length === 0
    )
  }
  if (node?.type === 'Command' && isWordCount(node)) return hasOnlyInput(node)
  return NUMBER_COMMAND.test(textOfOnlyCommand(script) ?? '')
}

/** Whether a word in the list of a `for` loop expands to numbers only. */
export function expandsToNumbers({ text, parts }: Word): boolean {
  if (/^(?:\d{1,9}|\{\d{1,9}\.\.\d{1,9}\})$/.test(text)) return true
  const [part] = parts ?? []
  if (parts?.length !== 1 || part?.type !== 'CommandExpansion') return false
  return /^seq(?: \d{1,9}){1,3}$/.test(textOfOnlyCommand(part.script) ?? '')
}

/** Returns the numbers that `$(seq …)` expands to; undefined if the word is not such a substitution or there are too many. */
export function numbersOf({ parts }: Word): readonly string[] | undefined {
  const [part] = parts ?? []
  if (parts?.length !== 1 || part?.type !== 'CommandExpansion') return undefined
  const match = /^seq (?:(\d{1,6}) )?(\d{1,6})$/.exec(textOfOnlyCommand(part.script) ?? '')
  const [start, end] = match === null ? [1, 0] : [Number(match[1] ?? 1), Number(match[2])]
  if (end < start || end - start >= MAX_NUMBERS) return undefined
  return Array.from({ length: end - start + 1 }, (_, index) => String(start + index))
}

const MAX_NUMBERS = 64

/** Returns the text of a script that is one command of literal words; undefined for any other script. */
function textOfOnlyCommand(script: ParsedScript | undefined): string | undefined {
  const node = script?.commands.length === 1 ? script.commands[0]?.command : undefined
  if (node?.type !== 'Command' || node.prefix.length + node.redirects.length > 0) return undefined
  return wordsOf(node)
}

/** Whether a command is a `wc` that prints one number, because it reads its standard input. */
function isWordCount(node: Command): boolean {
  return node.prefix.length === 0 && /^wc -[clmw]$/.test(wordsOf(node) ?? '')
}

/**
 * Whether the only redirection is a plain input. With `2>&1`, the output could be an error message, which contains the name of
 * the file.
 */
function hasOnlyInput({ redirects }: Command): boolean {
  const [redirect] = redirects
  return (
    redirects.length === 1 && redirect?.descriptor === undefined && /^(?:<|<<<|<<-?)$/.test(redirect?.operator ?? '')
  )
}

function wordsOf({ name, args }: Command): string | undefined {
  const words = [name, ...args]
  const isPlain = words.every((word) => word?.type === 'Word' && word.parts === undefined)
  return isPlain ? words.map((word) => word?.text).join(' ') : undefined
}
