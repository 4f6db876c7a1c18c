import { ToolCallError } from '../../contract/errors.js'
import type { FilesPort, ReadFile } from '../../contract/ports/files.js'
import { computeContentHash } from '../../shared/content-hash.js'
import type { ImageType } from '../documents/file-kind.js'
import { fitImage } from '../documents/fit-image.js'
import { choosePages } from '../documents/page-range.js'
import { getReadBudget, type ReadAnswer, type ResolvedRequest, respondToRead } from './read-request.js'
import type { ReadOutput } from './schema.js'

/** Images, PDFs and notebooks are parsed as a whole, so larger ones are refused. */
const MAX_WHOLE_BYTES = 50 * 1024 * 1024

/** Reads a whole file that is not plain text. */
export function readWholeFile(files: FilesPort, { path, realPath, signal }: ResolvedRequest): Promise<ReadFile> {
  return files.read(path, { maxBytes: MAX_WHOLE_BYTES, realPath, signal })
}

export async function readImage(files: FilesPort, request: ResolvedRequest, mediaType: ImageType): Promise<ReadAnswer> {
  const { path } = request
  const file = await readWholeFile(files, request)
  const { base64, size, originalSize, ...fittedImage } = await fitImage(file.content, mediaType, path)
  const image = { mediaType: fittedImage.mediaType, base64 }
  const output = { type: 'image' as const, path, image, size, ...(originalSize !== undefined && { originalSize }) }
  return respondWithFile(files, request, file, 'the image', output)
}

export async function readPdfFile(files: FilesPort, request: ResolvedRequest): Promise<ReadAnswer> {
  const { path, signal } = request
  const file = await readWholeFile(files, request)
  const choose = (count: number) => choosePages(request.pages, count, path)
  const { readPdfInThread } = await import('../documents/pdf-thread.js')
  const { pageCount, pages } = await readPdfInThread(file.content, { name: path, signal, choose })
  const budget = getReadBudget(files)
  const bytes = pages.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  if (bytes > budget.bytes)
    throw new ToolCallError('tool_failed', describeTooLong(path, pages.length, budget.description))
  const pageRangeText = `pages ${pages[0]?.page} to ${pages.at(-1)?.page}`
  return respondWithFile(files, request, file, pageRangeText, { type: 'pdf', path, pageCount, pages: [...pages] })
}

function describeTooLong(path: string, pages: number, limit: string): string {
  const advice =
    pages === 1 ? 'Extract the part you need with a command such as pdftotext.' : 'Read fewer pages at once.'
  return `The text of these pages of ${path} exceeds the limit of ${limit} for one read. ${advice}`
}

/** Records the read of a whole file. Only a part of it may have been shown. */
export function respondWithFile(
  files: FilesPort,
  request: ResolvedRequest,
  { realPath, content, stat }: ReadFile,
  rangeText: string,
  output: ReadOutput,
): ReadAnswer {
  const entry = { contentHash: computeContentHash(content), mtimeMs: stat.mtimeMs }
  return respondToRead(files, request, { realPath, entry, part: rangeText }, output)
}
