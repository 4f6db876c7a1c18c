import { type Dirent, realpathSync } from 'node:fs'
import { join } from 'node:path'
import { ToolCallError } from '../../../contract/errors.js'
import type { DeniedPath, DeniedPattern, DeniedReads } from '../../../contract/host/denied-reads.js'
import { isPathInside } from '../../../shared/path-containment.js'
import type { Steps } from '../../../shared/steps.js'
import { FolderListings, isUnmountableName } from '../protect/folder-listings.js'

/** Limits the time of the search before each command. An unchanged folder takes about three microseconds. */
const MAX_FOLDERS = 50_000

/** Each hidden file is a mount. Their number slows bubblewrap down more than proportionally. */
const MAX_HIDDEN_FILES = 500

/** Finds the files that rules for reading cover, before each command. Only folders that have changed are read again. */
export class DeniedFiles {
  #deniedReads: DeniedReads | undefined
  #listings = new FolderListings();

  /**
   * Returns everything to hide. Paths that an ask rule covers are left out if the command names them: it would not run if that
   * had not been approved. Throws if there is too much to search or to hide, or a name that cannot be hidden, because the rules could not be enforced.
   */
  *list(
    deniedReads: DeniedReads,
    workingFolders: readonly string[],
    approvedReads: readonly string[],
  ): Steps<readonly string[]> {
    if (deniedReads !== this.#deniedReads) {
      this.#deniedReads = deniedReads
      this.#listings = new FolderListings({
        isRelevant: (entry) =>
          entry.isDirectory() || deniedReads.patterns.some(({ matchesName }) => matchesName(entry.name)),
        maxFolders: MAX_FOLDERS,
      })
    }
    const search = new PatternSearch(this.#listings)
    for (const pattern of deniedReads.patterns) search.add(pattern, workingFolders)
    const approvedPaths = new Set(approvedReads.flatMap((path) => [path, ...resolveIfPresent(path)]))
    return [...deniedReads.paths, ...(yield* search.run())]
      .filter(({ path, isAsked }) => !isAsked || !approvedPaths.has(path))
      .map(({ path }) => path)
  }
}

/** A pattern and the real path of its folder. The names of a path below `start` are compared with the pattern. */
interface Candidate {
  readonly pattern: DeniedPattern
  readonly start: string
}

/** A single search of all folders in which one of the patterns may match. */
class PatternSearch {
  /** The patterns that may match in or below each folder, by folder. */
  readonly #queue = new Map<string, Candidate[]>()

  constructor(private readonly listings: FolderListings) {}

  /** Adds a pattern. If its folder contains the working folders, only the working folders are searched. */
  add(pattern: DeniedPattern, workingFolders: readonly string[]): void {
    for (const start of resolveIfPresent(pattern.folder)) {
      const realWorkingFolders = workingFolders.flatMap(resolveIfPresent)
      const innerWorkingFolders = realWorkingFolders.filter((folder) => isPathInside(folder, start))
      const isElsewhere =
        innerWorkingFolders.length === 0 &&
        (pattern.isSpecific || realWorkingFolders.some((folder) => isPathInside(start, folder)))
      for (const folder of isElsewhere ? [start] : innerWorkingFolders) this.#enqueue(folder, { pattern, start })
    }
  }

  *run(): Steps<readonly DeniedPath[]> {
    const foundPaths: DeniedPath[] = []
    let visitedCount = 0
    for (const [folder, candidates] of this.#queue) {
      if (++visitedCount > MAX_FOLDERS) refuse(candidates, `there are more than ${MAX_FOLDERS} folders to search`)
      const entries = this.listings.list(folder)
      // The content of the folder is unknown, so the whole folder is hidden.
      if (entries === undefined) foundPaths.push({ path: folder, isAsked: false })
      for (const entry of entries ?? []) this.#visit(folder, entry, candidates, foundPaths)
      if (foundPaths.length > MAX_HIDDEN_FILES) refuse(candidates, `they cover more than ${MAX_HIDDEN_FILES} files`)
      yield
    }
    return foundPaths
  }

  #visit(folder: string, entry: Dirent, candidates: readonly Candidate[], foundPaths: DeniedPath[]): void {
    const path = join(folder, entry.name)
    const matchingCandidates = candidates.filter(
      ({ pattern, start }) => pattern.matchesName(entry.name) && pattern.matches(listNamesBelow(start, path)),
    )
    if (isUnmountableName(entry.name)) {
      const affectedCandidates = entry.isDirectory()
        ? [...matchingCandidates, ...candidates.filter((candidate) => mayMatchAt(candidate, path))]
        : matchingCandidates
      if (affectedCandidates.length > 0) refuse(affectedCandidates, `the name ${path} is not UTF-8`)
      return
    }
    const isDenied = matchingCandidates.some(({ pattern }) => !pattern.isAsked)
    if (matchingCandidates.length > 0) foundPaths.push({ path, isAsked: !isDenied })
    if (isDenied || !entry.isDirectory()) return
    for (const candidate of candidates) this.#enqueue(path, candidate)
  }

  #enqueue(folder: string, candidate: Candidate): void {
    if (!mayMatchAt(candidate, folder)) return
    const queuedCandidates = this.#queue.get(folder)
    if (queuedCandidates === undefined) this.#queue.set(folder, [candidate])
    else if (!queuedCandidates.includes(candidate)) queuedCandidates.push(candidate)
  }
}

function mayMatchAt({ pattern, start }: Candidate, folder: string): boolean {
  return pattern.mayMatchBelow(listNamesBelow(start, folder))
}

/** Returns the segments of a path below the folder that it starts with. */
function listNamesBelow(start: string, path: string): readonly string[] {
  if (path.length <= start.length) return []
  return path.slice(start === '/' ? 1 : start.length + 1).split('/')
}

function resolveIfPresent(path: string): readonly string[] {
  try {
    return [realpathSync(path)]
  } catch {
    // The path is missing, so there is nothing to hide.
    return []
  }
}

function refuse(candidates: readonly Candidate[], reason: string): never {
  const rules = [...new Set(candidates.map(({ pattern }) => pattern.rule))].join(', ')
  throw new ToolCallError(
    'unavailable',
    `The sandbox cannot hide what the permission rules ${rules} cover: ${reason}. Tell the user to name the files or folders without wildcards, for example Read(./.env).`,
  )
}
