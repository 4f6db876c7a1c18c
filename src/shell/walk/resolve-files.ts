import type { SimpleCommand } from '../../contract/command.js'
import { isPathInside } from '../../shared/path-containment.js'
import type { TouchedWord } from '../programs/effects.js'
import { joinPath, type Scope } from '../words/scope.js'
import type { ShellWord } from '../words/shell-word.js'
import { foundFilesOf, pathsOf, writtenGlobsOf } from './paths-of.js'
import type { Walker } from './walker.js'

/** The words that name the files of a command, and where it runs. */
interface NamedFiles {
  readonly reads: readonly TouchedWord[]
  readonly writes: readonly TouchedWord[]
  /** Files that redirections write. */
  readonly redirects: readonly TouchedWord[]
  /** Provides the start folder of the script, and the links and copies that it has made so far. */
  readonly walker: Pick<Walker, 'start' | 'links' | 'copies'>
  readonly scope: Scope
  /** The scope of the shell, which opens redirections, if the command runs in another folder. */
  readonly shell?: Scope
}

/** The files of a command, as far as their paths are certain. */
interface ResolvedFiles
  extends Pick<
    SimpleCommand,
    'reads' | 'writes' | 'redirects' | 'found' | 'writtenGlobs' | 'hasUnknownPath' | 'writesUnknownFile'
  > {
  /** Words whose paths are not certain. */
  readonly unknownWords: readonly ShellWord[]
  readonly hasUnknownRedirect: boolean
}

/** Finds the paths that the words of a command name. */
export function resolveFiles({ reads, writes, redirects, walker, scope, shell = scope }: NamedFiles): ResolvedFiles {
  const unknownWords: ShellWord[] = []
  const readPaths = resolveWords(reads, unknownWords, walker, scope)
  const unknownReads = unknownWords.length
  const writtenPaths = resolveWords(writes, unknownWords, walker, scope)
  const unknownArguments = unknownWords.length
  const redirectPaths = resolveWords(redirects, unknownWords, walker, shell)
  return {
    reads: readPaths,
    writes: writtenPaths,
    redirects: redirectPaths,
    found: foundFilesOf(reads, scope, walker.start),
    writtenGlobs: writtenGlobsOf(writes, scope, walker.start),
    hasUnknownPath: unknownWords.length > 0 ? true : undefined,
    writesUnknownFile: unknownWords.length > unknownReads ? true : undefined,
    unknownWords,
    hasUnknownRedirect: unknownWords.length > unknownArguments,
  }
}

/** Returns what the shell reads to expand globs: the names in their folders. */
export function listGlobs(words: readonly ShellWord[]): readonly TouchedWord[] {
  return words.map((word) => ({ word, isTree: false, isOnlyListed: true }))
}

/** Returns the paths that words name, and adds the words whose paths are not certain to `unknownWords`. */
function resolveWords(
  touchedWords: readonly TouchedWord[],
  unknownWords: ShellWord[],
  { start, links, copies }: NamedFiles['walker'],
  scope: Scope,
): readonly string[] {
  const paths: string[] = []
  for (const touchedWord of touchedWords) {
    const foundPaths = pathsOf(touchedWord, scope, start)
    if (foundPaths === undefined || leadsThroughLink(foundPaths, links, start) || isCopy(foundPaths, copies, start))
      unknownWords.push(touchedWord.word)
    else paths.push(...foundPaths)
  }
  return paths.length < 2 ? paths : [...new Set(paths)]
}

const POSIX = { platform: 'linux' }

/** Whether a path may lead through a link that the script itself makes. Its target is known only at run time. */
function leadsThroughLink(paths: readonly string[], links: ReadonlySet<string>, start: string): boolean {
  if (links.size === 0) return false
  return paths.some((path) => {
    const fullPath = joinPath(start, path)
    const isTree = path.endsWith('/')
    return [...links].some(
      (link) => isPathInside(fullPath, link, POSIX) || (isTree && isPathInside(link, fullPath, POSIX)),
    )
  })
}

/** Whether a path is a copy that may be a link, because its original may be one. */
function isCopy(paths: readonly string[], copies: ReadonlySet<string>, start: string): boolean {
  return copies.size > 0 && paths.some((path) => !path.endsWith('/') && copies.has(joinPath(start, path)))
}

/** Records the links that a command makes. */
export function recordLinks(
  walker: Pick<Walker, 'start' | 'links' | 'copies'>,
  { words, writes }: SimpleCommand,
): void {
  const [program = ''] = words
  const name = program.includes('/') ? program.slice(program.lastIndexOf('/') + 1) : program
  const isCopyOfLinks =
    name === 'cp' && words.some((word) => /^-(?:[A-Za-z]*[slPd]|-(?:symbolic-)?link$|-no-dereference$)/.test(word))
  // A copied folder is written to often; only the copy itself may be a link.
  if (name === 'cp' && words.some((word) => /^-[A-Za-z]*[arR]|^--(?:archive|recursive)/.test(word)))
    for (const path of writes) walker.copies.add(joinPath(walker.start, path))
  if (name !== 'ln' && name !== 'link' && !isCopyOfLinks) return
  for (const path of writes) walker.links.add(joinPath(walker.start, path))
}
