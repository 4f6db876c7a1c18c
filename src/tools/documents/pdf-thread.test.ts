import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createDeflate } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { createFixturePdf } from './fixture-pdf.js'
import { choosePages, parsePages } from './page-range.js'
import { readPdfInThread } from './pdf-thread.js'
import type { WorkerLimits } from './worker-limits.js'

const fivePages = createFixturePdf(['One', 'Two', 'Page three', '', 'Five'])

function read(bytes: Uint8Array, pages?: string, options: { signal?: AbortSignal; limits?: WorkerLimits } = {}) {
  const choose = (count: number) => choosePages(pages, count, 'a.pdf')
  return readPdfInThread(bytes, { name: 'a.pdf', signal: new AbortController().signal, choose, ...options })
}

test('readPdfInThread returns the text of the requested page', async () => {
  expect(await read(fivePages, '3')).toEqual({ pageCount: 5, pages: [{ page: 3, text: 'Page three' }] })
})

test('readPdfInThread returns all pages of a short document, and does not detach its bytes', async () => {
  const bytesBefore = Uint8Array.from(fivePages)
  const { pages } = await read(fivePages)
  expect(pages.map(({ text }) => text)).toEqual(['One', 'Two', 'Page three', '', 'Five'])
  expect(Uint8Array.from(fivePages)).toEqual(bytesBefore)
})

test('a page beyond the end is refused', async () => {
  await expect(read(fivePages, '6')).rejects.toThrow('has 5 pages; there is no page 6')
})

test('a file with only the header of a PDF is refused', async () => {
  await expect(read(Buffer.from('%PDF-1.4\nnothing'))).rejects.toThrow('a.pdf cannot be read as a PDF')
})

describe('a decompression bomb', () => {
  let bombBytes: Buffer
  beforeAll(async () => {
    bombBytes = await createBombPdf()
  })

  test('is aborted when it takes too much memory', async () => {
    const limits = { ms: 600_000, bytes: 150 * 1024 ** 2 }
    await expect(read(bombBytes, undefined, { limits })).rejects.toThrow(/exceeds the memory limit for PDFs/)
  })

  test('is aborted when it takes too long', async () => {
    const limits = { ms: 1, bytes: 8 * 1024 ** 3 }
    await expect(read(bombBytes, undefined, { limits })).rejects.toThrow(/exceeds the time limit for PDFs/)
  })

  test('is aborted when the call is cancelled', async () => {
    const controller = new AbortController()
    const readPromise = read(bombBytes, undefined, { signal: controller.signal })
    controller.abort(new Error('cancelled by the test'))
    await expect(readPromise).rejects.toThrow('cancelled by the test')
    await expect(read(fivePages, '3', { signal: controller.signal })).rejects.toThrow('cancelled by the test')
  })
})

/** Creates a PDF of a few megabytes that unpacks to a gigabyte. */
async function createBombPdf(): Promise<Buffer> {
  const chunk = Buffer.alloc(1_000_000, 'q ')
  const content = await buffer(Readable.from(Array(1_000).fill(chunk)).pipe(createDeflate({ level: 1 })))
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>',
    `<< /Length ${content.length} /Filter /FlateDecode >>\nstream\n${content.toString('latin1')}\nendstream`,
  ].map((body, index) => `${index + 1} 0 obj\n${body}\nendobj\n`)
  return Buffer.from(`%PDF-1.4\n${objects.join('')}trailer\n<< /Root 1 0 R >>\n%%EOF\n`, 'latin1')
}

test.each([
  ['3', { first: 3, last: 3 }],
  ['1-5', { first: 1, last: 5 }],
  [' 2 – 4 ', { first: 2, last: 4 }],
  ['0', undefined],
  ['5-1', undefined],
  ['1,2', undefined],
  ['all', undefined],
  ['', undefined],
])('the page range %j is parsed as %j', (text, range) => expect(parsePages(text)).toEqual(range))

test.each([
  [undefined, 10, { first: 1, last: 10 }],
  ['8-99', 12, { first: 8, last: 12 }],
])('the choice %j in a document of %j pages means the range %j', (pages, count, range) =>
  expect(choosePages(pages, count, 'a.pdf')).toEqual(range),
)

test.each([
  [undefined, 11, 'has 11 pages. Choose the pages to read'],
  ['6', 5, 'has 5 pages; there is no page 6'],
  ['1-30', 99, 'Start with pages: "1-20"'],
])('the choice %j in a document of %j pages is refused', (pages, count, message) =>
  expect(() => choosePages(pages, count, 'a.pdf')).toThrow(message),
)
