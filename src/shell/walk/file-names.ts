import { foundNamesOf } from '../programs/checkers/check-find.js'
import type { ExpansionListener } from '../words/expand-word.js'
import { folderWordOf } from '../words/glob-words.js'
import type { InputNames } from '../words/scope.js'
import { type FoundNames, isKnown, type ShellWord, toKnownWord } from '../words/shell-word.js'
import type { ExpandedCommand } from './walker.js'

/** For loops over more words, the values of the loop variable are not tracked. */
export const MAX_LOOP_WORDS = 64

export function isTildePath({ text, isQuoted }: ShellWord): boolean {
  return text.startsWith('~') && isQuoted !== true
}

export const SILENT_LISTENER: ExpansionListener = { onScript: () => undefined, onProblem: () => undefined }
const NAME_TESTS = /^-(?:i?name|i?path|type|maxdepth|mindepth|size|[mac]time|[mac]min|newer)$/

/** Text that neither xargs nor the shell splits or interprets. */
const PLAIN_PATH = /^[A-Za-z0-9_./@+-]+$/

/** Returns the file names that a command prints; undefined if they are unknown. */
export function printedNamesOf(program: string, words: readonly ShellWord[]): InputNames | undefined {
  if (!words.every(isKnown)) return undefined
  return program === 'rg' ? findNamesPrintedByRg(words) : findNamesPrintedByFind(words)
}

/** The programs of which the file names that they print are known. */
export const NAME_PRINTERS: ReadonlySet<string> = new Set(['find', 'rg'])

/** Parses `find ROOT… TESTS [-print0]`. */
function findNamesPrintedByFind(words: readonly ShellWord[]): InputNames | undefined {
  const isNul = words.at(-1)?.text === '-print0'
  const body = isNul ? words.slice(0, -1) : words
  const firstTest = body.findIndex(({ text }) => /^[-(!,]/.test(text))
  const end = firstTest === -1 ? body.length : firstTest
  const tests = body.slice(end)
  const areTestsPlain = tests.every(({ text }, index) =>
    index % 2 === 0 ? NAME_TESTS.test(text) : !text.startsWith('-'),
  )
  if (!areTestsPlain || tests.length % 2 === 1) return undefined
  return toInputNames(end === 0 ? [toKnownWord('.')] : body.slice(0, end), foundNamesOf(words), isNul)
}

/** Parses `rg -l PATTERN ROOT…`, which lists no symbolic links. */
function findNamesPrintedByRg([option, pattern, ...roots]: readonly ShellWord[]): InputNames | undefined {
  const isPlain = option?.text === '-l' && pattern?.text.startsWith('-') === false && roots.length > 0
  return isPlain ? toInputNames(roots, { excludesLinks: true, suffix: '' }, false) : undefined
}

function toInputNames(roots: readonly ShellWord[], names: FoundNames, isNul: boolean): InputNames | undefined {
  if (roots.some(({ text }) => text.startsWith('-') || !PLAIN_PATH.test(text))) return undefined
  const word: ShellWord = {
    ...{ text: '…', knownLength: 0, spread: 'prefixed', searchRoots: roots },
    // A name that is split at a blank or newline may become an option.
    cannotBeOption: isNul,
    names: isNul ? names : { ...names, mustBePlain: true },
  }
  return { word, end: isNul ? 'nul' : 'newline' }
}

/** Returns a word for the file name that a loop variable holds; undefined unless every word of the loop is known or a glob. */
export function toFileName(words: readonly ShellWord[]): ShellWord | undefined {
  const folders = words.map((word) => (isKnown(word) ? word : folderWordOf(word)))
  if (words.length === 0 || words.length > MAX_LOOP_WORDS || folders.includes(undefined)) return undefined
  return {
    text: '…',
    knownLength: 0,
    spread: 'one',
    // The files that a glob matches are checked separately: none may start with a dash.
    cannotBeOption: !words.some((word) => isKnown(word) && word.text.startsWith('-')),
    searchRoots: folders.filter((folder) => folder !== undefined),
    globs: words,
  }
}

/** Returns the names that `xargs` reads from its input, if it has no option that changes how it splits them. */
export function findNamesReadBy(
  { words, redirections }: ExpandedCommand,
  inputNames: InputNames | undefined,
): ShellWord | undefined {
  if (inputNames === undefined || words[0]?.text !== 'xargs') return undefined
  if (redirections.replacesInput) return undefined
  const isNul = /^(?:-0|-0r|-r0|--null)$/.test(words[1]?.text ?? '')
  const command = isNul ? words[2] : words[1]
  if (command === undefined || command.text.startsWith('-')) return undefined
  return isNul === (inputNames.end === 'nul') ? inputNames.word : undefined
}
