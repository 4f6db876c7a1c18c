import { resolve } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type { FileForUser } from '../../contract/events.js'
import type { FilesPort } from '../../contract/ports/files.js'
import type { ToolResources } from '../../contract/resources.js'
import type { ValidationResult } from '../../contract/tool/tool.js'
import { fileLink, list } from '../../contract/view-builders.js'
import type { View } from '../../contract/views.js'
import { findPathProblem } from '../../shared/path-problem.js'
import { reasonOf } from '../../shared/reason-of.js'

export const MAX_FILES = 20
/** Larger files are only named. */
const MAX_CONTENT_BYTES = 1024 ** 2

/** What a call reads that sends these files. Messages reach the user in the order of the calls. */
export function getMessageResources(paths: readonly string[]): ToolResources {
  return { reads: paths.map((path) => ({ path })), writes: [{ thing: 'user:messages' }] }
}

export function checkPaths(paths: readonly string[]): ValidationResult {
  const problem = paths.map((path) => findPathProblem(path)).find((each) => each !== undefined)
  return problem === undefined ? { result: true } : { result: false, errorCode: 1, message: problem }
}

interface OpenOptions {
  readonly files: FilesPort
  readonly cwd: string
  readonly signal: AbortSignal
  /** Whether the content of small files is sent as well. */
  readonly withContent: boolean
}

/** Opens the files that are sent to the user. Throws if one of them is missing or not a regular file: then nothing is sent. */
export async function openFilesForUser(
  paths: readonly string[],
  { files, cwd, signal, withContent }: OpenOptions,
): Promise<readonly FileForUser[]> {
  const openedFiles: FileForUser[] = []
  for (const path of paths.map((each) => resolve(cwd, each))) {
    try {
      const { stat } = await files.read(path, { start: 0, end: 0, signal })
      const isSent = withContent && stat.size <= MAX_CONTENT_BYTES
      const content = isSent ? (await files.read(path, { maxBytes: MAX_CONTENT_BYTES, signal })).content : undefined
      const base64 = content === undefined ? {} : { base64: Buffer.from(content).toString('base64') }
      openedFiles.push({ path, bytes: stat.size, ...base64 })
    } catch (cause) {
      const message = `Nothing was sent, because ${path} cannot be sent: ${reasonOf(cause)}`
      throw new ToolCallError('tool_failed', message, { cause })
    }
  }
  return openedFiles
}

/** Links to the files, with their paths. */
export function renderFiles(files: readonly { readonly path: string }[]): View {
  return list(files.map(({ path }) => fileLink(path)))
}
