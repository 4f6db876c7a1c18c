import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { textResult } from '../contract/messages.js'
import { createPropertyOptions } from '../testing/property-runs.js'
import { fitMessageBudget } from './message-budget.js'
import { type MessageResult, sentChars } from './message-result.js'
import { createReplacementText, persistResult } from './persist-result.js'
import { toResultPath } from './result-file.js'

let directory: string
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'haft-budget-'))
})
afterEach(() => rm(directory, { recursive: true }))

function createResult(id: string, chars: number, maxResultSizeChars = 400_000): MessageResult {
  return { block: textResult(id, 'x'.repeat(chars)), maxResultSizeChars }
}

function listReplacedIds(results: readonly MessageResult[]): string[] {
  return results.filter(({ replacement }) => replacement !== undefined).map(({ block }) => block.tool_use_id)
}

function sum(results: readonly MessageResult[]): number {
  return results.reduce((total, result) => total + sentChars(result), 0)
}

test('results within the budget are left as they are', async () => {
  const results = [createResult('a', 100_000), createResult('b', 100_000)]

  expect(await fitMessageBudget(results, { directory })).toBe(results)
})

test('the largest results of a message are moved to files first, and no more than needed', async () => {
  const results = [
    createResult('a', 60_000),
    createResult('b', 90_000),
    createResult('c', 80_000),
    createResult('d', 10_000),
  ]

  const fittedResults = await fitMessageBudget(results, { directory })

  expect(listReplacedIds(fittedResults)).toEqual(['b'])
  expect(await readdir(directory)).toEqual(['b.txt'])
})

test('of results with equal length, the first is moved to a file first', async () => {
  const results = ['a', 'b', 'c', 'd', 'e'].map((id) => createResult(id, 60_000))

  expect(listReplacedIds(await fitMessageBudget(results, { directory }))).toEqual(['a', 'b'])
})

test('a result of a tool with the limit Infinity counts towards the budget and is never moved to a file', async () => {
  const results = [
    createResult('read', 185_000, Number.POSITIVE_INFINITY),
    createResult('a', 9_000),
    createResult('b', 8_000),
  ]

  const fittedResults = await fitMessageBudget(results, { directory })

  expect(listReplacedIds(fittedResults)).toEqual(['a'])
  expect(fittedResults[0]).toBe(results[0])
})

test('results that were already sent count towards the budget and are not moved to files', async () => {
  const results: MessageResult[] = [{ ...createResult('a', 150_000), isSent: true }, createResult('b', 30_000)]

  expect(listReplacedIds(await fitMessageBudget(results, { directory, sentChars: 40_000 }))).toEqual(['b'])
  expect(listReplacedIds(await fitMessageBudget(results, { directory, sentChars: 20_000 }))).toEqual([])
})

test('a preview is not replaced by another preview', async () => {
  const preview: MessageResult = { ...createResult('a', 300_000), replacement: 'x'.repeat(150_000) }

  const fittedResults = await fitMessageBudget([preview, createResult('b', 60_000)], { directory })

  expect(fittedResults[0]).toBe(preview)
  expect(fittedResults[1]?.replacement).toContain('b.txt')
})

test.each([
  [150, 1_900],
  [100, 2_150],
  [800, 280],
])(
  '%d results of %d characters fit into the budget, though full previews would not be shorter',
  async (count, chars) => {
    const results = Array.from({ length: count }, (_, i) => createResult(`r${i}`, chars))

    const fittedResults = await fitMessageBudget(results, { directory })

    expect(sum(fittedResults)).toBeLessThanOrEqual(200_000)
    expect(listReplacedIds(fittedResults)[0]).toBe('r0')
    expect(listReplacedIds(fittedResults).length).toBeLessThan(count)
  },
)

test('previews that are too long together are shortened, except those already sent', async () => {
  const previewedResults = await Promise.all(
    Array.from({ length: 100 }, (_, i) => persistResult(createResult(`r${100 + i}`, 60_000, 50_000), directory)),
  )
  const results: MessageResult[] = previewedResults.map((result, i) => (i === 0 ? { ...result, isSent: true } : result))

  const fittedResults = await fitMessageBudget(results, { directory, sentChars: 20_000 })

  expect(sum(results)).toBeGreaterThan(200_000)
  expect(sum(fittedResults) + 20_000).toBeLessThanOrEqual(200_000)
  expect(fittedResults[0]).toBe(results[0])
  const path = join(directory, 'r101.txt')
  expect(fittedResults[1]?.replacement).toBe(
    `[Long result: 60,000 characters (60,000 bytes); its start and end are below, the whole text is in ${path}. ` +
      'Read a range of that file, or search it with Grep.]\n' +
      `${'x'.repeat(300)}\n[… 59,600 characters omitted …]\n${'x'.repeat(100)}`,
  )
  expect(fittedResults.at(-1)).toBe(results.at(-1))
})

test('a result is reduced to one line with its path if its preview is still too long', async () => {
  const text = 'x'.repeat(1_000)

  const [fittedResult] = await fitMessageBudget([createResult('a', 1_000)], { directory, limit: 200 })

  const path = join(directory, 'a.txt')
  expect(fittedResult?.replacement).toBe(`[Long result: 1,000 characters (1,000 bytes); it is in ${path}.]`)
  expect(await readFile(path, 'utf8')).toBe(text)
})

test('a result shorter than its one-line replacement is sent whole', async () => {
  const results = [createResult('read', 200_000, Number.POSITIVE_INFINITY), createResult('a', 60)]

  expect(await fitMessageBudget(results, { directory })).toEqual(results)
  expect(await readdir(directory)).toEqual([])
})

test('a message fits the budget even if the disk fails', async () => {
  const results = [createResult('a', 150_000), createResult('b', 60_000)]

  const fittedResults = await fitMessageBudget(results, { directory: '/dev/null/nowhere' })

  expect(fittedResults[0]?.replacement).toContain('could not be stored (ENOTDIR')
  expect(sum(fittedResults)).toBeLessThan(200_000)
})

const messages = fc.array(
  fc.record({
    chars: fc.nat(30_000),
    maxResultSizeChars: fc.constantFrom(10_000, 400_000, Number.POSITIVE_INFINITY),
    isSent: fc.boolean(),
  }),
  { maxLength: 12 },
)

test('any message fits the budget unless no result can be moved, and the largest results are moved first', async () => {
  await fc.assert(
    fc.asyncProperty(messages, fc.nat(60_000), async (sizes, limit) => {
      const results = sizes.map(({ chars, maxResultSizeChars, isSent }, index): MessageResult => {
        return { ...createResult(`r${index + 10}`, chars, maxResultSizeChars), ...(isSent && { isSent }) }
      })

      const folder = await mkdtemp(join(directory, 'case-'))

      const fittedResults = await fitMessageBudget(results, { directory: folder, limit })

      const isMoved = (_: MessageResult, index: number) => fittedResults[index]?.replacement !== undefined
      const findReplacement = ({ block }: MessageResult, previewChars?: number) =>
        createReplacementText(String(block.content), { path: toResultPath(folder, block.tool_use_id) }, previewChars)
      const isMovable = (result: MessageResult) =>
        result.maxResultSizeChars !== Number.POSITIVE_INFINITY &&
        !result.isSent &&
        findReplacement(result, 0).length < sentChars(result)
      const movedResults = results.filter(isMoved)
      const unmovedResults = results.filter((result, index) => isMovable(result) && !isMoved(result, index))
      expect(movedResults.filter((result) => !isMovable(result))).toEqual([])
      if (sum(fittedResults) > limit) {
        expect(unmovedResults).toEqual([])
        const shortestReplacements = movedResults.map((result) => findReplacement(result, 0))
        expect(fittedResults.filter(isMoved).map(({ replacement }) => replacement)).toEqual(shortestReplacements)
      }
      const smallestMoved = Math.min(...movedResults.map(sentChars))
      expect(unmovedResults.filter((result) => sentChars(result) > smallestMoved)).toEqual([])
      if (sum(results) <= limit) expect(movedResults).toEqual([])
      // If the last moved result had stayed, the message would not have fitted.
      const lastMoved = movedResults.findLast((result) => sentChars(result) === smallestMoved)
      const hasShortPreview = results.some(
        (result, index) => isMoved(result, index) && fittedResults[index]?.replacement !== findReplacement(result),
      )
      if (lastMoved !== undefined && !hasShortPreview) {
        const resultsWithLastUnmoved = fittedResults.map((result, index) =>
          results[index] === lastMoved ? lastMoved : result,
        )
        expect(sum(resultsWithLastUnmoved)).toBeGreaterThan(limit)
      }
    }),
    createPropertyOptions(60),
  )
})
