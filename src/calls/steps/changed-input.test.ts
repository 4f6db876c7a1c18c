import { expect, test } from 'vitest'
import { mergeInputChanges } from './run-pre-hooks.js'

const input = { path: 'a.txt', lines: [1, 2] }
const observed = { path: '/project/a.txt', lines: [1, 2], kind: 'file' }

test.each([
  ['nothing', undefined],
  ['the observable input', observed],
  ['a copy of the observable input', { ...observed, lines: [1, 2] }],
  ['the original input', { path: 'a.txt', lines: [1, 2] }],
])('an input update with %s changes nothing', (_, updated) => {
  expect(mergeInputChanges(input, observed, updated)).toBe(input)
})

test('fields that an update does not change keep their original value, and derived ones are dropped', () => {
  expect(mergeInputChanges(input, observed, { ...observed, lines: [3] })).toEqual({ path: 'a.txt', lines: [3] })
})

test('a derived field that an update changes is part of the new input', () => {
  expect(mergeInputChanges(input, observed, { ...observed, kind: 'folder' })).toEqual({
    path: 'a.txt',
    lines: [1, 2],
    kind: 'folder',
  })
})

test('a field that the update omits is removed', () => {
  expect(mergeInputChanges(input, observed, { path: '/project/a.txt' })).toEqual({ path: 'a.txt' })
})

test('an update that is not an object is passed to the schema unchanged', () => {
  expect([null, 'x', [1]].map((updated) => mergeInputChanges(input, observed, updated))).toEqual([null, 'x', [1]])
})

test('an updated field named __proto__ stays an own property', () => {
  const merged = mergeInputChanges({}, {}, JSON.parse('{"__proto__":{"admin":true}}'))

  expect(Object.keys(merged as object)).toEqual(['__proto__'])
  expect((merged as { admin?: unknown }).admin).toBeUndefined()
})
