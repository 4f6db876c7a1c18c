import { basename, dirname, extname, join } from 'node:path'
import type { FilesPort } from '../../contract/ports/files.js'
import { nearestNames } from '../../shared/nearest-names.js'

const MAX_SUGGESTIONS = 3
/** A folder with more names is not worth going through for a guess. */
const MAX_NAMES = 10_000

/** Paths that exist, may be told and may be meant by one that does not. Looks into one folder, and at a few paths. */
export async function suggestPaths(files: FilesPort, path: string, cwd: string): Promise<readonly string[]> {
  const found = new Set([...(await sameEnding(files, path, cwd)), ...(await nearNames(files, path))])
  const told = await Promise.all([...found].map(async (each) => !(await files.isHidden?.(each, cwd))))
  return [...found].filter((_, at) => told[at]).slice(0, MAX_SUGGESTIONS)
}

/** A model that loses its place keeps the end of a path right and adds or drops folders before it. */
async function sameEnding(files: FilesPort, path: string, cwd: string): Promise<readonly string[]> {
  const names = path.split('/').filter((name) => name !== '')
  const endings = names.map((_, at) => join(cwd, ...names.slice(at))).slice(-MAX_ENDINGS)
  for (const candidate of endings) {
    if (candidate !== path && (await isFile(files, candidate))) return [candidate]
  }
  return []
}

const MAX_ENDINGS = 8

/** Walks up to the first folder that exists, and looks there for a name like the one that is missing. */
async function nearNames(files: FilesPort, path: string): Promise<readonly string[]> {
  let missing = path
  while (dirname(missing) !== missing && (await files.stat(dirname(missing))) === undefined) missing = dirname(missing)
  const folder = dirname(missing)
  const names = await namesIn(files, folder)
  const rest = path.slice(missing.length)
  const candidates = likelyNames(basename(missing), names).map((name) => join(folder, name) + rest)
  const exist = await Promise.all(candidates.map(async (each) => (await files.stat(each)) !== undefined))
  return candidates.filter((_, at) => exist[at])
}

async function namesIn(files: FilesPort, folder: string): Promise<readonly string[]> {
  try {
    const names = await files.list(folder)
    return names.length > MAX_NAMES ? [] : names
  } catch {
    // Not a folder, or not ours to see: then there is nothing to suggest.
    return []
  }
}

function likelyNames(wanted: string, names: readonly string[]): readonly string[] {
  const stem = stemOf(wanted)
  const sameStem = names.filter((name) => stemOf(name) === stem)
  return [...new Set([...sameStem, ...nearestNames(wanted, names)])].slice(0, MAX_SUGGESTIONS)
}

function stemOf(name: string): string {
  return basename(name, extname(name)).toLowerCase()
}

async function isFile(files: FilesPort, path: string): Promise<boolean> {
  return (await files.stat(path))?.kind === 'file'
}
