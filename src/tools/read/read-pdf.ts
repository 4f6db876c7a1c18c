import { ToolCallError } from '../../contract/errors.js'
import { reasonOf } from '../../shared/reason-of.js'
import { choosePages } from './page-range.js'

export interface PdfPage {
  readonly page: number
  readonly text: string
}

/** The text of some pages of a PDF. */
export async function readPdf(
  bytes: Uint8Array,
  pages: string | undefined,
  name: string,
): Promise<{ readonly pageCount: number; readonly pages: readonly PdfPage[] }> {
  const document = await openPdf(bytes, name)
  try {
    const { first, last } = choosePages(pages, document.numPages, name)
    const read: PdfPage[] = []
    for (let page = first; page <= last; page++) read.push({ page, text: await pageText(document, page) })
    return { pageCount: document.numPages, pages: read }
  } finally {
    await document.destroy()
  }
}

type PdfDocument = Awaited<ReturnType<typeof import('unpdf')['getDocumentProxy']>>

async function openPdf(bytes: Uint8Array, name: string): Promise<PdfDocument> {
  const { getDocumentProxy } = await import('unpdf')
  try {
    // Taken over and emptied by the parser, so it gets a copy; and it must not print its warnings.
    return await getDocumentProxy(Uint8Array.from(bytes), { verbosity: 0 })
  } catch (cause) {
    const isLocked = cause instanceof Error && cause.name === 'PasswordException'
    const why = isLocked ? 'is locked by a password' : `cannot be read as a PDF: ${reasonOf(cause)}`
    throw new ToolCallError('tool_failed', `${name} ${why}`, { cause })
  }
}

async function pageText(document: PdfDocument, number: number): Promise<string> {
  const page = await document.getPage(number)
  const { items } = await page.getTextContent()
  return items
    .map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
    .join('')
    .trim()
}
