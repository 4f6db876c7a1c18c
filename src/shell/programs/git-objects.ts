import { isKnown, type ShellWord, toKnownWord } from '../words/shell-word.js'
import type { EffectsDraft, TouchedWord } from './effects.js'

/** Options with which the names of the printed objects come from the input. */
const INPUT_OPTION = /^--(?:batch|batch-command|stdin)(?:=|$)/

/** A pathspec that means other files than the one with this name: `:(glob)**`, `:/`, `*.pem`. */
const PATHSPEC_PATTERN = /^:[/!^(]|[*?[\\]/

/** Whether a word may be a pathspec that means files by a pattern. */
function isPathspecPattern({ text }: ShellWord): boolean {
  return !text.startsWith('-') && PATHSPEC_PATTERN.test(text)
}

/** Options before the subcommand that change which files a pathspec means, such as `--icase-pathspecs`. */
const PATHSPEC_OPTION = /^--[a-z]+-pathspecs$/

/** Subcommands for which `revision:folder` means all files in the folder. For others it is a list of names. */
const TREE_PRINTERS: ReadonlySet<string> = new Set(['diff', 'diff-tree', 'archive', 'grep'])

/** Subcommands that print the content of the files that `revision:path` or a pathspec names. */
const OBJECT_PRINTERS: ReadonlySet<string> = new Set(
  [
    'show diff log reflog stash status whatchanged diff-files diff-index diff-tree format-patch range-diff rerere archive',
    'fast-export merge-tree notes cat-file config grep blame annotate',
  ].flatMap((names) => names.split(' ')),
)

/**
 * Adds the files whose content git prints from its object database. Rules for a file apply to its earlier versions too. `at` is
 * the index of the subcommand.
 */
export function addObjectReads(words: readonly ShellWord[], at: number, draft: EffectsDraft): void {
  const [subcommand, ...args] = words.slice(at)
  if (subcommand === undefined || !OBJECT_PRINTERS.has(subcommand.text)) return
  const isTree = TREE_PRINTERS.has(subcommand.text)
  const paths = args.filter(isKnown).map(({ text }) => pathsOfObject(text))
  for (const path of paths.flatMap((list) => list ?? [])) {
    // In `git grep TODO:`, the empty text after the colon is not a path.
    if (path !== '' || subcommand.text !== 'grep') draft.reads.push(toObjectRead(path, isTree))
  }
  const hasPathspecOption = words.slice(0, at).some(({ text }) => PATHSPEC_OPTION.test(text))
  const mayMeanAny =
    hasPathspecOption ||
    paths.includes(null) ||
    args.some((word) => INPUT_OPTION.test(word.text) || isPathspecPattern(word))
  if (mayMeanAny) draft.reads.push(ANY_FILE)
  if (subcommand.text === 'grep') addSearchedFiles(args, draft)
  if (subcommand.text === 'diff') addComparedFolders(args, draft)
}

const ANY_FILE: TouchedWord = { word: toKnownWord('.'), isTree: true, isFromRoot: true }

/**
 * Returns the read of a path in a commit. The path is relative to the root of the repository, unless it starts with `./` or
 * `../`.
 */
function toObjectRead(path: string, isTree: boolean): TouchedWord {
  const word = toKnownWord(path === '' ? '.' : path)
  return /^\.{1,2}(?:\/|$)/.test(path) ? { word, isTree } : { word, isTree, isFromRoot: true }
}

/** A name of a commit in the usual forms: `HEAD~2`, `origin/main`, `v1.0^{commit}`, `stash@{1}`, `@{u}`. */
const PLAIN_REVISION = /^(?!\^?\/)(?:[\w./~^+#-]|@(?:\{(?:\d+|u|upstream|push)\})?|\^\{(?:commit|tree|tag|object)?\})+$/
/** `1,5:path` as in `-L1,5:path`. */
const LINE_RANGE = /^(?:-L)?\d+(?:,[+-]?\d+)?:([^:]+)$/
/** `:path` or `:0:path`, which name a version in the index. */
const INDEX_PATH = /^:(?:[0-3]:)?([^:/!^(][^:]*)$/

/**
 * Returns the paths that a word may name: `revision:path`, `:path`, `:0:path` or `-L1,2:path`. Null if it may name any path: a
 * text in braces and a function after `-L:` may contain colons themselves.
 */
function pathsOfObject(text: string): readonly string[] | null {
  const isRange = text.startsWith('-L')
  if (!text.includes(':') || (text.startsWith('-') && !isRange)) return []
  const revision = text.slice(0, text.indexOf(':'))
  const paths: string[] = []
  const rangePath = LINE_RANGE.exec(text)?.[1]
  // Unlike a path in a commit, this one is relative to the working folder.
  if (rangePath !== undefined) paths.push(`./${rangePath}`)
  const indexPath = INDEX_PATH.exec(text)?.[1]
  if (indexPath !== undefined) paths.push(indexPath)
  if (!isRange && PLAIN_REVISION.test(revision)) paths.push(text.slice(revision.length + 1))
  return paths.length === 0 ? null : paths
}

/** Adds the two folders that `git diff` compares outside a repository, or with paths outside it. */
function addComparedFolders(args: readonly ShellWord[], draft: EffectsDraft): void {
  const operands = args.filter(({ text }) => !text.startsWith('-'))
  if (operands.length < 2) return
  for (const word of operands) draft.reads.push({ word, isTree: false, readsFolder: true })
}

/** Adds the files that `git grep` searches below its pathspecs. A pathspec with wildcards or magic may match any file. */
function addSearchedFiles(args: readonly ShellWord[], draft: EffectsDraft): void {
  const end = args.findIndex(({ text }) => text === '--')
  const pathspecs = end === -1 ? [] : args.slice(end + 1)
  const arePathspecsPlain = pathspecs.length > 0 && pathspecs.every((word) => isKnown(word) && !isPathspecPattern(word))
  if (!arePathspecsPlain) draft.reads.push(ANY_FILE)
  else for (const word of pathspecs) draft.reads.push({ word, isTree: true })
}
