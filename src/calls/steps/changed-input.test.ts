import { expect, test } from 'vitest'
import { mergeInputChanges } from './run-pre-hooks.js'

const input = { path: 'a.txt', lines: [1, 2] }
const observedInput = { path: '/project/a.txt', lines: [1, 2], kind: 'file' }

test.each([
  ['nothing', undefined],
  ['the observable input', observedInput],
  ['a copy of the observable input', { ...observedInput, lines: [1, 2] }],
  ['the original input', { path: 'a.txt', lines: [1, 2] }],
])('an input update with %s changes nothing', (_, updatedInput) => {
  expect(mergeInputChanges(input, observedInput, updatedInput)).toBe(input)
})

test('fields that an update does not change keep their original value, and derived ones are dropped', () => {
  expect(mergeInputChanges(input, observedInput, { ...observedInput, lines: [3] })).toEqual({
    path: 'a.txt',
    lines: [3],
  })
})

test('a derived field that an update changes is part of the new input', () => {
  expect(mergeInputChanges(input, observedInput, { ...observedInput, kind: 'folder' })).toEqual({
    path: 'a.txt',
    lines: [1, 2],
    kind: 'folder',
  })
})

test('a field that the update omits is removed', () => {
  expect(mergeInputChanges(input, observedInput, { path: '/project/a.txt' })).toEqual({ path: 'a.txt' })
})

test('an update that is not an object is passed to the schema unchanged', () => {
  expect([null, 'x', [1]].map((updatedInput) => mergeInputChanges(input, observedInput, updatedInput))).toEqual([
    null,
    'x',
    [1],
  ])
})

test('an updated field named __proto__ stays an own property', () => {
  const mergedInput = mergeInputChanges({}, {}, JSON.parse('{"__proto__":{"admin":true}}'))

  expect(Object.keys(mergedInput as object)).toEqual(['__proto__'])
  expect((mergedInput as { admin?: unknown }).admin).toBeUndefined()
})
