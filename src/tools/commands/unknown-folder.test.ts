import { posix } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { propertyRuns } from '../../testing/property-runs.js'
import { fromUnknownFolder, UNKNOWN_FOLDER } from './unknown-folder.js'

test.each([
  ['a/b', 'a/b'],
  ['../a', '../a'],
  ['/etc/passwd', '/etc/passwd'],
  ['/', '/'],
  [UNKNOWN_FOLDER, '.'],
  [`${UNKNOWN_FOLDER}/`, './'],
  [`${UNKNOWN_FOLDER}/sub/x`, 'sub/x'],
  [`${UNKNOWN_FOLDER}/sub/`, 'sub/'],
  [posix.join(UNKNOWN_FOLDER, '../x'), '../x'],
  [`${posix.join(UNKNOWN_FOLDER, '..')}/`, '../'],
])('%s counts as %s', (path, relative) => expect(fromUnknownFolder(path)).toBe(relative))

test('home paths and too many parent steps are unknown', () => {
  expect(fromUnknownFolder('~/x')).toBeUndefined()
  expect(fromUnknownFolder('../'.repeat(50))).toBeUndefined()
})

test('a converted path means the same file in the real folder', () => {
  const path = fc.array(fc.constantFrom('..', 'a', 'b', '.'), { maxLength: 6 }).map((parts) => parts.join('/'))
  const cwd = '/1/2/3/4/5/6/7'
  fc.assert(
    fc.property(path, (written) => {
      const relative = fromUnknownFolder(posix.resolve(UNKNOWN_FOLDER, written)) ?? 'unknown'
      expect(posix.resolve(cwd, relative)).toBe(posix.resolve(cwd, written))
    }),
    propertyRuns(),
  )
})
