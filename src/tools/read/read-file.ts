import { extname } from 'node:path'
import { ToolCallError } from '../../contract/errors.js'
import type { FilesPort } from '../../contract/ports/files.js'
import { isEndlessFile } from '../../shared/endless-file.js'
import { detectKind } from '../documents/file-kind.js'
import { explainFailure } from './explain-failure.js'
import { readNotebook } from './read-notebook.js'
import type { ReadAnswer, ReadRequest, ResolvedRequest } from './read-request.js'
import { readText } from './read-text.js'
import { readImage, readPdfFile } from './read-whole-file.js'

/** Reads a file according to its kind. */
export async function readFile(files: FilesPort, request: ReadRequest): Promise<ReadAnswer> {
  try {
    const realPath = await files.realPath(request.path)
    if (isEndlessFile(realPath)) throw new ToolCallError('tool_failed', describeEndlessFile(request.path))
    return await readByKind(files, { ...request, realPath })
  } catch (error) {
    throw await explainFailure(error, files, request)
  }
}

function describeEndlessFile(path: string): string {
  return `${path} is a device or a system file: reading it could block or never end. If necessary, use a command that reads a bounded part.`
}

/** Extensions of files that are probably not plain text. */
const SPECIAL_EXTENSIONS = new Set(['.png', '.jpg', '.jpeg', '.gif', '.webp', '.pdf', '.ipynb'])
const MAX_HEAD_BYTES = 8192

async function readByKind(files: FilesPort, request: ResolvedRequest): Promise<ReadAnswer> {
  const extension = extname(request.path).toLowerCase()
  // Most files are text, so the kind is checked while the text is read.
  if (!SPECIAL_EXTENSIONS.has(extension)) return readText(files, request, (head) => readNonText(files, request, head))
  const { realPath, signal } = request
  const { content } = await files.read(request.path, { start: 0, end: MAX_HEAD_BYTES, realPath, signal })
  const nonTextAnswer = await readNonText(files, request, content)
  if (nonTextAnswer !== undefined) return nonTextAnswer
  const notebook = extension === '.ipynb' ? await readNotebook(files, request) : undefined
  return notebook ?? readText(files, request, async () => undefined)
}

/** Reads a file that is not text. Returns undefined if it is text. */
async function readNonText(
  files: FilesPort,
  request: ResolvedRequest,
  head: Uint8Array,
): Promise<ReadAnswer | undefined> {
  const detectedKind = detectKind(head)
  if (detectedKind.kind === 'image') return readImage(files, request, detectedKind.mediaType)
  if (detectedKind.kind === 'pdf') return readPdfFile(files, request)
  if (detectedKind.kind === 'text') return undefined
  throw new ToolCallError(
    'tool_failed',
    `${request.path} is a binary file and cannot be shown as text. Inspect it with a command such as file, xxd or strings.`,
  )
}
