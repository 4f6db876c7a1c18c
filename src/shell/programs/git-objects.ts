import { isKnown, type ShellWord, toKnownWord } from '../words/shell-word.js'
import type { EffectsDraft } from './effects.js'

/** Subcommands that print the content of the files that `revision:path` or a pathspec names. */
const OBJECT_PRINTERS: ReadonlySet<string> = new Set(
  'show cat-file config diff log grep blame annotate archive whatchanged diff-files diff-index diff-tree format-patch'.split(
    ' ',
  ),
)

/** Options with which the names of the printed objects come from the input. */
const INPUT_OPTION = /^--(?:batch|batch-command|stdin)(?:=|$)/

/** A pathspec that means other files than the one with this name: `:(glob)**`, `:/`, `*.pem`. */
const PATHSPEC_PATTERN = /^:[/!^(]|[*?[\\]/

/** Whether a word may be a pathspec that means files by a pattern. */
function isPathspecPattern({ text }: ShellWord): boolean {
  return !text.startsWith('-') && PATHSPEC_PATTERN.test(text)
}

/** Adds the files whose content git prints from its object database. Rules for a file apply to its earlier versions too. */
export function addObjectReads([subcommand, ...args]: readonly ShellWord[], draft: EffectsDraft): void {
  if (subcommand === undefined || !OBJECT_PRINTERS.has(subcommand.text)) return
  for (const word of args) {
    const path = isKnown(word) ? pathOfObject(word.text) : undefined
    if (path !== undefined) draft.reads.push({ word: toKnownWord(path), isTree: false })
  }
  const mayMeanAny = args.some((word) => INPUT_OPTION.test(word.text) || isPathspecPattern(word))
  if (subcommand.text === 'grep') addSearchedFiles(args, draft)
  else if (mayMeanAny) draft.reads.push(ANY_FILE)
}

const ANY_FILE = { word: toKnownWord('.'), isTree: true }

/**
 * Returns the path in `revision:path`, `:path`, `:0:path` or `-L1,2:path`. Undefined for `:/text`, which searches commit
 * messages.
 */
function pathOfObject(text: string): string | undefined {
  if (text.startsWith('-') && !text.startsWith('-L')) return undefined
  const [, path] = /^(?::[0-3](?=:)|[^:\s]*):([^/:\s][^\s]*)$/.exec(text) ?? []
  return path
}

/** `git grep` searches the files below its pathspecs. A pathspec with wildcards or magic may match any file. */
function addSearchedFiles(args: readonly ShellWord[], draft: EffectsDraft): void {
  const end = args.findIndex(({ text }) => text === '--')
  const pathspecs = end === -1 ? [] : args.slice(end + 1)
  const arePathspecsPlain = pathspecs.length > 0 && pathspecs.every((word) => isKnown(word) && !isPathspecPattern(word))
  if (!arePathspecsPlain) draft.reads.push(ANY_FILE)
  else for (const word of pathspecs) draft.reads.push({ word, isTree: true })
}
