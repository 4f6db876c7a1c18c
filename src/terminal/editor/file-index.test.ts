import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../../testing/property-runs.js'
import { FileIndex } from './file-index.js'

async function indexOf(paths: readonly string[]): Promise<FileIndex> {
  const index = new FileIndex()
  await index.load(paths)
  return index
}

const valuesOf = (index: FileIndex, query: string, limit?: number) => index.find(query, limit).map(({ value }) => value)

test('matches in file names rank above folders, and consecutive letters above separate ones', async () => {
  const index = await indexOf(['src/editor/index.ts', 'src/terminal/editor.ts', 'src/e/d/i/t.ts', 'docs/page.md'])
  expect(valuesOf(index, 'edit')).toEqual(['@src/terminal/editor.ts', '@src/editor/index.ts', '@src/e/d/i/t.ts'])
})

test('without a query, files near the root come first', async () => {
  const index = await indexOf(['src/deep/down/file.ts', 'README.md', 'src/index.ts'])
  expect(valuesOf(index, '')).toEqual(['@README.md', '@src/index.ts', '@src/deep/down/file.ts'])
})

test('files that are listed while the user types are found as soon as they are known', async () => {
  const index = new FileIndex()
  let hasChanged = false
  const loading = index.load(
    (async function* () {
      yield 'first.ts'
      await nextTurn()
      yield 'second.ts'
    })(),
    () => {
      hasChanged = true
    },
  )
  await nextTurn()
  expect(valuesOf(index, 'first')).toEqual(['@first.ts'])
  await loading
  expect(hasChanged).toBe(true)
  expect(valuesOf(index, 'second')).toEqual(['@second.ts'])
})

test('100,000 files are indexed in slices, between which the event loop runs', async () => {
  const index = new FileIndex()
  let turns = 0
  let isLoaded = false
  const loading = index
    .load(Array.from({ length: 100_000 }, (_, number) => `src/folder${number % 500}/file${number}.ts`))
    .then(() => {
      isLoaded = true
    })
  while (!isLoaded) {
    turns++
    await nextTurn()
  }
  await loading
  expect(index.size).toBe(100_000)
  expect(turns).toBeGreaterThan(20)
})

test('typing letter by letter finds the same as typing at once', async () => {
  const path = fc.stringMatching(/^[ab/.]{1,12}$/)
  await fc.assert(
    fc.asyncProperty(fc.array(path, { maxLength: 40 }), fc.stringMatching(/^[ab/.]{0,4}$/), async (paths, query) => {
      const byLetter = await indexOf(paths)
      for (let length = 0; length < query.length; length++) byLetter.find(query.slice(0, length))
      expect(valuesOf(byLetter, query, 100)).toEqual(valuesOf(await indexOf(paths), query, 100))
    }),
    createPropertyOptions(200),
  )
})
