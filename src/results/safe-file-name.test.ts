import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createPropertyOptions } from '../testing/property-runs.js'
import { toSafeFileName } from './result-file.js'

test('a plain call id is used as the file name', () => {
  expect(toSafeFileName('toolu_01A-b')).toBe('toolu_01A-b')
})

test.each(['', '.', '..', '../../etc/passwd', '/etc/passwd', 'a\0b', 'C:\\x', '-rf', 'x'.repeat(5_000), '\ud800'])(
  'the hostile call id %j becomes a short and harmless file name',
  (id) => {
    expect(toSafeFileName(id)).toMatch(/^[A-Za-z0-9_]{0,40}-[0-9a-f]{16}$/)
  },
)

test.each(['CON', 'nul', 'Aux', 'prn', 'COM1', 'lpt9'])('%s, a device on Windows, is not used as a file name', (id) => {
  expect(toSafeFileName(id)).toMatch(/^[A-Za-z0-9]+-[0-9a-f]{16}$/)
})

test('similar call ids get different file names', () => {
  expect(toSafeFileName('a/b')).not.toBe(toSafeFileName('a:b'))
})

test('no call id leads to a file outside the results folder', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (id) => {
      expect(toSafeFileName(id)).toMatch(/^[A-Za-z0-9_-]{1,80}$/)
    }),
    createPropertyOptions(),
  )
})
