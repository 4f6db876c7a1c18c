import { basename, dirname, extname, join } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import { isFileError } from '../../contract/ports/file-error.js'
import type { FilesPort } from '../../contract/ports/files.js'
import { nearestNames } from '../../shared/nearest-names.js'
import type { ReadRequest } from './read-request.js'

/** What the model can do about a file that could not be read. */
export async function explainFailure(error: unknown, files: FilesPort, request: ReadRequest): Promise<unknown> {
  if (!isFileError(error)) return error
  return new ToolCallError('tool_failed', await messageFor(error.code, error.message, files, request), { cause: error })
}

async function messageFor(code: string, message: string, files: FilesPort, request: ReadRequest): Promise<string> {
  const { path } = request
  if (code === 'missing') return missing(files, request)
  if (code === 'is_folder')
    return `${path} is a folder. List what is in it with Glob, for example with the pattern "*".`
  if (code === 'not_a_file')
    return `${path} is a device, pipe or socket. It is not read, because that could wait or go on for ever.`
  if (code === 'no_rights') return `${message} The user can change that, not you.`
  return message
}

async function missing(files: FilesPort, { path, cwd }: ReadRequest): Promise<string> {
  const link = await files.stat(path)
  if (link?.kind === 'symlink') return `${path} is a link to ${await files.realPath(path)}, which does not exist.`
  const near = await suggestPaths(files, path, cwd)
  const question = near.length === 0 ? ` The working folder is ${cwd}.` : ` Did you mean ${near.join(' or ')}?`
  return `${path} does not exist.${question}`
}

const MAX_SUGGESTIONS = 3
/** A folder with more names is not worth going through for a guess. */
const MAX_NAMES = 10_000

/** Paths that exist, may be told and may be meant by one that does not. Looks into one folder, and at a few paths. */
async function suggestPaths(files: FilesPort, path: string, cwd: string): Promise<readonly string[]> {
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
