import { foundNamesOf } from '../programs/checkers/check-find.js'
import type { ExpansionListener } from '../words/expand-word.js'
import { isKnown, mayBeOption, type ShellWord, toKnownWord } from '../words/shell-word.js'
import { folderWordOf } from './paths-of.js'
import type { ExpandedCommand } from './walker.js'

/** The most words of a loop whose values are kept. */
export const MAX_LOOP_WORDS = 64

export function isTildePath({ text, isQuoted }: ShellWord): boolean {
  return text.startsWith('~') && isQuoted !== true
}

export const SILENT_LISTENER: ExpansionListener = { onScript: () => undefined, onProblem: () => undefined }
const NAME_TESTS = /^-(?:i?name|i?path|type|maxdepth|mindepth|size|[mac]time|[mac]min|newer)$/

/** Returns the names that `find ROOT… TESTS -print0` prints; undefined for any other use of `find`. */
export function findNamesOf(words: readonly ShellWord[]): ShellWord | undefined {
  if (!words.every(isKnown) || words.at(-1)?.text !== '-print0') return undefined
  const end = words.findIndex(({ text }) => /^[-(!,]/.test(text))
  const tests = words.slice(end, -1)
  const areTestsPlain = tests.every(({ text }, index) =>
    index % 2 === 0 ? NAME_TESTS.test(text) : !text.startsWith('-'),
  )
  if (!areTestsPlain || tests.length % 2 === 1) return undefined
  const roots = end === 0 ? [toKnownWord('.')] : words.slice(0, end)
  const names = foundNamesOf(words)
  return { text: '…', knownLength: 0, spread: 'prefixed', cannotBeOption: true, below: roots, names }
}

/** Returns what a loop variable holds if every word of the loop names a file or is a glob; undefined otherwise. */
export function toFileName(words: readonly ShellWord[]): ShellWord | undefined {
  const folders = words.map((word) => (isKnown(word) ? word : folderWordOf(word)))
  if (words.length === 0 || words.length > MAX_LOOP_WORDS || folders.includes(undefined)) return undefined
  return {
    text: '…',
    knownLength: 0,
    spread: 'one',
    cannotBeOption: !words.some(mayBeOption) && !words.some((word) => isKnown(word) && word.text.startsWith('-')),
    below: folders.filter((folder) => folder !== undefined),
    globs: words,
  }
}

/** Whether the command is `xargs -0`, with no other option, on its standard input. */
export function readsNulEndedNames({ words, redirections }: ExpandedCommand): boolean {
  const [program, option, next] = words
  if (program?.text !== 'xargs' || redirections.reads.length > 0 || redirections.input !== undefined) return false
  return (option?.text === '-0' || option?.text === '-0r') && next?.text.startsWith('-') === false
}
