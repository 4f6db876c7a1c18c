import { isKnown, type ShellWord, UNKNOWN_WORDS } from '../../words/shell-word.js'
import type { CommandUsage } from '../command-spec.js'
import { parseArguments } from '../parse-arguments.js'
import type { Checker } from './checker.js'

const XARGS_USAGE: CommandUsage = {
  options: {
    flags: '-0 -r -t -x --null --no-run-if-empty --verbose --exit --show-limits',
    values: '-I -n -L -P -s -d -E --max-args --max-procs --max-chars --delimiter',
    attached: '-i -l -e --replace --max-lines --eof',
    roles: { reads: '-a --arg-file' },
  },
  operands: ['command'],
  style: 'posix',
}

const REPLACE_OPTIONS: readonly string[] = ['-I', '-i', '--replace']
const COUNT_OPTIONS: readonly string[] = ['-n', '-L', '-l', '--max-args', '--max-lines']

/** `xargs COMMAND` runs a command with words that it reads from its input. */
export const checkXargs: Checker = (words, draft) => {
  const { problem, operands, values, options } = parseArguments(XARGS_USAGE, words)
  if (problem !== undefined) {
    draft.refuse(problem)
    draft.isUnresolved = true
  }
  for (const { role, word } of values) if (role === 'reads') draft.reads.push({ word, isTree: false })
  if (operands.length === 0) return
  const replaceOptions = REPLACE_OPTIONS.filter((option) => options.has(option))
  const [placeholderValue, ...others] = values.filter(({ option }) => REPLACE_OPTIONS.includes(option))
  const isReplaced = replaceOptions.length > 0
  if (placeholderValue !== undefined && !isKnown(placeholderValue.word))
    draft.refuse('has a placeholder that is known only at run time')
  // The last of these options wins, and a count option cancels the replacement.
  const isAmbiguous =
    others.length > 0 || replaceOptions.length > 1 || COUNT_OPTIONS.some((option) => options.has(option))
  if (isReplaced && isAmbiguous) draft.refuse('has a placeholder that another option cancels')
  const placeholder = placeholderValue === undefined ? '{}' : placeholderValue.word.text
  const innerWords = isReplaced ? operands.map((word) => substitute(word, placeholder)) : [...operands, UNKNOWN_WORDS]
  draft.innerCommands.push({ kind: 'command', words: innerWords, assignments: [], isTransparent: false })
}

/** Replaces the placeholder with an input line: the result is one word whose text is known only before the placeholder. */
function substitute(word: ShellWord, placeholder: string): ShellWord {
  const at = placeholder === '' ? 0 : word.text.indexOf(placeholder)
  // An unknown word may contain the placeholder.
  if (at === -1) return isKnown(word) ? word : { text: word.text, knownLength: 0, spread: word.spread }
  return { text: word.text, knownLength: Math.min(at, word.knownLength), spread: word.spread }
}
