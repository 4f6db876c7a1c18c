import { isKnown, type ShellWord, WORDS_FROM_ELSEWHERE } from '../../words/shell-word.js'
import type { CommandUsage } from '../command-spec.js'
import { parseArguments } from '../parse-arguments.js'
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

const MARKS: readonly string[] = ['-I', '-i', '--replace']
const COUNTS: readonly string[] = ['-n', '-L', '-l', '--max-args', '--max-lines']

/** `xargs COMMAND`: runs it with words from its input, which nobody knows. */
export const checkXargs: Checker = (words, draft) => {
  const { problem, operands, values, options } = parseArguments(XARGS, words)
  if (problem !== undefined) {
    draft.refuse(problem)
    draft.isUnresolved = true
  }
  for (const { role, word } of values) if (role === 'reads') draft.reads.push({ word, isTree: false })
  if (operands.length === 0) return
  const marks = MARKS.filter((option) => options.has(option))
  const [given, ...others] = values.filter(({ option }) => MARKS.includes(option))
  const isPlaced = marks.length > 0
  if (given !== undefined && !isKnown(given.word)) draft.refuse('a mark that is not known before it runs')
  // The last of them counts, and a number of words behind a mark takes it back.
  const isTakenBack = others.length > 0 || marks.length > 1 || COUNTS.some((option) => options.has(option))
  if (isPlaced && isTakenBack) draft.refuse('a mark that another option takes back')
  const mark = given === undefined ? '{}' : given.word.text
  const inner = isPlaced ? operands.map((word) => putIn(word, mark)) : [...operands, WORDS_FROM_ELSEWHERE]
  draft.inner.push({ kind: 'command', words: inner, assignments: [], isTransparent: false })
}

/** A line of the input stands where the mark stood: one word, of which only the start may be known. */
function putIn(word: ShellWord, mark: string): ShellWord {
  const at = mark === '' ? 0 : word.text.indexOf(mark)
  // What is not known may hold the mark, too.
  if (at === -1) return isKnown(word) ? word : { text: word.text, known: 0, spread: word.spread }
  return { text: word.text, known: Math.min(at, word.known), spread: word.spread }
}
