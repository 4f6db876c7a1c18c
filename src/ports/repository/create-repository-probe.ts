import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import type { GitSetting } from '../../shell/git/parse-git-config.js'
import { programSettings } from '../../shell/git/program-of-repository.js'
import { doubtfulRepository, type RepositoryFacts } from '../../shell/git/repository-facts.js'
import { decidingVariable } from './deciding-variable.js'
import { type FoundRepository, findRepository, repositoryAt } from './find-repository.js'
import { GITLINK_MODE, type IndexEntry, parseGitIndex } from './git-index.js'
import { readAttributes } from './read-attributes.js'
import { readHooks } from './read-hooks.js'
import { type Environment, readSettings, type Settings } from './read-settings.js'
import { hasSignatures } from './read-signatures.js'
import { readStaged } from './read-staged.js'
import { readTouched } from './read-touched.js'
import { WatchedFiles } from './watched-files.js'

/** Tells what a repository says that can make git run programs. Reads files, starts nothing. */
export interface RepositoryProbe {
  /** Null where the folder lies in no repository. */
  facts(folder: string): Promise<RepositoryFacts | null>
}

interface Known {
  readonly files: WatchedFiles
  readonly facts: RepositoryFacts | null
}

const MAX_KNOWN = 50
const MAX_DEPTH = 5
const MAX_SUBMODULES = 50

/** Keeps what it found until one of the files that it looked at changes. */
export function createRepositoryProbe(environment: Environment = process.env): RepositoryProbe {
  const known = new Map<string, Known>()
  return {
    async facts(path) {
      // A link may lead elsewhere by now.
      const folder = await realpath(path).catch(() => path)
      const variable = decidingVariable(environment)
      if (variable !== null) return doubtfulRepository(`the variable ${variable} decides what git does`)
      const kept = known.get(folder)
      if (kept !== undefined && (await kept.files.areUnchanged())) return kept.facts
      const files = new WatchedFiles()
      const facts = await factsOf(files, folder, environment)
      if (known.size >= MAX_KNOWN) known.clear()
      known.set(folder, { files, facts })
      return facts
    },
  }
}

async function factsOf(files: WatchedFiles, folder: string, environment: Environment): Promise<RepositoryFacts | null> {
  const repository = await findRepository(files, folder)
  if (repository === null) return null
  if (typeof repository === 'string') return doubtfulRepository(repository)
  return readFacts(files, repository, environment, 0)
}

async function readFacts(
  files: WatchedFiles,
  repository: FoundRepository,
  environment: Environment,
  depth: number,
): Promise<RepositoryFacts> {
  const settings = await readSettings(files, repository, environment)
  const entries = await readEntries(files, repository, settings)
  const doubt = settings.doubt ?? (entries === null ? 'the index cannot be read' : strangeTree(repository, settings))
  if (doubt !== null || entries === null) return doubtfulRepository(doubt ?? '')
  const submodules = await readSubmodules(files, repository, entries, { environment, depth })
  if (typeof submodules === 'string') return doubtfulRepository(submodules)
  const programs = programSettings({ settings: settings.own, userSettings: settings.user })
  const hasDrivers = programs.some(({ section }) => section === 'diff')
  const hasFilters = programs.some(({ section }) => section === 'filter')
  const attributes =
    hasDrivers || hasFilters ? await readAttributes(files, repository, settings, entries, environment) : []
  return {
    doubt: null,
    settings: settings.own,
    userSettings: settings.user,
    hooks: await readHooks(files, repository, settings, environment.HOME ?? ''),
    attributes,
    staged: hasDrivers ? await readStaged(files, repository, entries) : 'unknown',
    touched: hasFilters ? await readTouched(files, repository, entries, attributes) : [],
    hasSignatures: [...settings.own, ...settings.user].some(isAboutSignatures)
      ? await hasSignatures(files, repository)
      : true,
    prefix: repository.prefix,
    submodules,
  }
}

/** An index that is not there has no entries. */
async function readEntries(
  files: WatchedFiles,
  { gitFolder }: FoundRepository,
  { own }: Settings,
): Promise<readonly IndexEntry[] | null> {
  const found = await files.readBytes(join(gitFolder, 'index'))
  if (found.is !== 'found') return found.is === 'absent' ? [] : null
  const format = own.findLast(({ section, name }) => section === 'extensions' && name === 'objectformat')?.value
  return parseGitIndex(found.content, format?.toLowerCase() === 'sha256' ? 32 : 20)
}

/** A setting can put the working tree elsewhere; a submodule has one that names its own. */
function strangeTree({ gitFolder, root }: FoundRepository, { own }: Settings): string | null {
  const elsewhere = own.find(
    ({ section, name, value }) =>
      section === 'core' && name === 'worktree' && (value === null || join(gitFolder, value) !== root),
  )
  return elsewhere === undefined ? null : 'core.worktree names another folder'
}

function isAboutSignatures({ section, name }: GitSetting): boolean {
  return section === 'gpg' || name === 'showsignature'
}

async function readSubmodules(
  files: WatchedFiles,
  { root }: FoundRepository,
  entries: readonly IndexEntry[],
  { environment, depth }: { readonly environment: Environment; readonly depth: number },
): Promise<readonly RepositoryFacts[] | string> {
  const links = root === null ? [] : entries.filter(({ mode }) => mode === GITLINK_MODE)
  if (root === null || links.length === 0) return []
  if (depth >= MAX_DEPTH || links.length > MAX_SUBMODULES) return 'there are too many submodules'
  const found: RepositoryFacts[] = []
  for (const { path } of links) {
    const submodule = await repositoryAt(files, join(root, path))
    if (typeof submodule === 'string') found.push(doubtfulRepository(submodule))
    else if (submodule !== null) found.push(await readFacts(files, submodule, environment, depth + 1))
  }
  return found
}
