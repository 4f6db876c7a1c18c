import { ToolCallError } from '../../contract/errors.js'
import type { FilesPort, ReadFile } from '../../contract/ports/files.js'
import { contentHash } from '../../shared/content-hash.js'
import type { ImageType } from './file-kind.js'
import { fitImage } from './fit-image.js'
import { readBudget } from './read-budget.js'
import { readPdf } from './read-pdf.js'
import type { ResolvedRequest } from './read-request.js'
import { rememberRead, shownPart } from './remember-read.js'
import type { ReadOutput } from './schema.js'

/** What has to be taken apart as a whole may not be larger. */
const MAX_WHOLE_BYTES = 50 * 1024 * 1024

/** The whole of a file that is no plain text. */
export function readWhole(files: FilesPort, { path, realPath, signal }: ResolvedRequest): Promise<ReadFile> {
  return files.read(path, { maxBytes: MAX_WHOLE_BYTES, realPath, signal })
}

export async function readPicture(
  files: FilesPort,
  request: ResolvedRequest,
  mediaType: ImageType,
): Promise<ReadOutput> {
  const { path } = request
  const file = await readWhole(files, request)
  const { base64, size, originalSize, ...fitted } = await fitImage(file.content, mediaType, path)
  if (wasShown(files, request, file, 'the picture')) return { type: 'unchanged', path, part: 'the picture' }
  const image = { mediaType: fitted.mediaType, base64 }
  return { type: 'image', path, image, size, ...(originalSize !== undefined && { originalSize }) }
}

export async function readPdfFile(files: FilesPort, request: ResolvedRequest): Promise<ReadOutput> {
  const { path } = request
  const file = await readWhole(files, request)
  const { pageCount, pages } = await readPdf(file.content, request.pages, path)
  const budget = readBudget(files)
  const bytes = pages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  if (bytes > budget.bytes) throw new ToolCallError('tool_failed', tooMuch(path, pages.length, budget.words))
  const part = `pages ${pages[0]?.page} to ${pages.at(-1)?.page}`
  if (wasShown(files, request, file, part)) return { type: 'unchanged', path, part }
  return { type: 'pdf', path, pageCount, pages: [...pages] }
}

function tooMuch(path: string, pages: number, limit: string): string {
  const advice = pages === 1 ? 'Take the part you need with a command such as pdftotext.' : 'Read fewer pages at once.'
  return `The text of these pages of ${path} is more than the ${limit} that one read may give. ${advice}`
}

/** Notes the read of a whole file, of which a part may have been shown. */
export function wasShown(files: FilesPort, { agentId }: ResolvedRequest, file: ReadFile, part: string): boolean {
  return rememberRead(files, file.realPath, {
    contentHash: contentHash(file.content),
    mtimeMs: file.stat.mtimeMs,
    shown: shownPart(part, agentId),
  }).wasShown
}
