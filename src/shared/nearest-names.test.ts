import { expect, test } from 'vitest'
import { findNearestNames } from './nearest-names.js'

const knownNames = ['Read', 'Edit', 'Write', 'ReadMcpResource', 'WebSearch']

test.each([
  ['read', ['Read', 'ReadMcpResource']],
  ['Raed', ['Read']],
  ['Wirte', ['Write']],
  ['websearch', ['WebSearch']],
  ['Zzzzz', []],
  ['', []],
])('the known names nearest to %j are %j', (name, nearest) =>
  expect(findNearestNames(name, knownNames)).toEqual(nearest),
)

test('a very long name is compared quickly', () => {
  expect(findNearestNames('x'.repeat(10_000_000), knownNames)).toEqual([])
})
