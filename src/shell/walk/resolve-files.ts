import type { SimpleCommand } from '../../contract/command.js'
import type { TouchedWord } from '../programs/effects.js'
import type { Scope } from '../words/scope.js'
import type { ShellWord } from '../words/shell-word.js'
import { foundFilesOf, pathsOf } from './paths-of.js'

/** The words that name the files of a command, and where it runs. */
interface NamedFiles {
  readonly reads: readonly TouchedWord[]
  readonly writes: readonly TouchedWord[]
  /** Files that redirections write. */
  readonly redirects: readonly TouchedWord[]
  /** The folder in which the script starts. */
  readonly start: string
  readonly scope: Scope
}

/** The files of a command, as far as their paths are certain. */
interface ResolvedFiles {
  readonly resolved: Pick<
    SimpleCommand,
    'reads' | 'writes' | 'redirects' | 'found' | 'hasUnknownPath' | 'writesUnknownFile'
  >
  /** Words whose paths are not certain. */
  readonly unknownWords: readonly ShellWord[]
  readonly hasUnknownRedirect: boolean
}

/** Finds the paths that the words of a command name. */
export function resolveFiles({ reads, writes, redirects, start, scope }: NamedFiles): ResolvedFiles {
  const unknownReads: ShellWord[] = []
  const unknownWrites: ShellWord[] = []
  const unknownRedirects: ShellWord[] = []
  const resolve = (touchedWords: readonly TouchedWord[], unknownWords: ShellWord[]) => {
    const paths = new Set<string>()
    for (const touched of touchedWords) {
      const found = pathsOf(touched, scope, start)
      if (found === undefined) unknownWords.push(touched.word)
      else for (const path of found) paths.add(path)
    }
    return [...paths]
  }
  const paths = {
    reads: resolve(reads, unknownReads),
    writes: resolve(writes, unknownWrites),
    redirects: resolve(redirects, unknownRedirects),
  }
  const writtenWords = [...unknownWrites, ...unknownRedirects]
  const unknownWords = [...unknownReads, ...writtenWords]
  return {
    resolved: {
      ...paths,
      ...foundFilesOf(reads, scope, start),
      ...(unknownWords.length > 0 && { hasUnknownPath: true }),
      ...(writtenWords.length > 0 && { writesUnknownFile: true }),
    },
    unknownWords,
    hasUnknownRedirect: unknownRedirects.length > 0,
  }
}
