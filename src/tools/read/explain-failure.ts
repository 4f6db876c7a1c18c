import { ToolCallError } from '../../contract/errors.js'
import { isFileError } from '../../contract/ports/file-error.js'
import type { FilesPort } from '../../contract/ports/files.js'
import type { ReadRequest } from './read-request.js'
import { suggestPaths } from './suggest-paths.js'

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
