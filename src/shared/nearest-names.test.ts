import { expect, test } from 'vitest'
import { nearestNames } from './nearest-names.js'

const known = ['Read', 'Edit', 'Write', 'ReadMcpResource', 'WebSearch']

test.each([
  ['read', ['Read', 'ReadMcpResource']],
  ['Raed', ['Read']],
  ['Wirte', ['Write']],
  ['websearch', ['WebSearch']],
  ['Zzzzz', []],
  ['', []],
])('the known names nearest to %j are %j', (name, nearest) => expect(nearestNames(name, known)).toEqual(nearest))

test('a very long name is compared quickly', () => {
  expect(nearestNames('x'.repeat(10_000_000), known)).toEqual([])
})
