import { basename, dirname } from 'node:path'
import { isRecord } from '../shared/is-record.js'
import { isPathInside } from '../shared/path-containment.js'
import { openPrivateFiles, PrivateFileError } from './files/private-files.js'
import { resolveLinks } from './files/resolve-real-path.js'
import { getTrustFile } from './files/settings-files.js'
import { parseJsonc, toValue } from './jsonc/parse-jsonc.js'

/** The project cannot be trusted, or the trust file cannot be used. */
export class TrustError extends Error {
  override readonly name = 'TrustError'
}

interface TrustOptions {
  readonly home: string
}

interface TrustStore {
  readonly projects: Readonly<Record<string, unknown>>
}

/**
 * Returns whether the user has trusted exactly this folder, by its real path. Trust does not extend to subfolders:
 * a project cloned there later is another project. If the trust file cannot be read, nothing is trusted.
 */
export async function isProjectTrusted(projectRoot: string, { home }: TrustOptions): Promise<boolean> {
  try {
    const root = await requireTrustableRoot(projectRoot, home)
    return Object.hasOwn((await readStore(home)).projects, root)
  } catch (error) {
    if (error instanceof TrustError) return false
    throw error
  }
}

/** Records that the user trusts this project. Throws `TrustError` for the home folder and its ancestors. */
export async function trustProject(projectRoot: string, { home }: TrustOptions): Promise<void> {
  const root = await requireTrustableRoot(projectRoot, home)
  await changeStore(home, (projects) => projects.set(root, { trustedAt: new Date().toISOString() }))
}

/** Removes the trust in a project. Does nothing if the project was not trusted. */
export async function untrustProject(projectRoot: string, { home }: TrustOptions): Promise<void> {
  const root = await resolveLinks(projectRoot)
  await changeStore(home, (projects) => projects.delete(root))
}

/** Returns the paths of all trusted projects, sorted. Throws `TrustError` if the trust file cannot be used. */
export async function listTrustedProjects({ home }: TrustOptions): Promise<readonly string[]> {
  return Object.keys((await readStore(home)).projects).toSorted()
}

/** Throws for the home folder and its ancestors. They contain other projects, so they cannot be trusted. */
async function requireTrustableRoot(projectRoot: string, home: string): Promise<string> {
  const root = await resolveLinks(projectRoot)
  if (root === dirname(root) || isPathInside(await resolveLinks(home), root)) {
    throw new TrustError(`cannot trust ${root}: it is or contains the home folder. Start Haft in a project folder.`)
  }
  return root
}

async function changeStore(home: string, change: (projects: Map<string, unknown>) => void): Promise<void> {
  const file = getTrustFile(home)
  const edit = (text: string | undefined) => {
    const store = parseStore(text, file)
    const projects = new Map<string, unknown>(Object.entries(store.projects))
    change(projects)
    return `${JSON.stringify({ ...store, projects: Object.fromEntries(projects) }, null, 2)}\n`
  }
  await openPrivateFiles(dirname(file)).change(basename(file), edit).catch(throwTrustError)
}

async function readStore(home: string): Promise<TrustStore> {
  const file = getTrustFile(home)
  return parseStore(await openPrivateFiles(dirname(file)).read(basename(file)).catch(throwTrustError), file)
}

function throwTrustError(error: unknown): never {
  if (!(error instanceof PrivateFileError)) throw error
  throw new TrustError(`${error.message}; no project is trusted until this is fixed.`, { cause: error })
}

function parseStore(text: string | undefined, file: string): TrustStore {
  if (text === undefined) return { projects: {} }
  const { root, fault } = parseJsonc(text)
  const store = fault || root === undefined ? undefined : toValue(root)
  if (isRecord(store) && isRecord(store.projects)) return { ...store, projects: store.projects }
  throw new TrustError(`${file} is malformed; no project is trusted until it is fixed or deleted.`)
}
