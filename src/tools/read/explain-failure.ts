import { basename, dirname, extname, join } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import { isFileError } from '../../contract/ports/file-error.js'
import type { FilesPort } from '../../contract/ports/files.js'
import { findNearestNames } from '../../shared/nearest-names.js'
import type { ReadRequest } from './read-request.js'

/** Explains to the model why a file could not be read and what to do next. */
export async function explainFailure(error: unknown, files: FilesPort, request: ReadRequest): Promise<unknown> {
  if (!isFileError(error)) return error
  return new ToolCallError('tool_failed', await createMessage(error.code, error.message, files, request), {
    cause: error,
  })
}

async function createMessage(code: string, message: string, files: FilesPort, request: ReadRequest): Promise<string> {
  const { path } = request
  if (code === 'missing') return describeMissingFile(files, request)
  if (code === 'is_folder') return `${path} is a folder. List its files with Glob, for example with the pattern "*".`
  if (code === 'not_a_file')
    return `${path} is a device, pipe or socket. It is not read, because that could block or never end.`
  if (code === 'no_rights') return `${message} Only the user can change that.`
  return message
}

async function describeMissingFile(files: FilesPort, { path, cwd }: ReadRequest): Promise<string> {
  const link = await files.stat(path)
  if (link?.kind === 'symlink')
    return `${path} is a symbolic link to ${await files.realPath(path)}, which does not exist.`
  const similarPaths = await suggestPaths(files, path, cwd)
  const question =
    similarPaths.length === 0 ? ` The working directory is ${cwd}.` : ` Did you mean ${similarPaths.join(' or ')}?`
  return `${path} does not exist.${question}`
}

const MAX_SUGGESTIONS = 3
/** Folders with more entries are not searched for suggestions. */
const MAX_FOLDER_ENTRIES = 10_000

/** Returns existing, readable paths that are similar to a missing one. Checks one folder and a few paths. */
async function suggestPaths(files: FilesPort, path: string, cwd: string): Promise<readonly string[]> {
  const foundPaths = new Set([...(await findSameEnding(files, path, cwd)), ...(await findSimilarNames(files, path))])
  const visibilityFlags = await Promise.all([...foundPaths].map(async (each) => !(await files.isHidden?.(each, cwd))))
  return [...foundPaths].filter((_, at) => visibilityFlags[at]).slice(0, MAX_SUGGESTIONS)
}

/** Finds a file below the working directory whose path has the same end, because models often add or drop leading folders. */
async function findSameEnding(files: FilesPort, path: string, cwd: string): Promise<readonly string[]> {
  const names = path.split('/').filter((name) => name !== '')
  const endings = names.map((_, at) => join(cwd, ...names.slice(at))).slice(-MAX_ENDINGS)
  for (const candidate of endings) {
    if (candidate !== path && (await isFile(files, candidate))) return [candidate]
  }
  return []
}

const MAX_ENDINGS = 8

/** Finds the nearest existing parent folder and looks there for a similar name. */
async function findSimilarNames(files: FilesPort, path: string): Promise<readonly string[]> {
  let missingPath = path
  while (dirname(missingPath) !== missingPath && (await files.stat(dirname(missingPath))) === undefined)
    missingPath = dirname(missingPath)
  const folder = dirname(missingPath)
  const names = await listNames(files, folder)
  const remainingPath = path.slice(missingPath.length)
  const candidates = findLikelyNames(basename(missingPath), names).map((name) => join(folder, name) + remainingPath)
  const existenceFlags = await Promise.all(candidates.map(async (each) => (await files.stat(each)) !== undefined))
  return candidates.filter((_, at) => existenceFlags[at])
}

async function listNames(files: FilesPort, folder: string): Promise<readonly string[]> {
  try {
    const names = await files.list(folder, { limit: MAX_FOLDER_ENTRIES + 1 })
    return names.length > MAX_FOLDER_ENTRIES ? [] : names
  } catch {
    // The path is not a folder or is not readable, so there is nothing to suggest.
    return []
  }
}

function findLikelyNames(missingName: string, names: readonly string[]): readonly string[] {
  const stem = getStem(missingName)
  const namesWithSameStem = names.filter((name) => getStem(name) === stem)
  return [...new Set([...namesWithSameStem, ...findNearestNames(missingName, names)])].slice(0, MAX_SUGGESTIONS)
}

function getStem(name: string): string {
  return basename(name, extname(name)).toLowerCase()
}

async function isFile(files: FilesPort, path: string): Promise<boolean> {
  return (await files.stat(path))?.kind === 'file'
}
