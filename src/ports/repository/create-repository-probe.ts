import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { type RepositoryFacts, unanalysedRepository } from '../../shell/git/repository-facts.js'
import { type FoundRepository, findRepository, openRepositoryAt } from './find-repository.js'
import { hasIndexHook } from './has-index-hook.js'
import { readGitlinks } from './read-gitlinks.js'
import { findRedirectingVariable, type GitSettings, readSettings, type Variables } from './read-settings.js'
import { RecordedFiles } from './recorded-files.js'

/**
 * Reads the configuration that can make git run programs in a folder. Reads files and starts no process: running git
 * to list its configuration would cost milliseconds and already trust the folder.
 */
export interface RepositoryProbe {
  /** Null if the folder is not in a repository. */
  facts(folder: string): Promise<RepositoryFacts | null>
}

interface CachedFacts {
  readonly files: RecordedFiles
  readonly facts: RepositoryFacts | null
}

const MAX_CACHED_FOLDERS = 50
const MAX_SUBMODULE_DEPTH = 5
const MAX_SUBMODULES = 50

/** Caches the facts of a folder until one of the files that were looked at changes. */
export function createRepositoryProbe(environment: Variables = process.env): RepositoryProbe {
  const cache = new Map<string, CachedFacts>()
  return {
    async facts(path) {
      // Resolved every time, because a symbolic link may have changed.
      const folder = await realpath(path).catch(() => path)
      const variable = findRedirectingVariable(environment)
      if (variable !== null) return unanalysedRepository(`the variable ${variable}, which changes what git does`)
      const cached = cache.get(folder)
      if (cached !== undefined && (await cached.files.areUnchanged())) return cached.facts
      const files = new RecordedFiles()
      const facts = await probe(files, folder, environment)
      if (cache.size >= MAX_CACHED_FOLDERS) cache.clear()
      cache.set(folder, { files, facts })
      return facts
    },
  }
}

async function probe(files: RecordedFiles, folder: string, environment: Variables): Promise<RepositoryFacts | null> {
  const repository = await findRepository(files, folder)
  if (repository === null) return null
  if (typeof repository === 'string') return unanalysedRepository(repository)
  return readFacts(files, repository, { environment, depth: 0 })
}

interface ProbeContext {
  readonly environment: Variables
  readonly depth: number
}

async function readFacts(
  files: RecordedFiles,
  repository: FoundRepository,
  context: ProbeContext,
): Promise<RepositoryFacts> {
  const settings = await readSettings(files, repository, context.environment)
  const problem = settings.problem ?? findUnusualSetting(repository, settings)
  if (problem !== null) return unanalysedRepository(problem)
  const submodules = await readSubmodules(files, repository, context)
  if (typeof submodules === 'string') return unanalysedRepository(submodules)
  return {
    problem: null,
    settings: settings.repositorySettings,
    userSettings: settings.user,
    hasIndexHook: await hasIndexHook(files, repository, settings, context.environment.HOME ?? ''),
    submodules,
  }
}

function findUnusualSetting({ gitFolder, root }: FoundRepository, { repositorySettings }: GitSettings): string | null {
  for (const { section, name, value } of repositorySettings) {
    // In a submodule, core.worktree is normal and names the folder in which the submodule was found.
    const isElsewhere = section === 'core' && name === 'worktree' && (value === null || join(gitFolder, value) !== root)
    if (isElsewhere) return 'the setting core.worktree, which names another folder'
    if (section === 'extensions' && name === 'objectformat' && value?.toLowerCase() !== 'sha1')
      return 'the setting extensions.objectFormat'
  }
  return null
}

async function readSubmodules(
  files: RecordedFiles,
  { root, gitFolder }: FoundRepository,
  { environment, depth }: ProbeContext,
): Promise<readonly RepositoryFacts[] | string> {
  const index = await files.readBytes(join(gitFolder, 'index'))
  if (index.kind === 'absent') return []
  const links = index.kind === 'found' ? readGitlinks(index.content) : null
  if (links === null) return 'an index in an unusual format'
  if (root === null || links.length === 0) return []
  if (depth >= MAX_SUBMODULE_DEPTH || links.length > MAX_SUBMODULES) return 'too many submodules'
  const submodules: RepositoryFacts[] = []
  for (const path of links) {
    const submodule = await openRepositoryAt(files, join(root, path))
    if (typeof submodule === 'string') submodules.push(unanalysedRepository(submodule))
    else if (submodule !== null) submodules.push(await readFacts(files, submodule, { environment, depth: depth + 1 }))
  }
  return submodules
}
