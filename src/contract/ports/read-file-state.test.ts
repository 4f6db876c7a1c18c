import { expect, test } from 'vitest'
import { computeContentHash } from '../../shared/content-hash.js'
import { isEntryCurrent } from './read-file-state.js'

const toBytes = (text: string) => Buffer.from(text)

test('the read entry of a whole file is current until a byte of the file changes', () => {
  const entry = { contentHash: computeContentHash(toBytes('text')), mtimeMs: 1 }

  expect(['text', 'texT', 'text\n', ''].map((content) => isEntryCurrent(entry, toBytes(content)))).toEqual([
    true,
    false,
    false,
    false,
  ])
})

test('the read entry of a part of a file is current until that part changes or moves', () => {
  const entry = { contentHash: computeContentHash(toBytes('two\n')), mtimeMs: 1, bytes: { start: 4, end: 8 } }
  const contents = ['one\ntwo\nthree', 'ONE\ntwo\n', 'zero\ntwo\n', 'one\ntwo', '']

  expect(contents.map((text) => isEntryCurrent(entry, toBytes(text)))).toEqual([true, true, false, false, false])
})
