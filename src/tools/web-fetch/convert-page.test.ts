import { expect, onTestFinished, test, vi } from 'vitest'
import { PageConverter } from './convert-page.js'

const { signal } = new AbortController()
const source = { url: 'https://example.com/', charset: undefined, signal }

test('the conversion of a page stops if it takes too long', async () => {
  const page = Buffer.from('<b>'.repeat(1_000_000))

  await expect(new PageConverter({ ms: 10, bytes: 1024 ** 3 }).convert(page, source)).rejects.toThrow(
    'exceeds the time limit. Use raw: true',
  )
})

test('the conversion of a page stops if it takes too much memory', async () => {
  const page = Buffer.from('<i a=b></i>'.repeat(500_000))

  await expect(new PageConverter({ ms: 60_000, bytes: 32 * 1024 ** 2 }).convert(page, source)).rejects.toThrow(
    'exceeds the memory limit',
  )
})

test('the event loop is not blocked while a large page is converted', async () => {
  const page = Buffer.from('<p>A paragraph with <a href="/x">a link</a>.</p>'.repeat(20_000))
  let ticks = 0
  const timer = setInterval(() => ticks++, 1)
  const { markdown } = await new PageConverter().convert(page, source)
  clearInterval(timer)

  expect(markdown.startsWith('A paragraph with [a link](https://example.com/x).')).toBe(true)
  expect(ticks).toBeGreaterThan(5)
})

test('a cancelled conversion ends at once', async () => {
  const controller = new AbortController()
  const conversion = new PageConverter().convert(Buffer.from('<b>'.repeat(1_000_000)), {
    ...source,
    signal: controller.signal,
  })
  controller.abort(new Error('cancelled'))

  await expect(conversion).rejects.toThrow('cancelled')
})

test('pages that are converted one after another or at once do not mix, also after one that failed', async () => {
  const converter = new PageConverter({ ms: 60_000, bytes: 64 * 1024 ** 2 })
  const convert = async (text: string) => (await converter.convert(Buffer.from(`<p>${text}</p>`), source)).markdown

  expect(await convert('first')).toBe('first')
  await expect(converter.convert(Buffer.from('<i a=b></i>'.repeat(900_000)), source)).rejects.toThrow('memory limit')
  expect(await Promise.all(['a', 'b', 'c'].map(convert))).toEqual(['a', 'b', 'c'])
  expect(await convert('last')).toBe('last')
})

test('a page that arrives while an idle worker is being ended is converted', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const converter = new PageConverter()
  await converter.convert(Buffer.from('<p>first</p>'), source)

  vi.runAllTimers()

  expect(await converter.convert(Buffer.from('<p>second</p>'), source)).toMatchObject({ markdown: 'second' })
})
