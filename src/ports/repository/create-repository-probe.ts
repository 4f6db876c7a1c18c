import { realpath } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import type { GitSetting } from '../../shell/git/parse-git-config.js'
import { createUnanalysedRepository, type RepositoryFacts } from '../../shell/git/repository-facts.js'
import { hasUnsafeValue, kindOfSetting, nameOfSetting } from '../../shell/git/setting-kinds.js'
import { examineWorkingTree } from './examine-working-tree.js'
import { findForeignPart } from './find-foreign-part.js'
import { type FoundRepository, findRepository, openRepositoryAt } from './find-repository.js'
import { hasIndexHook } from './has-index-hook.js'
import { type IndexPaths, readIndex } from './read-index.js'
import { findRedirectingVariable, type GitSettings, readSettings, type Variables } from './read-settings.js'
import { leadsInto, toRealPath } from './real-path.js'
import { RecordedFiles } from './recorded-files.js'

/**
 * Reads the configuration that can make git run programs in a folder. It reads files and starts no process: running git to
 * list its configuration would take milliseconds and already trust the folder.
 */
export interface RepositoryProbe {
  /** Resolves to null if the folder is not in a repository. */
  facts(folder: string): Promise<RepositoryFacts | null>
}

interface CachedFacts {
  readonly files: RecordedFiles
  readonly facts: RepositoryFacts | null
}

const MAX_CACHED_FOLDERS = 50
const MAX_SUBMODULE_DEPTH = 5
const MAX_SUBMODULES = 50

/** Creates a probe that caches the facts about a folder until one of the files that it looked at changes. */
export function createRepositoryProbe(environment: Variables = process.env): RepositoryProbe {
  const cache = new Map<string, CachedFacts>()
  return {
    async facts(path) {
      // Resolved each time, because a symbolic link may have changed.
      const folder = await realpath(path).catch(() => path)
      const variable = findRedirectingVariable(environment)
      if (variable !== null) return createUnanalysedRepository(`the variable ${variable}, which changes what git does`)
      const cached = cache.get(folder)
      if (cached?.files.areUnchanged() === true) return cached.facts
      const files = new RecordedFiles()
      const facts = await readRepositoryFacts(files, folder, environment)
      if (cache.size >= MAX_CACHED_FOLDERS) cache.clear()
      cache.set(folder, { files, facts })
      return facts
    },
  }
}

async function readRepositoryFacts(
  files: RecordedFiles,
  folder: string,
  environment: Variables,
): Promise<RepositoryFacts | null> {
  const repository = await findRepository(files, folder)
  if (repository === null) return null
  if (typeof repository === 'string') return createUnanalysedRepository(repository)
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
  const problem =
    settings.problem ?? findUnusualSetting(repository, settings) ?? (await findForeignPart(files, repository, settings))
  if (problem !== null) return createUnanalysedRepository(problem)
  const home = context.environment.HOME ?? ''
  const namedFiles = findNamedFiles(repository, settings, home)
  if (typeof namedFiles === 'string') return createUnanalysedRepository(namedFiles)
  const index = await readRepositoryIndex(files, repository)
  if (index === null) return createUnanalysedRepository('an index with an unusual format or unusual paths')
  const submodules = await readSubmodules(files, repository, index, context)
  if (typeof submodules === 'string') return createUnanalysedRepository(submodules)
  const tree = await examineWorkingTree(files, repository, index)
  if (typeof tree === 'string') return createUnanalysedRepository(tree)
  return {
    problem: null,
    root: repository.root,
    settings: settings.repositorySettings,
    userSettings: settings.userSettings,
    namedFiles: [...namedFiles, ...tree.linkedFolders, ...submodules.flatMap((submodule) => submodule.namedFiles)],
    foreignLinks: [...tree.foreignLinks, ...submodules.flatMap((submodule) => submodule.foreignLinks)],
    hasIndexHook: hasIndexHook(files, repository, settings, home),
    hasUnexaminedFolders: tree.hasUnexaminedFolders || submodules.some((submodule) => submodule.hasUnexaminedFolders),
    submodules,
  }
}

const EMPTY_INDEX: IndexPaths = { gitlinks: [], folders: [] }

async function readRepositoryIndex(files: RecordedFiles, { gitFolder }: FoundRepository): Promise<IndexPaths | null> {
  const index = await files.readBytes(join(gitFolder, 'index'))
  if (index.kind === 'absent') return EMPTY_INDEX
  return index.kind === 'found' ? readIndex(index.content) : null
}

function findUnusualSetting({ gitFolder, root }: FoundRepository, { repositorySettings }: GitSettings): string | null {
  for (const setting of repositorySettings) {
    const { section, name, value } = setting
    if (kindOfSetting(setting) === 'unknown' || hasUnsafeValue(setting))
      return `the setting ${nameOfSetting(setting)}, whose effect is not known`
    // In a submodule, core.worktree is normal: it names the folder of the submodule itself.
    const isElsewhere = section === 'core' && name === 'worktree' && (value === null || join(gitFolder, value) !== root)
    if (isElsewhere) return 'the setting core.worktree, which names another folder'
    if (section === 'extensions' && name === 'objectformat' && value?.toLowerCase() !== 'sha1')
      return 'the setting extensions.objectFormat'
  }
  return null
}

/** Returns the files that settings of the repository name, or why they cannot be determined. */
function findNamedFiles(
  { root, gitFolder, prefix }: FoundRepository,
  { repositorySettings }: GitSettings,
  home: string,
): readonly string[] | string {
  const baseFolder = root ?? gitFolder
  const paths: string[] = []
  for (const setting of repositorySettings.filter(isFileSetting)) {
    const { value } = setting
    if (value === '' || value === '/dev/null') continue
    if (value === null || /^(~[^/]|~$|[%:])/.test(value)) return `the setting ${nameOfSetting(setting)}`
    if (value.startsWith('~/')) paths.push(join(home, value.slice(2)))
    else if (isAbsolute(value)) paths.push(value)
    // Git resolves relative paths against the root, or against the current folder if it compares files outside the repository.
    else paths.push(...new Set([join(baseFolder, value), join(baseFolder, prefix, value)]))
  }
  return paths
}

function isFileSetting(setting: GitSetting): boolean {
  return kindOfSetting(setting) === 'file'
}

async function readSubmodules(
  files: RecordedFiles,
  { root }: FoundRepository,
  { gitlinks }: IndexPaths,
  { environment, depth }: ProbeContext,
): Promise<readonly RepositoryFacts[] | string> {
  if (root === null || gitlinks.length === 0) return []
  if (depth >= MAX_SUBMODULE_DEPTH || gitlinks.length > MAX_SUBMODULES) return 'too many submodules'
  const submodules: RepositoryFacts[] = []
  const realRoot = toRealPath(root)
  for (const path of gitlinks) {
    const entry = files.lstat(join(root, path))
    const isForeign = entry !== null && (entry.isLink || !leadsInto(join(root, path), realRoot))
    if (isForeign) return `the submodule ${path}, which is in another folder`
    const submodule = await openRepositoryAt(files, join(root, path))
    if (typeof submodule === 'string') submodules.push(createUnanalysedRepository(submodule))
    else if (submodule !== null) submodules.push(await readFacts(files, submodule, { environment, depth: depth + 1 }))
  }
  return submodules
}
