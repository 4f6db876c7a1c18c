import type { CommandUsage } from '../command-spec.js'
import { parseArguments } from '../parse-arguments.js'
import { isKnown, type ShellWord, WORDS_FROM_ELSEWHERE } from '../shell-word.js'
import type { Checker } from './checker.js'

const XARGS: CommandUsage = {
  options: {
    flags: '-0 -r -t -x --null --no-run-if-empty --verbose --exit --show-limits',
    values: '-I -n -L -P -s -d -E --max-args --max-procs --max-chars --delimiter',
    attached: '-i -l -e --replace --max-lines --eof',
    roles: { reads: '-a --arg-file' },
  },
  operands: ['command'],
  style: 'posix',
}

/** `xargs COMMAND`: runs it with words from its input, which nobody knows. */
export const checkXargs: Checker = (words, draft) => {
  const { problem, operands, values, options } = parseArguments(XARGS, words)
  if (problem !== undefined) {
    draft.refuse(problem)
    draft.isUnresolved = true
  }
  for (const { role, word } of values) if (role === 'reads') draft.reads.push({ word, isTree: false })
  if (operands.length === 0) return
  const given = values.find(({ option }) => option === '-I' || option === '--replace' || option === '-i')
  const isPlaced = given !== undefined || options.has('-i') || options.has('--replace')
  if (given !== undefined && !isKnown(given.word)) draft.refuse('a mark that is not known before it runs')
  const mark = given === undefined ? '{}' : given.word.text
  const inner = isPlaced ? operands.map((word) => putIn(word, mark)) : [...operands, WORDS_FROM_ELSEWHERE]
  draft.inner.push({ kind: 'command', words: inner, assignments: [], isTransparent: false })
}

/** A line of the input stands where the mark stood: one word, of which only the start may be known. */
function putIn(word: ShellWord, mark: string): ShellWord {
  const at = mark === '' ? 0 : word.text.indexOf(mark)
  if (at === -1 || (!isKnown(word) && word.known < at)) return word
  return { text: word.text, known: at, spread: word.spread }
}
