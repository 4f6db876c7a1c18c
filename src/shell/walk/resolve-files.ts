import type { SimpleCommand } from '../../contract/command.js'
import { isPathInside } from '../../shared/path-containment.js'
import type { TouchedWord } from '../programs/effects.js'
import type { Scope } from '../words/scope.js'
import type { ShellWord } from '../words/shell-word.js'
import { mayCrossCreatedLink, mayCrossRestoredLink } from './created-links.js'
import { foundFilesOf, pathsOf, writtenGlobsOf } from './paths-of.js'
import { findRepositoryRoots } from './repository-use.js'
import type { Walker } from './walker.js'

const POSIX = { platform: 'linux' }

/** The words that name the files of a command, and where it runs. */
interface NamedFiles {
  readonly reads: readonly TouchedWord[]
  readonly writes: readonly TouchedWord[]
  /** Files that redirections write. */
  readonly redirects: readonly TouchedWord[]
  /** Provides the start folder of the script, its repositories, and the links that it may have created so far. */
  readonly walker: Pick<Walker, 'start' | 'repositories' | 'links'>
  readonly scope: Scope
  /** Whether the command does not follow links among the files that it reads. */
  readonly ignoresLinks?: boolean
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
export function resolveFiles(files: NamedFiles): ResolvedFiles {
  const { reads, writes, redirects, walker, scope, shell = scope } = files
  const unknownWords: ShellWord[] = []
  const readPaths = resolveWords(reads, unknownWords, walker, scope, files.ignoresLinks)
  const unknownReads = unknownWords.length
  const writtenPaths = resolveWords(writes, unknownWords, walker, scope)
  const unknownArguments = unknownWords.length
  const redirectPaths = resolveWords(redirects, unknownWords, walker, shell)
  // A possible restored link only sets `hasUnknownPath`, for rules about files, because the file is almost never a link.
  const followedPaths = [...(files.ignoresLinks === true ? [] : readPaths), ...writtenPaths, ...redirectPaths]
  const mayUseRestoredLink = followedPaths.some((path) => mayCrossRestoredLink(path, walker))
  return {
    reads: readPaths,
    writes: writtenPaths,
    redirects: redirectPaths,
    found: foundFilesOf(reads, scope, walker.start),
    writtenGlobs: writtenGlobsOf(writes, scope, walker.start),
    hasUnknownPath: unknownWords.length > 0 || mayUseRestoredLink ? true : undefined,
    writesUnknownFile: unknownWords.length > unknownReads ? true : undefined,
    unknownWords,
    hasUnknownRedirect: unknownWords.length > unknownArguments,
  }
}

/** Marks globs as words for whose expansion the shell reads only the names in their folders. */
export function listGlobs(words: readonly ShellWord[]): readonly TouchedWord[] {
  return words.map((word) => ({ word, isTree: false, isOnlyListed: true }))
}

/** Returns the paths that words name, and adds the words whose paths are not certain to `unknownWords`. */
function resolveWords(
  touchedWords: readonly TouchedWord[],
  unknownWords: ShellWord[],
  walker: NamedFiles['walker'],
  scope: Scope,
  ignoresLinks = false,
): readonly string[] {
  const paths: string[] = []
  for (const touchedWord of touchedWords) {
    const foundPaths = findPaths(touchedWord, walker, scope)
    const mayBeLink = !ignoresLinks && foundPaths?.some((path) => mayCrossCreatedLink(path, walker)) === true
    if (foundPaths === undefined || mayBeLink) unknownWords.push(touchedWord.word)
    else paths.push(...foundPaths)
  }
  return paths.length < 2 ? paths : [...new Set(paths)]
}

function findPaths(
  touchedWord: TouchedWord,
  walker: NamedFiles['walker'],
  scope: Scope,
): readonly string[] | undefined {
  const { start } = walker
  if (touchedWord.isFromRoot !== true) return pathsOf(touchedWord, scope, start)
  const roots = findRepositoryRoots(walker, scope)
  // In a folder of a larger repository, `git diff` covers the whole repository. That alone causes no question.
  const folders = touchedWord.isTree ? roots?.map((root) => (isPathInside(start, root, POSIX) ? start : root)) : roots
  return pathsOf(touchedWord, { ...scope, folders }, start)
}
