import { expect, test } from 'vitest'
import { convertPage } from './convert-page.js'

const { signal } = new AbortController()
const source = { url: 'https://example.com/', charset: undefined, signal }

test('the conversion of a page stops if it takes too long', async () => {
  const page = Buffer.from('<b>'.repeat(1_000_000))

  await expect(convertPage(page, { ...source, limits: { ms: 200, bytes: 1024 ** 3 } })).rejects.toThrow(
    'exceeds the time limit. Use raw: true',
  )
})

test('the conversion of a page stops if it takes too much memory', async () => {
  const page = Buffer.from('<i a=b></i>'.repeat(500_000))

  await expect(convertPage(page, { ...source, limits: { ms: 60_000, bytes: 32 * 1024 ** 2 } })).rejects.toThrow(
    'exceeds the memory limit',
  )
})

test('the event loop is not blocked while a large page is converted', async () => {
  const page = Buffer.from('<p>A paragraph with <a href="/x">a link</a>.</p>'.repeat(20_000))
  let ticks = 0
  const timer = setInterval(() => ticks++, 1)
  const { markdown } = await convertPage(page, source)
  clearInterval(timer)

  expect(markdown.startsWith('A paragraph with [a link](https://example.com/x).')).toBe(true)
  expect(ticks).toBeGreaterThan(5)
})

test('a cancelled conversion ends at once', async () => {
  const controller = new AbortController()
  const conversion = convertPage(Buffer.from('<b>'.repeat(1_000_000)), { ...source, signal: controller.signal })
  controller.abort(new Error('cancelled'))

  await expect(conversion).rejects.toThrow('cancelled')
})
