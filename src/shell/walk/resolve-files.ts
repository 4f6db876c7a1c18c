import type { SimpleCommand } from '../../contract/command.js'
import { isPathInside } from '../../shared/path-containment.js'
import type { TouchedWord } from '../programs/effects.js'
import { joinPath, type Scope } from '../words/scope.js'
import type { ShellWord } from '../words/shell-word.js'
import { foundFilesOf, pathsOf } from './paths-of.js'
import type { Walker } from './walker.js'

/** The words that name the files of a command, and where it runs. */
interface NamedFiles {
  readonly reads: readonly TouchedWord[]
  readonly writes: readonly TouchedWord[]
  /** Files that redirections write. */
  readonly redirects: readonly TouchedWord[]
  /** Knows where the script starts, and the links that it has made. */
  readonly walker: Pick<Walker, 'start' | 'links'>
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
export function resolveFiles({ reads, writes, redirects, walker, scope }: NamedFiles): ResolvedFiles {
  const { start, links } = walker
  const unknownReads: ShellWord[] = []
  const unknownWrites: ShellWord[] = []
  const unknownRedirects: ShellWord[] = []
  const resolve = (touchedWords: readonly TouchedWord[], unknownWords: ShellWord[]) => {
    const paths = new Set<string>()
    for (const touched of touchedWords) {
      const found = pathsOf(touched, scope, start)
      if (found === undefined || leadsThroughLink(found, links, start)) unknownWords.push(touched.word)
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

const POSIX = { platform: 'linux' }

/** Whether a path may lead through a link that the script itself makes: where it leads is known only at run time. */
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

/** Records the links that a command makes. */
export function recordLinks(walker: Pick<Walker, 'start' | 'links'>, { words, writes }: SimpleCommand): void {
  const [program = '', ...args] = words
  const name = program.slice(program.lastIndexOf('/') + 1)
  const isCopyOfLinks = name === 'cp' && args.some((word) => /^-(?:[A-Za-z]*[sl]|-(?:symbolic-)?link$)/.test(word))
  if (name !== 'ln' && name !== 'link' && !isCopyOfLinks) return
  for (const path of writes) walker.links.add(joinPath(walker.start, path))
}
