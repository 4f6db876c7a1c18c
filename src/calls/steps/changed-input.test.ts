import { expect, test } from 'vitest'
import { changedInput } from './changed-input.js'

const input = { path: 'a.txt', lines: [1, 2] }
const observed = { path: '/project/a.txt', lines: [1, 2], kind: 'file' }

test.each([
  ['nothing', undefined],
  ['what was shown', observed],
  ['a copy of what was shown', { ...observed, lines: [1, 2] }],
  ['what was sent', { path: 'a.txt', lines: [1, 2] }],
])('an answer with %s changes nothing', (_, updated) => {
  expect(changedInput(input, observed, updated)).toBe(input)
})

test('a change leaves what was shown as it was sent, and derived fields out', () => {
  expect(changedInput(input, observed, { ...observed, lines: [3] })).toEqual({ path: 'a.txt', lines: [3] })
})

test('a derived field that was changed is a change', () => {
  expect(changedInput(input, observed, { ...observed, kind: 'folder' })).toEqual({
    path: 'a.txt',
    lines: [1, 2],
    kind: 'folder',
  })
})

test('a field that was left out is left out', () => {
  expect(changedInput(input, observed, { path: '/project/a.txt' })).toEqual({ path: 'a.txt' })
})

test('an answer that is no object goes to the schema as it is', () => {
  expect([null, 'x', [1]].map((updated) => changedInput(input, observed, updated))).toEqual([null, 'x', [1]])
})

test('a field called __proto__ stays a field', () => {
  const changed = changedInput({}, {}, JSON.parse('{"__proto__":{"admin":true}}'))

  expect(Object.keys(changed as object)).toEqual(['__proto__'])
  expect((changed as { admin?: unknown }).admin).toBeUndefined()
})
