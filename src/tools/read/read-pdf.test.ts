import { expect, test } from 'vitest'
import { fixturePdf } from './fixture-pdf.js'
import { choosePages, parsePages } from './page-range.js'
import { readPdf } from './read-pdf.js'

const five = fixturePdf(['One', 'Two', 'Page three', '', 'Five'])

test('gives the text of the page that was asked for', async () => {
  expect(await readPdf(five, '3', 'a.pdf')).toEqual({ pageCount: 5, pages: [{ page: 3, text: 'Page three' }] })
})

test('gives a short document whole, and leaves its bytes alone', async () => {
  const before = Uint8Array.from(five)
  const { pages } = await readPdf(five, undefined, 'a.pdf')
  expect(pages.map(({ text }) => text)).toEqual(['One', 'Two', 'Page three', '', 'Five'])
  expect(Uint8Array.from(five)).toEqual(before)
})

test('a file that only begins as a PDF is refused', async () => {
  await expect(readPdf(Buffer.from('%PDF-1.4\nnothing'), undefined, 'a.pdf')).rejects.toThrow(
    'a.pdf cannot be read as a PDF',
  )
})

test.each([
  ['3', { first: 3, last: 3 }],
  ['1-5', { first: 1, last: 5 }],
  [' 2 – 4 ', { first: 2, last: 4 }],
  ['0', undefined],
  ['5-1', undefined],
  ['1,2', undefined],
  ['all', undefined],
  ['', undefined],
])('the pages %j are %j', (written, range) => expect(parsePages(written)).toEqual(range))

test.each([
  [undefined, 10, { first: 1, last: 10 }],
  ['8-99', 12, { first: 8, last: 12 }],
])('of pages %j out of %j: %j', (pages, count, range) => expect(choosePages(pages, count, 'a.pdf')).toEqual(range))

test.each([
  [undefined, 11, 'has 11 pages. Say which to read'],
  ['6', 5, 'has 5 pages; there is no page 6'],
  ['1-30', 99, 'Begin with pages: "1-20"'],
])('pages %j out of %j are refused', (pages, count, message) =>
  expect(() => choosePages(pages, count, 'a.pdf')).toThrow(message),
)
