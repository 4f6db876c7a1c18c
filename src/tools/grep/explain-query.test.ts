import { expect, test } from 'vitest'
import { explainQuery } from './explain-query.js'

test.each([
  ['repetition operator missing expression', 'interface\\{\\}'],
  ['unclosed group', 'main\\('],
  ['unclosed character class', 'args\\[0\\]'],
  ['unrecognized escape sequence', 'Remove the backslash'],
])('the error %j is returned with advice', (message, advice) => {
  expect(explainQuery(message, undefined)).toContain(`${message}. `)
  expect(explainQuery(message, undefined)).toContain(advice)
})

test('the message about an unknown file type suggests a similar one', () => {
  expect(explainQuery('There is no file type "pyton".', 'pyton')).toBe(
    'There is no file type "pyton". Did you mean python?',
  )
})

test('other messages are passed on unchanged', () => expect(explainQuery('Other error.', 'ts')).toBe('Other error.'))
