import { isKnown, type ShellWord, toKnownWord } from '../words/shell-word.js'
import type { EffectsDraft } from './effects.js'

/** Subcommands that print the content of files which `revision:path` or a pathspec names. */
const PRINTERS: ReadonlySet<string> = new Set(
  'show cat-file diff log grep blame annotate archive whatchanged'.split(' '),
)

/** Adds the files whose content git prints from its objects. Rules for files apply to their earlier content too. */
export function addObjectReads([subcommand, ...args]: readonly ShellWord[], draft: EffectsDraft): void {
  if (subcommand === undefined || !PRINTERS.has(subcommand.text)) return
  for (const word of args) {
    const path = isKnown(word) ? pathOfObject(word.text) : undefined
    if (path !== undefined) draft.reads.push({ word: toKnownWord(path), isTree: false })
  }
  if (subcommand.text === 'grep') addSearchedFiles(args, draft)
}

/** `revision:path`, `:path`, `:0:path` and `-L1,2:path`, but not `:/text`, which searches messages. */
function pathOfObject(text: string): string | undefined {
  if (text.startsWith('-') && !text.startsWith('-L')) return undefined
  const [, path] = /^(?::[0-3](?=:)|[^:\s]*):([^/:\s][^\s]*)$/.exec(text) ?? []
  return path
}

/** `git grep` searches the files below its pathspecs, of which a pattern may mean any file. */
function addSearchedFiles(args: readonly ShellWord[], draft: EffectsDraft): void {
  const end = args.findIndex(({ text }) => text === '--')
  const pathspecs = end === -1 ? [] : args.slice(end + 1)
  const arePlain = pathspecs.length > 0 && pathspecs.every((word) => isKnown(word) && !/[*?[\\]|^:/.test(word.text))
  for (const word of arePlain ? pathspecs : [toKnownWord('.')]) draft.reads.push({ word, isTree: true })
}
